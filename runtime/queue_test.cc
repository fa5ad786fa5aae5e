#include "runtime/queue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

#include "test/fakes/baton.h"
#include "test/fakes/fake_clock.h"

namespace capstan::runtime {
namespace {

using fakes::Baton;
using fakes::FakeClock;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

// Notes for how long a worker wants to sleep, and lets the time pass at once.
class Dozer final : public Threads {
 public:
  explicit Dozer(FakeClock& clock) : clock_(clock) {}

  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    return clock_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal&, std::uint64_t, const Deadline& deadline) override {
    sleeps.push_back(deadline.at - clock_.steady_now());
    clock_.advance(sleeps.back());
    return Woken::TimedOut;
  }
  void switch_point(std::string_view) override {}

  std::vector<Nanoseconds> sleeps = {};

 private:
  FakeClock& clock_;
};

ObjectKey key(std::string name) { return {.namespace_ = "fleet", .name = std::move(name)}; }

// The next key without waiting; empty when there is none.
std::string next(Queue& queue, FakeClock& clock) {
  const auto taken = queue.take(Deadline::in(clock, 0s));
  return taken ? taken->key.name : "";
}

// All that can be taken now, in order; each is finished at once.
std::vector<std::string> drain(Queue& queue, FakeClock& clock) {
  std::vector<std::string> names;
  while (auto taken = queue.take(Deadline::in(clock, 0s))) {
    names.push_back(taken->key.name);
    queue.finish(taken->key, {});
  }
  return names;
}

TEST(Queue, AKeyAddedTwiceIsTakenOnce) {
  FakeClock clock;
  Queue queue(clock, clock, {});

  queue.add(key("a"));
  queue.add(key("b"));
  queue.add(key("a"));

  EXPECT_THAT(drain(queue, clock), ElementsAre("a", "b"));
  EXPECT_EQ(queue.counts().adds, 2U);
}

TEST(Queue, WhatIsRunningIsHeldAndComesAgain) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.add(key("a"));
  EXPECT_EQ(next(queue, clock), "") << "two workers would hold one key";
  queue.finish(key("a"), {});

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, WhatNobodyAskedForAgainIsForgotten) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {});

  EXPECT_EQ(next(queue, clock), "");
  EXPECT_THAT(queue.keys(10), IsEmpty());
}

TEST(Queue, ADelayedKeyComesWhenItIsDueAndNotBefore) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add_after(key("a"), 20s);

  clock.advance(20s - 1ns);
  EXPECT_EQ(next(queue, clock), "");
  clock.advance(1ns);

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, OfTwoTimesTheEarlierWins) {
  FakeClock clock;
  Queue queue(clock, clock, {});

  queue.add_after(key("a"), 20s);
  queue.add_after(key("a"), 5s);
  queue.add_after(key("a"), 60s);
  clock.advance(5s);

  EXPECT_EQ(next(queue, clock), "a");
  queue.finish(key("a"), {});
  clock.advance(60s);
  EXPECT_EQ(next(queue, clock), "") << "the later times were part of the same request";
}

TEST(Queue, AnEventWhileRunningComesBeforeTheDelayTheTurnAskedFor) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.add(key("a"));
  queue.finish(key("a"), {.after = 10min});

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, FirstEventActsAtOnceAndTheNextOnesAreGathered) {
  FakeClock clock;
  Queue queue(clock, clock, {.pace = 1s});
  queue.add(key("a"));
  EXPECT_THAT(drain(queue, clock), ElementsAre("a"));

  for (int i = 0; i < 9; ++i) {
    clock.advance(100ms);
    queue.add(key("a"));
    EXPECT_EQ(next(queue, clock), "");
  }
  clock.advance(100ms);

  EXPECT_THAT(drain(queue, clock), ElementsAre("a"));
}

TEST(Queue, ThePaceOfOneKeyDoesNotHoldAnother) {
  FakeClock clock;
  Queue queue(clock, clock, {.pace = 1s});
  queue.add(key("a"));
  EXPECT_THAT(drain(queue, clock), ElementsAre("a"));

  queue.add(key("a"));
  queue.add(key("b"));

  EXPECT_THAT(drain(queue, clock), ElementsAre("b"));
}

TEST(Queue, ThePaceIsForgottenOnceItHasPassed) {
  FakeClock clock;
  Queue queue(clock, clock, {.pace = 1s});
  queue.add(key("a"));
  drain(queue, clock);
  clock.advance(1s);

  queue.add(key("a"));

  EXPECT_THAT(drain(queue, clock), ElementsAre("a"));
}

TEST(Queue, NobodyWakesForEachPaceThatIsForgotten) {
  FakeClock clock;
  clock.advance(std::chrono::ceil<std::chrono::seconds>(clock.steady_now()) - clock.steady_now());
  Dozer threads(clock);
  Queue queue(clock, threads, {.pace = 100ms});
  for (const char* name : {"a", "b", "c", "d"}) {
    queue.add(key(name));
    drain(queue, clock);
    clock.advance(50ms);
  }
  threads.sleeps.clear();

  EXPECT_FALSE(queue.take(Deadline::in(clock, 10s)));

  EXPECT_THAT(threads.sleeps, ElementsAre(800ms, 9200ms));
}

TEST(Queue, AShorterReturnIsRaisedToThePace) {
  FakeClock clock;
  Queue queue(clock, clock, {.pace = 1s});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {.after = 10ms});
  clock.advance(999ms);
  EXPECT_EQ(next(queue, clock), "");
  clock.advance(1ms);

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, AQuietKeyIgnoresEventsUntilItsTime) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {.quiet = 20s});
  queue.add(key("a"));
  clock.advance(19s);
  EXPECT_EQ(next(queue, clock), "");
  clock.advance(1s);

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, FailuresBackOffTwiceAsLongEachTime) {
  FakeClock clock;
  Queue queue(clock, clock, {.backoff = {.initial = 5ms, .cap = 30ms}});
  queue.add(key("a"));

  std::vector<Nanoseconds> waits;
  for (int i = 0; i < 5; ++i) {
    const SteadyTime before = clock.steady_now();
    while (next(queue, clock).empty()) clock.advance(1ms);
    waits.push_back(clock.steady_now() - before);
    queue.finish(key("a"), {.failed = true});
  }

  EXPECT_THAT(waits, ElementsAre(0ms, 5ms, 10ms, 20ms, 30ms));
}

TEST(Queue, SuccessForgetsTheFailures) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");
  queue.finish(key("a"), {.failed = true});
  clock.advance(5ms);
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {.after = 1s});
  clock.advance(1s);

  const auto taken = queue.take(Deadline::in(clock, 0s));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->failures, 0U);
}

TEST(Queue, AServersRetryAfterIsHonouredWhenLongerThanTheBackoff) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {.failed = true, .after = 7s});
  clock.advance(6s);
  EXPECT_EQ(next(queue, clock), "");
  clock.advance(1s);

  EXPECT_EQ(next(queue, clock), "a");
}

TEST(Queue, ASkippedTurnCostsNeitherPaceNorForgetsFailures) {
  FakeClock clock;
  Queue queue(clock, clock, {.pace = 1s});
  queue.add(key("a"));
  ASSERT_EQ(next(queue, clock), "a");
  queue.finish(key("a"), {.failed = true});
  clock.advance(1s);
  ASSERT_EQ(next(queue, clock), "a");

  queue.finish(key("a"), {.after = 100ms, .skipped = true});
  clock.advance(100ms);

  const auto taken = queue.take(Deadline::in(clock, 0s));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->failures, 1U);
}

TEST(Queue, WhatHappensNowGoesBeforeAnInitialList) {
  FakeClock clock;
  Queue queue(clock, clock, {});

  queue.add(key("listed"), Priority::Low);
  queue.add(key("event"));
  queue.add(key("urgent"), Priority::High);

  EXPECT_THAT(drain(queue, clock), ElementsAre("urgent", "event", "listed"));
}

TEST(Queue, AnEventRaisesAKeyOfTheInitialList) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"), Priority::Low);
  queue.add(key("b"), Priority::Low);

  queue.add(key("b"));

  EXPECT_THAT(drain(queue, clock), ElementsAre("b", "a"));
}

TEST(Queue, EvenABusyDayGivesTheInitialListATurnInSixteen) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("listed"), Priority::Low);
  for (int i = 0; i < 100; ++i) queue.add(key("event-" + std::to_string(i)));

  const auto order = drain(queue, clock);

  EXPECT_EQ(std::ranges::find(order, "listed") - order.begin(), 15);
}

TEST(Queue, NamespacesTakeTurns) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  for (const char* name : {"1", "2", "3", "4"}) queue.add({.namespace_ = "large", .name = name});
  queue.add({.namespace_ = "small", .name = "5"});

  EXPECT_THAT(drain(queue, clock), ElementsAre("1", "5", "2", "3", "4"));
}

TEST(Queue, LanesMayBeChosenByCluster) {
  FakeClock clock;
  Queue queue(clock, clock, {.lane = [](const ObjectKey& k) { return static_cast<std::size_t>(k.name[0]); }});
  for (const char* name : {"a1", "a2", "a3", "b1"}) queue.add(key(name));

  EXPECT_THAT(drain(queue, clock), ElementsAre("a1", "b1", "a2", "a3"));
}

TEST(Queue, KeysForPeopleTellWhereEachStands) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("running"));
  ASSERT_EQ(next(queue, clock), "running");
  queue.add(key("running"));
  queue.add_after(key("later"), 30s);
  queue.add(key("ready"));
  clock.advance(2s);

  const auto keys = queue.keys(10);

  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0].key.name, "running");
  EXPECT_TRUE(keys[0].again);
  EXPECT_EQ(keys[0].span, 2s);
  EXPECT_EQ(keys[1].key.name, "ready");
  EXPECT_EQ(keys[2].key.name, "later");
  EXPECT_EQ(keys[2].span, 28s);
  EXPECT_EQ(queue.keys(1).size(), 1U);
}

TEST(Queue, AClosedQueueGivesNothing) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  queue.add(key("a"));

  queue.close();

  EXPECT_EQ(next(queue, clock), "");
}

// Workers that each need a second for a key, under every schedule: nothing is lost, nothing runs twice at
// once, and time is used as if every idle worker were woken for every key.
TEST(Queue, ManyWorkersShareTheWorkWithoutLosingOrDoublingAny) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Baton baton({.seed = seed});
    std::map<std::string, int> done;
    std::map<std::string, int> running;

    const auto report = baton.run([&] {
      Queue queue(baton, baton, {.pace = 500ms});
      std::vector<std::unique_ptr<Thread>> workers;
      for (int w = 0; w < 4; ++w) {
        workers.push_back(baton.spawn("worker", [&](const std::stop_token& stop) {
          while (const auto taken = queue.take(Deadline::never(stop))) {
            EXPECT_EQ(++running[taken->key.name], 1);
            baton.pause(Deadline::in(baton, 1s));
            --running[taken->key.name];
            ++done[taken->key.name];
            const bool first = done[taken->key.name] == 1;
            queue.finish(taken->key, first ? Next{.after = 10s} : Next{});
          }
        }));
      }
      for (int i = 0; i < 8; ++i) {
        queue.add(key("now-" + std::to_string(i)));
        queue.add_after(key("later-" + std::to_string(i)), std::chrono::seconds(i + 1));
      }
      baton.pause(Deadline::in(baton, 25s));
      queue.close();
    });

    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
    ASSERT_EQ(done.size(), 16U) << "seed " << seed;
    for (const auto& [name, times] : done) EXPECT_EQ(times, 2) << name << ", seed " << seed;
  }
}

TEST(Queue, AnIdleWorkerLeavesWhenItIsToldToStop) {
  FakeClock clock;
  Queue queue(clock, clock, {});
  bool returned = false;

  {
    const auto worker = clock.spawn("worker", [&](const std::stop_token& stop) {
      returned = !queue.take(Deadline::never(stop)).has_value();
    });
    ASSERT_TRUE(clock.await_waiting(1));
  }

  EXPECT_TRUE(returned);
}

TEST(Queue, AWorkerThatLeavesHandsItsCallOn) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Baton baton({.seed = seed});
    int taken = 0;

    const auto report = baton.run([&] {
      Queue queue(baton, baton, {});
      auto leaving = baton.spawn("leaving", [&](const std::stop_token& stop) {
        if (queue.take(Deadline::never(stop))) ++taken;
      });
      const auto staying = baton.spawn("staying", [&](const std::stop_token& stop) {
        if (queue.take(Deadline::in(baton, 1h, stop))) ++taken;
      });
      baton.pause(Deadline::in(baton, 1s));
      queue.add(key("a"));
      leaving->request_stop();
      leaving->join();
      baton.pause(Deadline::in(baton, 1s));
    });

    ASSERT_TRUE(report.finished()) << report.why;
    ASSERT_EQ(taken, 1) << "seed " << seed;
  }
}

TEST(Queue, LetsGoWhoWaitsInVainButTheTimeIsKept) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Baton baton({.seed = seed});
    int gone = 0;
    std::vector<Nanoseconds> taken;

    const auto report = baton.run([&] {
      Queue queue(baton, baton, {});
      const SteadyTime begin = baton.steady_now();
      std::vector<std::unique_ptr<Thread>> workers;
      for (int w = 0; w < 5; ++w) {
        workers.push_back(baton.spawn("worker", [&](const std::stop_token& stop) {
          while (const auto work = queue.take(Deadline::never(stop), 10s)) {
            taken.push_back(baton.steady_now() - begin);
            queue.finish(work->key, {});
          }
          ++gone;
        }));
      }
      queue.add_after(key("a"), 60s);
      queue.add_after(key("b"), 90s);
      baton.pause(Deadline::in(baton, 30s));
      EXPECT_EQ(gone, 3) << "two stay";
      baton.pause(Deadline::in(baton, 120s));
      EXPECT_EQ(gone, 3);
      queue.close();
    });

    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
    EXPECT_THAT(taken, ElementsAre(60s, 90s)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace capstan::runtime
