#include "controllers/safety/management_health.h"

#include <gtest/gtest.h>

#include "api/v1beta2/machine.h"
#include "test/fakes/fake_clock.h"

namespace capstan::controllers::safety {
namespace {

using namespace std::chrono_literals;

class FakeInformer final : public runtime::InformerState {
 public:
  explicit FakeInformer(kube::WatchProgress progress) : progress_(std::move(progress)) {}
  const runtime::Observed& cache() const override { return cache_; }
  kube::WatchProgress progress() const override { return progress_; }
  std::vector<kube::Quarantine> quarantined() const override { return {}; }
  void refresh_metrics() override {}

 private:
  runtime::Store<api::Machine> cache_{"Machine"};
  kube::WatchProgress progress_;
};

// Two watches, and the kind of a third one is not installed.
struct WatchesOfTwo {
  ApiHealth health() const {
    FakeInformer one(first);
    FakeInformer other(second);
    FakeInformer not_installed({});
    return management_health({&one, &other, &not_installed}, clock, 30s);
  }
  kube::WatchProgress heard(Nanoseconds ago, bool failing = false) const {
    kube::WatchProgress progress{.last_received = clock.steady_now() - ago, .lists = 1};
    progress.trouble_since = failing ? progress.last_received : SteadyTime::min();
    if (failing) progress.trouble = Error{.code = Code::Unavailable, .message = "refused"};
    return progress;
  }
  ApiLoss loss() const { return api_loss(health(), {.now = Time::from(clock.now()), .grace = 30s}); }

  fakes::FakeClock clock;
  kube::WatchProgress first = {};
  kube::WatchProgress second = {};
};

TEST(ManagementHealth, IsWellWhileOneWatchOfSeveralIsAnswered) {
  WatchesOfTwo watches;
  watches.first = watches.heard(600s, true);
  watches.second = watches.heard(50s);
  EXPECT_EQ(watches.loss(), ApiLoss::None);
}

TEST(ManagementHealth, IsDownOnceAllWatchesFailForLongerThanTheGrace) {
  WatchesOfTwo watches;
  watches.first = watches.heard(600s, true);
  watches.second = watches.heard(30s, true);
  EXPECT_EQ(watches.loss(), ApiLoss::OneProbeFailed);
  watches.clock.advance(1s);
  EXPECT_EQ(watches.loss(), ApiLoss::Down);
  EXPECT_EQ(watches.health().problem, "refused");
}

TEST(ManagementHealth, IsDownAfterALossUntilTheLastWatchIsAnsweredAndNamesThatKind) {
  WatchesOfTwo watches;
  watches.first = watches.heard(40s, true);
  watches.second = watches.heard(0s);
  watches.second.trouble_since = watches.clock.steady_now() - 40s;
  watches.second.recovered = watches.clock.steady_now();

  EXPECT_EQ(watches.loss(), ApiLoss::Down);
  EXPECT_EQ(watches.health().problem, "it answers again, but not yet the watch of Machine: refused");

  watches.first = watches.heard(0s);
  EXPECT_EQ(watches.loss(), ApiLoss::None);
}

TEST(ManagementHealth, IsWellAfterALossThatWasShorterThanTheGrace) {
  WatchesOfTwo watches;
  watches.first = watches.heard(70s, true);
  watches.second = watches.heard(41s);
  watches.second.trouble_since = watches.clock.steady_now() - 70s;
  watches.second.recovered = watches.clock.steady_now() - 41s;

  EXPECT_EQ(watches.loss(), ApiLoss::None) << "a kind of which nothing changes is heard of once a minute";
}

TEST(ManagementHealth, IsWellWhereOneKindFailsForLongAndAnotherForAMoment) {
  WatchesOfTwo watches;
  watches.first = watches.heard(3600s, true);
  watches.second = watches.heard(0s);
  watches.second.trouble_since = watches.clock.steady_now() - 1s;
  watches.second.recovered = watches.clock.steady_now();

  EXPECT_EQ(watches.loss(), ApiLoss::None);
}

TEST(ManagementHealth, IsUnknownBeforeTheFirstList) {
  const WatchesOfTwo watches;
  EXPECT_EQ(watches.loss(), ApiLoss::NoEvidence);
}

TEST(ManagementHealth, ClockAnHourOffOnTheManagerMakesNoOutageYoungerOrOlder) {
  for (const Nanoseconds off : {Nanoseconds(1h), Nanoseconds(-1h)}) {
    WatchesOfTwo watches;
    watches.first = watches.heard(20s, true);
    watches.second = watches.heard(20s, true);
    watches.clock.set_wall(watches.clock.now() + off);
    EXPECT_EQ(watches.loss(), ApiLoss::OneProbeFailed);
    watches.clock.advance(20s);
    EXPECT_EQ(watches.loss(), ApiLoss::Down);
  }
}

}  // namespace
}  // namespace capstan::controllers::safety
