#include "runtime/controller.h"

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>

#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"
#include "test/fakes/scripted_client.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using testing::HasSubstr;
using namespace std::chrono_literals;

ObjectKey key(std::string name) { return {.namespace_ = "fleet", .name = std::move(name)}; }

struct Scripted final : Reconciler {
  std::function<Result<Outcome>(const Context&, const ObjectKey&)> script;
  explicit Scripted(decltype(script) what) : script(std::move(what)) {}
  Result<Outcome> reconcile(const Context& context, const ObjectKey& k) override {
    return script(context, k);
  }
};

// A cache whose version a test sets.
struct HandCache final : Observed {
  std::uint64_t seen = 0;
  std::string_view kind() const override { return "Machine"; }
  bool synced() const override { return true; }
  api::ResourceVersion version() const override { return api::ResourceVersion(seen); }
  std::uint64_t epoch() const override { return 0; }
  std::optional<ObservedObject> look(const ObjectKey&) const override { return std::nullopt; }
  std::optional<Unreadable> unreadable(const ObjectKey&) const override { return std::nullopt; }
  std::vector<Unreadable> unreadable_in(std::string_view) const override { return {}; }
  std::size_t size() const override { return 0; }
  std::vector<ObjectKey> slice(std::size_t, std::size_t) const override { return {}; }
};

// Everything a controller needs, under a baton.
struct RuntimeControllerFixture {
  Baton baton;
  SeededRandomness randomness{1};
  fakes::ScriptedClient client;
  fakes::CollectingSink sink;
  Metrics metrics;

  explicit RuntimeControllerFixture(std::uint64_t seed = 1) : baton({.seed = seed}) {}
  ControllerDeps deps() {
    return {.clock = baton,
            .threads = baton,
            .client = client,
            .randomness = randomness,
            .log = Log(sink, baton, {.levels = {.all = Level::Debug}}),
            .metrics = &metrics};
  }
  bool counts(std::string_view series) const {
    return metrics.text().find(std::string(series) + "\n") != std::string::npos;
  }
  void sleep(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
};

const ControllerOptions kMachine = {.name = "machine", .kind = "Machine", .queue = {}};

TEST(Controller, ReconcilesWhatIsQueued) {
  RuntimeControllerFixture stage;
  std::vector<std::string> seen;
  Scripted reconciler([&](const Context&, const ObjectKey& k) {
    seen.push_back(k.name);
    return Outcome::done();
  });

  const auto report = stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    controller.queue().add(key("b"));
    stage.sleep(1s);
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_THAT(seen, testing::UnorderedElementsAre("a", "b"));
}

TEST(Controller, AnOutcomeAfterComesBackThen) {
  RuntimeControllerFixture stage;
  std::vector<SteadyTime> turns;
  Scripted reconciler([&](const Context&, const ObjectKey&) {
    turns.push_back(stage.baton.steady_now());
    return turns.size() == 1 ? Outcome::after(20s) : Outcome::done();
  });

  stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(1min);
  });

  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[1] - turns[0], 20s);
}

TEST(Controller, AnErrorBacksOffAndIsLoggedOnceWithItsReason) {
  RuntimeControllerFixture stage;
  int turns = 0;
  Scripted reconciler([&](const Context&, const ObjectKey&) -> Result<Outcome> {
    if (++turns < 3) return fail(Code::Forbidden, "create machine: no");
    return Outcome::done();
  });

  stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(1s);
  });

  EXPECT_EQ(turns, 3);
  EXPECT_EQ(stage.sink.count("create machine: no"), 2U);
  EXPECT_THAT(stage.sink.first("create machine: no"), HasSubstr("fleet/a"));
}

TEST(Controller, AnExceptionBecomesAnErrorAndTheWorkerGoesOn) {
  RuntimeControllerFixture stage;
  int turns = 0;
  Scripted reconciler([&](const Context&, const ObjectKey&) -> Result<Outcome> {
    if (++turns == 1) throw std::out_of_range("no such index");
    return Outcome::done();
  });

  const auto report = stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(1s);
    EXPECT_TRUE(stage.counts("controller_runtime_reconcile_panics_total{controller=\"machine\"} 1"));
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_EQ(turns, 2);
  EXPECT_EQ(stage.sink.count("std::out_of_range thrown: no such index"), 1U);
}

TEST(Controller, ASimulatedCrashPassesTheBoundary) {
  RuntimeControllerFixture stage;
  Scripted reconciler([&](const Context&, const ObjectKey&) -> Result<Outcome> {
    stage.baton.crash("manager");
    return Outcome::done();
  });

  const auto report = stage.baton.run([&] {
    const auto manager = stage.baton.spawn_process("manager", [&](const std::stop_token&) {
      Controller controller(stage.deps(), kMachine, reconciler);
      controller.start();
      controller.queue().add(key("a"));
      stage.sleep(1h);
      ADD_FAILURE() << "the process survived";
    });
    manager->join();
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_EQ(stage.sink.count("thrown"), 0U);
}

TEST(Controller, OneKeyIsNeverWorkedOnTwiceAtOnce) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RuntimeControllerFixture stage(seed);
    int inside = 0;
    int turns = 0;
    Scripted reconciler([&](const Context&, const ObjectKey&) {
      EXPECT_EQ(++inside, 1) << "seed " << seed;
      stage.sleep(1s);
      --inside;
      ++turns;
      return Outcome::done();
    });

    stage.baton.run([&] {
      Controller controller(stage.deps(), kMachine, reconciler);
      controller.start();
      for (int i = 0; i < 10; ++i) {
        controller.queue().add(key("a"));
        stage.sleep(300ms);
      }
      stage.sleep(5s);
    });

    EXPECT_GE(turns, 3);
  }
}

TEST(Controller, WorkersAreStartedAsLoadAsksUpToTheLimit) {
  RuntimeControllerFixture stage;
  std::size_t after_one = 0;
  std::size_t after_many = 0;
  int most = 0;
  int inside = 0;
  Scripted reconciler([&](const Context&, const ObjectKey&) {
    most = std::max(most, ++inside);
    stage.sleep(1s);
    --inside;
    return Outcome::done();
  });

  stage.baton.run([&] {
    ControllerOptions options = kMachine;
    options.concurrency = 3;
    Controller controller(stage.deps(), options, reconciler);
    controller.start();
    stage.sleep(1s);
    after_one = controller.workers();
    for (int i = 0; i < 10; ++i) controller.queue().add(key("k" + std::to_string(i)));
    stage.sleep(10s);
    after_many = controller.workers();
  });

  EXPECT_EQ(after_one, 1U);
  EXPECT_EQ(after_many, 3U);
  EXPECT_EQ(most, 3);
}

TEST(Controller, WorkersWithoutWorkEndAndAreStartedAgainWhenThereIsSome) {
  RuntimeControllerFixture stage;
  std::size_t busy = 0;
  std::size_t just_idle = 0;
  std::size_t long_idle = 0;
  std::size_t busy_again = 0;
  int turns = 0;
  Scripted reconciler([&](const Context&, const ObjectKey&) {
    ++turns;
    stage.sleep(1s);
    return Outcome::done();
  });

  stage.baton.run([&] {
    ControllerOptions options = kMachine;
    options.concurrency = 3;
    options.patience = 30s;
    Controller controller(stage.deps(), options, reconciler);
    controller.start();
    const auto load = [&] {
      for (int i = 0; i < 9; ++i) controller.queue().add(key("k" + std::to_string(i)));
      stage.sleep(10s);
      return controller.workers();
    };
    busy = load();
    stage.sleep(10s);
    just_idle = controller.workers();
    stage.sleep(5min);
    long_idle = controller.workers();
    busy_again = load();
  });

  EXPECT_EQ(busy, 3U);
  EXPECT_EQ(just_idle, 3U);
  EXPECT_EQ(long_idle, 2U) << "one for the next key, one for the time";
  EXPECT_EQ(busy_again, 3U);
  EXPECT_EQ(turns, 18) << "no turn is lost when workers come and go";
}

// What a load has left half empty can be given back then.
TEST(Controller, SaysOnceThatALoadIsOver) {
  RuntimeControllerFixture stage;
  int over = 0;
  std::vector<int> counts;
  Scripted reconciler([&](const Context&, const ObjectKey&) {
    stage.sleep(1s);
    return Outcome::done();
  });

  stage.baton.run([&] {
    ControllerDeps deps = stage.deps();
    deps.after_load = [&] { ++over; };
    Controller controller(deps, kMachine, reconciler);
    controller.start();
    const auto load = [&](int keys) {
      for (int i = 0; i < keys; ++i) controller.queue().add(key("k" + std::to_string(i)));
      stage.sleep(10s);
      counts.push_back(over);
      stage.sleep(5min);
      counts.push_back(over);
    };
    load(9);
    load(3);
    load(9);
  });

  EXPECT_THAT(counts, testing::ElementsAre(0, 1, 1, 1, 1, 2)) << "three workers are no load";
}

TEST(Controller, WaitsUntilTheCacheHasSeenWhatItWrote) {
  RuntimeControllerFixture stage;
  HandCache cache;
  std::vector<Nanoseconds> turns;
  Controller* running = nullptr;
  Scripted reconciler([&](const Context& context, const ObjectKey& k) {
    EXPECT_TRUE(context.fresh);
    turns.push_back(stage.baton.steady_now().time_since_epoch() - 1h);
    if (turns.size() == 1) running->consistency().wrote(k, cache, api::ResourceVersion(7));
    return Outcome::after(1ms);
  });

  stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    running = &controller;
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(350ms);
    cache.seen = 7;
    stage.sleep(100ms);
    controller.stop();
    EXPECT_TRUE(stage.counts(
        "capi_reconcile_stale_cache_skips_total{cached_kind=\"Machine\",controller=\"machine\"} 4"))
        << stage.metrics.text();
  });

  ASSERT_GE(turns.size(), 2U);
  EXPECT_EQ(turns[1], 401ms) << "every 100 ms it looks whether the cache has come";
}

TEST(Controller, PastTheBoundItMayReportButIsToldNotToAct) {
  RuntimeControllerFixture stage;
  HandCache cache;
  std::string stale;
  Controller* running = nullptr;
  Scripted reconciler([&](const Context& context, const ObjectKey& k) {
    if (context.fresh) running->consistency().wrote(k, cache, api::ResourceVersion(7));
    if (stale.empty()) stale = context.stale;
    return Outcome::after(1s);
  });

  stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    running = &controller;
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(29s);
    EXPECT_EQ(stale, "");
    stage.sleep(3s);
    EXPECT_TRUE(stage.counts(
        "capstan_reconcile_overdue_cache_total{cached_kind=\"Machine\",controller=\"machine\"} 2"))
        << stage.metrics.text();
  });

  EXPECT_EQ(stale, "Machine: our last write is not in the cache yet");
}

TEST(Controller, CountsUnderUpstreamsNames) {
  RuntimeControllerFixture stage;
  Scripted reconciler([&](const Context&, const ObjectKey& k) -> Result<Outcome> {
    if (k.name == "late") return Outcome::after(1h);
    if (k.name == "bad") return fail(Code::Invalid, "no");
    return Outcome::done();
  });

  stage.baton.run([&] {
    ControllerOptions options = kMachine;
    options.queue.backoff.initial = 1h;
    Controller controller(stage.deps(), options, reconciler);
    controller.start();
    for (const char* name : {"good", "late", "bad"}) controller.queue().add(key(name));
    stage.sleep(1s);
    controller.refresh_metrics();

    for (const char* series :
         {"controller_runtime_reconcile_total{controller=\"machine\",result=\"success\"} 1",
          "controller_runtime_reconcile_total{controller=\"machine\",result=\"requeue_after\"} 1",
          "controller_runtime_reconcile_total{controller=\"machine\",result=\"error\"} 1",
          "capi_reconcile_total{controller=\"machine\",result=\"requeue\"} 0",
          "controller_runtime_reconcile_errors_total{controller=\"machine\"} 1",
          "controller_runtime_max_concurrent_reconciles{controller=\"machine\"} 10",
          "controller_runtime_reconcile_time_seconds_count{controller=\"machine\"} 3",
          "controller_runtime_active_workers{controller=\"machine\"} 0",
          "workqueue_adds_total{controller=\"machine\",name=\"machine\"} 5",
          "workqueue_retries_total{controller=\"machine\",name=\"machine\"} 1",
          "workqueue_depth{controller=\"machine\",name=\"machine\",priority=\"normal\"} 0",
          "workqueue_work_duration_seconds_count{controller=\"machine\",name=\"machine\"} 3",
          "workqueue_queue_duration_seconds_count{controller=\"machine\",name=\"machine\"} 3"}) {
      EXPECT_TRUE(stage.counts(series)) << series << "\n" << stage.metrics.text();
    }
  });
}

TEST(Controller, StopTellsTurnsInProgressAndWaitsForThem) {
  RuntimeControllerFixture stage;
  bool ended = false;
  Scripted reconciler([&](const Context& context, const ObjectKey&) -> Result<Outcome> {
    stage.baton.pause(context.deadline);
    ended = context.deadline.stopped();
    return fail(Code::Cancelled, "stopped");
  });

  const auto report = stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(1s);
    controller.stop();
    EXPECT_TRUE(ended);
  });

  EXPECT_EQ(report.elapsed, 1s);
}

TEST(Controller, ATurnHasAMinute) {
  RuntimeControllerFixture stage;
  Scripted reconciler([&](const Context& context, const ObjectKey&) -> Result<Outcome> {
    stage.baton.pause(context.deadline);
    return fail(Code::Timeout, "slow");
  });

  stage.baton.run([&] {
    Controller controller(stage.deps(), kMachine, reconciler);
    controller.start();
    controller.queue().add(key("a"));
    stage.sleep(59s);
    ASSERT_EQ(controller.turns().size(), 1U);
    EXPECT_EQ(controller.turns()[0].running, 59s);
    stage.sleep(1001ms);
    EXPECT_TRUE(stage.counts("controller_runtime_reconcile_timeouts_total{controller=\"machine\"} 1"));
  });
}

}  // namespace
}  // namespace capstan::runtime
