#include "runtime/lease_neighbour.h"

#include <gmock/gmock.h>

#include "apiserver/api.h"
#include "kube/typed.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using namespace std::literals;

const kube::ObjectKey kCore{.namespace_ = "default", .name = "core"};

struct LeaseNeighbourFixture {
  Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient client;

  explicit LeaseNeighbourFixture(Baton& with) : baton(with), api({.clock = baton}), client(api, baton) {}
  LeaderDeps deps() { return {.clock = baton, .threads = baton, .client = client}; }
  // Of an upstream manager that is silent.
  void leave_lease(int seconds) {
    api::Lease lease;
    lease.metadata.namespace_ = Text(kCore.namespace_);
    lease.metadata.name = Text(kCore.name);
    lease.spec.holder_identity = "upstream"_text;
    lease.spec.lease_duration_seconds = seconds;
    const auto made = kube::create(client, lease, {}, Deadline::in(baton, 1min));
    EXPECT_TRUE(made) << made.error().message;
  }
  Result<void> check(ElectionScope own, bool beside_upstream = false) {
    return check_neighbour(
        deps(),
        {.lease = kCore, .rules = {.own = std::move(own), .beside_upstream = beside_upstream}, .times = {}},
        Deadline::in(baton, 1h));
  }
};

void on_stage(const std::function<void(LeaseNeighbourFixture&)>& story) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaseNeighbourFixture stage(baton);
    story(stage);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

LeaderOptions unfiltered() { return {.lease = kCore, .identity = "unfiltered"}; }
const ElectionScope kBlue{.watch_filter = "blue"};

TEST(LeaseNeighbour, AShardIsRefusedWhileAnUnfilteredOneRenewsItsLease) {
  on_stage([](LeaseNeighbourFixture& stage) {
    Leader unfiltered_one(stage.deps(), unfiltered(), [] {});
    unfiltered_one.start();
    ASSERT_EQ(unfiltered_one.wait_until_leading(Deadline::in(stage.baton, 1min)), Woken::Notified);

    const auto refused = stage.check(kBlue);
    unfiltered_one.stop();
    const auto after_it_stopped = stage.check(kBlue);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::Conflict);
    EXPECT_TRUE(after_it_stopped) << after_it_stopped.error().message;
  });
}

TEST(LeaseNeighbour, AHolderThatIsSilentForTheDurationOfItsLeaseIsDead) {
  on_stage([](LeaseNeighbourFixture& stage) {
    stage.leave_lease(15);
    const SteadyTime begun = stage.baton.steady_now();

    const auto checked = stage.check(kBlue);

    EXPECT_TRUE(checked) << checked.error().message;
    EXPECT_GE(stage.baton.steady_now() - begun, 15s);
    EXPECT_LE(stage.baton.steady_now() - begun, 18s);
  });
}

TEST(LeaseNeighbour, ALeaseThatIsHeldForHoursRefusesAfterAWhile) {
  on_stage([](LeaseNeighbourFixture& stage) {
    stage.leave_lease(3600);
    const SteadyTime begun = stage.baton.steady_now();

    const auto checked = stage.check(kBlue);

    EXPECT_FALSE(checked);
    EXPECT_LE(stage.baton.steady_now() - begun, 4min);
    EXPECT_TRUE(stage.check(kBlue, true)) << "as --beside-upstream asks for";
  });
}

TEST(LeaseNeighbour, CostsOneLookWhereNothingIsInTheWay) {
  on_stage([](LeaseNeighbourFixture& stage) {
    const SteadyTime begun = stage.baton.steady_now();

    EXPECT_TRUE(stage.check(kBlue));

    EXPECT_LE(stage.baton.steady_now() - begun, 1s);
  });
}

}  // namespace
}  // namespace capstan::runtime
