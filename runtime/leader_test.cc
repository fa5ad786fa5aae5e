#include "runtime/leader.h"

#include <gmock/gmock.h>

#include <array>
#include <boost/json.hpp>

#include "apiserver/api.h"
#include "kube/typed.h"
#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using fakes::Fault;
using fakes::FaultPoint;
using namespace std::literals;

LeaderOptions options(std::string identity) {
  return {.lease = {.namespace_ = "default", .name = "core"}, .identity = std::move(identity)};
}

// A server behind a network that a test may spoil.
struct LeaderFixture {
  Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient server;
  std::function<Fault()> fault = [] { return Fault::None; };
  fakes::FaultyClient client;

  explicit LeaderFixture(Baton& with)
      : baton(with),
        api({.clock = baton}),
        server(api, baton),
        client(server, baton, baton,
               {.choose = [this](const FaultPoint&) { return fault(); },
                .span = [this] { return Nanoseconds(1ms) * static_cast<std::int64_t>(baton.draw(12'000)); },
                .crashing = [this] { return baton.crashing(); }}) {}
  LeaderDeps deps() { return {.clock = baton, .threads = baton, .client = client}; }
  void rest(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  Deadline soon() const { return Deadline::in(baton, 1min); }
  void hold_by_another() {
    api::Lease lease;
    lease.metadata.namespace_ = Text("default");
    lease.metadata.name = Text("core");
    lease.spec.holder_identity = Text("another");
    lease.spec.lease_duration_seconds = 3600;
    ASSERT_TRUE(kube::create(server, lease, {}, soon()));
  }
};

// A process that stands for election again and again, as if it were restarted whenever it loses.
class Candidate {
 public:
  Candidate(LeaderFixture& stage, std::string name)
      : stage_(stage),
        name_(std::move(name)),
        thread_(stage.baton.spawn(name_, [this](const std::stop_token& stop) {
          while (!stop.stop_requested()) stand(stop);
        })) {}

  bool leading() const { return leader_ != nullptr && leader_->leading(); }
  int terms() const { return terms_; }

 private:
  void stand(const std::stop_token& stop) {
    Signal lost("loss of leadership");
    bool over = false;
    Leader leader(stage_.deps(), options(name_), [&] {
      over = true;
      lost.notify();
    });
    leader_ = &leader;
    leader.start();
    if (leader.wait_until_leading(Deadline::never(stop)) == Woken::Notified) ++terms_;
    stage_.baton.wait_until(lost, Deadline::never(stop), [&] { return over; });
    leader.stop();
    leader_ = nullptr;
  }

  LeaderFixture& stage_;
  const std::string name_;
  const Leader* leader_ = nullptr;  // one thread at a time runs: no lock
  int terms_ = 0;
  std::unique_ptr<Thread> thread_;
};

TEST(Leader, ThereAreNeverTwoWhateverTheNetworkDoes) {
  int terms = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Baton baton({.seed = seed});
    const auto report = baton.run([&] {
      LeaderFixture stage(baton);
      static constexpr std::array kFaults = {Fault::Unavailable, Fault::LostReply, Fault::Timeout,
                                             Fault::Slow, Fault::Conflict};
      stage.fault = [&] { return baton.draw(100) < 40 ? kFaults[baton.draw(kFaults.size())] : Fault::None; };
      std::array<std::unique_ptr<Candidate>, 3> candidates;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        candidates[i] = std::make_unique<Candidate>(stage, "candidate-" + std::to_string(i));
      }
      const auto leaders = [&] {
        return std::ranges::count_if(candidates, [](const auto& candidate) { return candidate->leading(); });
      };

      for (int i = 0; i < 800; ++i) {
        ASSERT_LE(leaders(), 1) << "seed " << seed;
        stage.rest(250ms);
      }
      stage.fault = [] { return Fault::None; };
      stage.rest(1min);

      EXPECT_EQ(leaders(), 1) << "once the network is calm somebody leads, seed " << seed;
      for (const auto& candidate : candidates) terms += candidate->terms();
    });
    ASSERT_TRUE(report.finished()) << report.why;
  }
  EXPECT_GT(terms, 60) << "leadership should have moved";
}

TEST(Leader, StoppingLetsTheNextOneInAtOnce) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    Leader first(stage.deps(), options("a"), [] {});
    Leader second(stage.deps(), options("b"), [] {});
    first.start();
    ASSERT_EQ(first.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);
    second.start();
    stage.rest(30s);
    EXPECT_FALSE(second.leading());

    first.stop();
    const SteadyTime released = baton.steady_now();

    ASSERT_EQ(second.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);
    EXPECT_LE(baton.steady_now() - released, 10ms);
    EXPECT_FALSE(first.leading());
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Leader, HasNoProblemOnceItLeadsOrSeesAnotherLead) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    stage.fault = [] { return Fault::Unavailable; };
    Leader first(stage.deps(), options("a"), [] {});
    Leader second(stage.deps(), options("b"), [] {});
    EXPECT_EQ(first.problem(), "the lease has not been read yet");
    first.start();
    stage.rest(5s);
    EXPECT_NE(first.problem(), std::nullopt);

    stage.fault = [] { return Fault::None; };
    ASSERT_EQ(first.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);
    second.start();
    stage.rest(5s);

    EXPECT_EQ(first.problem(), std::nullopt);
    EXPECT_FALSE(second.leading());
    EXPECT_EQ(second.problem(), std::nullopt);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Leader, ALeaseThatIsDeletedIsMadeAgainAtOnce) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    stage.hold_by_another();
    Leader next(stage.deps(), options("b"), [] {});
    next.start();
    stage.rest(5s);
    const SteadyTime deleted = baton.steady_now();

    ASSERT_TRUE(stage.server.remove(kube::resource_of<api::Lease>(), options("b").lease, {}, stage.soon()));

    ASSERT_EQ(next.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);
    EXPECT_LE(baton.steady_now() - deleted, 10ms);
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

// How long after the lease of a leader that crashed `after` its start had run out.
Nanoseconds takeover_delay(Baton& baton, LeaderFixture& stage, LeaderDeps standby, Nanoseconds after) {
  const auto process = baton.spawn_process("a", [&](const std::stop_token& stop) {
    Leader leader(stage.deps(), options("a"), [] {});
    leader.start();
    baton.pause(Deadline::never(stop));
  });
  stage.rest(3s);
  Leader next(standby, options("b"), [] {});
  next.start();
  stage.rest(after);
  baton.crash("a");
  process->join();
  const auto lease = kube::get<api::Lease>(stage.server, options("a").lease, stage.soon());
  EXPECT_EQ(next.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);
  return baton.now() - lease->spec.renew_time.wall() - 15s;
}

TEST(Leader, ACrashedLeaderIsReplacedTheMomentItsLeaseRunsOut) {
  for (int quarters = 0; quarters < 16; ++quarters) {
    Baton baton({.seed = 5});
    const auto report = baton.run([&] {
      LeaderFixture stage(baton);

      const Nanoseconds delay = takeover_delay(baton, stage, stage.deps(), 5s + 250ms * quarters);

      EXPECT_GE(delay, 0s) << quarters;
      EXPECT_LE(delay, 10ms) << quarters;
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
}

TEST(Leader, AStandbyThatMayNotWatchTakesOverALittleLater) {
  for (int quarters = 0; quarters < 16; ++quarters) {
    Baton baton({.seed = 5});
    const auto report = baton.run([&] {
      LeaderFixture stage(baton);
      fakes::FaultyClient blind(stage.server, baton, baton, {.choose = [](const FaultPoint& point) {
                                  const bool streams = point.call == fakes::Call::ListStream;
                                  return streams ? Fault::Unavailable : Fault::None;
                                }});
      const LeaderDeps deps{.clock = baton, .threads = baton, .client = blind};

      const Nanoseconds delay = takeover_delay(baton, stage, deps, 5s + 250ms * quarters);

      EXPECT_GE(delay, 0s) << quarters;
      EXPECT_LE(delay, ElectionTimes{}.retry_period + 10ms) << quarters;
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
}

TEST(Leader, AStandbyAsksForNothingButItsWatchWhileTheLeaderLives) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    Leader first(stage.deps(), options("a"), [] {});
    first.start();
    stage.rest(3s);
    fakes::FaultyClient client(stage.server, baton, baton, {});
    Leader second({.clock = baton, .threads = baton, .client = client}, options("b"), [] {});
    second.start();

    stage.rest(10min);

    EXPECT_EQ(client.calls(fakes::Call::Read), 1);
    EXPECT_EQ(client.calls(fakes::Call::ListStream), 1);
    EXPECT_LE(client.calls(fakes::Call::Watch), 3);
    EXPECT_FALSE(second.leading());
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Leader, AStandbyOfAnotherVersionSaysSoOnce) {
  Baton baton({.seed = 5});
  fakes::CollectingSink sink;
  const Log log(sink, baton);
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    LeaderOptions older = options("a");
    older.version = "1.0.0";
    Leader first(stage.deps(), older, [] {});
    first.start();
    stage.rest(3s);
    LeaderOptions newer = options("b");
    newer.version = "2.0.0";
    Leader second({.clock = baton, .threads = baton, .client = stage.client, .log = log}, newer, [] {});
    second.start();

    stage.rest(1min);

    EXPECT_EQ(sink.count("waiting for the lease, which another version holds"), 1U);
    EXPECT_EQ(sink.count("version=1.0.0 ours=2.0.0"), 1U);
    EXPECT_FALSE(second.leading());
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

TEST(Leader, ALeaderThatCannotRenewStepsDownBeforeItsLeaseIsOver) {
  Baton baton({.seed = 5});
  const auto report = baton.run([&] {
    LeaderFixture stage(baton);
    bool told = false;
    Leader leader(stage.deps(), options("a"), [&] { told = true; });
    leader.start();
    ASSERT_EQ(leader.wait_until_leading(Deadline::in(baton, 1min)), Woken::Notified);

    stage.fault = [] { return Fault::Unavailable; };
    stage.rest(13s);

    EXPECT_TRUE(told);
    EXPECT_FALSE(leader.leading());
  });
  EXPECT_TRUE(report.finished()) << report.why;
}

}  // namespace
}  // namespace capstan::runtime
