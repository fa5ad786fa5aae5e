#include "test/fakes/baton.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/guarded.h"

namespace capstan::fakes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

// Three threads that pass a few seams each; the order in which they did.
std::string race(std::uint64_t seed, RunReport* report = nullptr) {
  std::string order;
  Baton baton({.seed = seed});
  const RunReport ran = baton.run([&] {
    std::vector<std::unique_ptr<Thread>> threads;
    for (const char name : {'a', 'b', 'c'}) {
      threads.push_back(baton.spawn(std::string(1, name), [&, name](const std::stop_token&) {
        for (int i = 0; i < 5; ++i) {
          order += name;  // no lock: only the holder of the baton runs
          baton.switch_point("step");
        }
      }));
    }
    for (auto& thread : threads) thread->join();
  });
  if (report != nullptr) *report = ran;
  return order;
}

TEST(Baton, SameSeedReplaysTheSameRun) {
  RunReport first;
  RunReport second;

  const std::string one = race(7, &first);
  const std::string two = race(7, &second);

  EXPECT_EQ(one, two);
  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.switches, second.switches);
  EXPECT_TRUE(first.finished());
}

TEST(Baton, OtherSeedsReachOtherInterleavings) {
  std::vector<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) orders.push_back(race(seed));

  std::ranges::sort(orders);
  const auto repeated = std::ranges::unique(orders);
  orders.erase(repeated.begin(), repeated.end());

  EXPECT_GT(orders.size(), 30U);
}

TEST(Baton, TimeJumpsToTheNextDeadlineWhenAllWait) {
  Baton baton({.seed = 1});
  std::vector<std::string> woken;
  const auto sleeper = [&](const std::string& name, Nanoseconds span) {
    return baton.spawn(name, [&, name, span](const std::stop_token&) {
      EXPECT_EQ(baton.pause(Deadline::in(baton, span)), Woken::TimedOut);
      woken.push_back(name);
    });
  };

  const RunReport report = baton.run([&] {
    const auto late = sleeper("an hour", 1h);
    const auto soon = sleeper("a second", 1s);
    late->join();
  });

  EXPECT_THAT(woken, ElementsAre("a second", "an hour"));
  EXPECT_EQ(report.elapsed, 1h);
}

TEST(Baton, WallTimeMovesWithSteadyTime) {
  Baton baton({.seed = 1});
  Nanoseconds wall = {};

  baton.run([&] {
    const WallTime before = baton.now();
    baton.pause(Deadline::in(baton, 90s));
    wall = baton.now() - before;
  });

  EXPECT_EQ(wall, 90s);
}

TEST(Baton, NotifyWakesAWaiterBeforeItsDeadline) {
  Baton baton({.seed = 3});
  Signal changed("change");
  Woken woken = Woken::TimedOut;

  const RunReport report = baton.run([&] {
    const auto waiter = baton.spawn("waiter", [&, seen = changed.count()](const std::stop_token&) {
      woken = baton.wait(changed, seen, Deadline::in(baton, 1h));
    });
    changed.notify();
    waiter->join();
  });

  EXPECT_EQ(woken, Woken::Notified);
  EXPECT_EQ(report.elapsed, 0s);
}

TEST(Baton, StopWakesAWaiterNobodyNotifies) {
  Baton baton({.seed = 3});
  Signal never("never");
  Woken woken = Woken::TimedOut;

  baton.run([&] {
    const auto waiter = baton.spawn("waiter", [&](const std::stop_token& stop) {
      woken = baton.wait(never, never.count(), Deadline::never(stop));
    });
  });  // destroying the thread asks it to stop and joins it

  EXPECT_EQ(woken, Woken::Stopped);
}

TEST(Baton, DeadlockEndsTheRunAndNamesWhoWaitsForWhat) {
  Baton baton({.seed = 5});
  Signal reply("the reply");

  const RunReport report = baton.run([&] {
    const auto worker = baton.spawn(
        "worker 1", [&](const std::stop_token&) { baton.wait(reply, reply.count(), Deadline::never()); });
    worker->join();
  });

  EXPECT_EQ(report.end, RunReport::End::Deadlock);
  EXPECT_THAT(report.why, HasSubstr("world/worker 1 waits for the reply without a deadline"));
  EXPECT_THAT(report.why, HasSubstr("world/world joins worker 1"));
}

TEST(Baton, ARunThatGoesRoundInCirclesEnds) {
  Baton baton({.seed = 5, .max_switches = 1000});

  const RunReport report = baton.run([&] {
    for (;;) baton.switch_point("again");
  });

  EXPECT_EQ(report.end, RunReport::End::TooLong);
  EXPECT_THAT(report.why, HasSubstr("can go on at again"));
}

TEST(Baton, AnExceptionEndsTheRunWithItsMessage) {
  Baton baton({.seed = 5});

  const RunReport report = baton.run([&] {
    const auto thread =
        baton.spawn("worker", [&](const std::stop_token&) { throw std::runtime_error("no such key"); });
  });

  EXPECT_EQ(report.end, RunReport::End::Died);
  EXPECT_EQ(report.why, "thread worker died: no such key");
}

struct Witness {
  int& alive;
  explicit Witness(int& count) : alive(count) { ++alive; }
  ~Witness() { --alive; }
};

TEST(Baton, CrashUnwindsOneProcessWithItsThreadsAndLeavesTheOthers) {
  Baton baton({.seed = 11});
  int alive = 0;
  bool survived = false;

  const RunReport report = baton.run([&] {
    const auto other = baton.spawn_process("other", [&](const std::stop_token&) {
      baton.pause(Deadline::in(baton, 10s));
      survived = true;
    });
    const auto manager = baton.spawn_process("manager", [&](const std::stop_token&) {
      const Witness graph(alive);
      const auto worker = baton.spawn("worker", [&](const std::stop_token&) {
        const Witness stack(alive);
        baton.pause(Deadline::in(baton, 1h));
        ADD_FAILURE() << "went on after the crash";
      });
      baton.pause(Deadline::in(baton, 1h));
      ADD_FAILURE() << "went on after the crash";
    });
    baton.pause(Deadline::in(baton, 1s));
    EXPECT_EQ(alive, 2);
    baton.crash("manager");
    manager->join();
    EXPECT_EQ(alive, 0);
    EXPECT_FALSE(baton.alive("manager"));
    EXPECT_TRUE(baton.alive("other"));
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_TRUE(survived);
  EXPECT_EQ(report.elapsed, 10s);
}

TEST(Baton, AProcessMayCrashItselfAndBeStartedAgain) {
  Baton baton({.seed = 2});
  int starts = 0;

  const RunReport report = baton.run([&] {
    for (int i = 0; i < 2; ++i) {
      const auto manager = baton.spawn_process("manager", [&](const std::stop_token&) {
        ++starts;
        EXPECT_EQ(baton.process(), "manager");
        if (starts == 1) baton.crash("manager");
        EXPECT_EQ(starts, 2);
      });
      manager->join();
    }
  });

  EXPECT_TRUE(report.finished()) << report.why;
  EXPECT_EQ(starts, 2);
}

// A destructor that stops and joins, as every owner of a thread in runtime/ has.
class Owner {
 public:
  explicit Owner(Baton& baton)
      : thread_(baton.spawn("owned", [&baton](const std::stop_token& stop) {
          while (!stop.stop_requested()) baton.pause(Deadline::in(baton, 1s, stop));
        })) {}

 private:
  std::unique_ptr<Thread> thread_;
};

TEST(Baton, DestructorsMayJoinWhileACrashUnwinds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Baton baton({.seed = seed});

    const RunReport report = baton.run([&] {
      const auto manager = baton.spawn_process("manager", [&](const std::stop_token&) {
        const Owner first(baton);
        const Owner second(baton);
        baton.pause(Deadline::never());
      });
      baton.pause(Deadline::in(baton, 5s));
      baton.crash("manager");
    });

    EXPECT_TRUE(report.finished()) << report.why;
  }
}

TEST(Baton, AnExceptionBelongsToTheThreadThatCaughtIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Baton baton({.seed = seed});
    std::vector<std::string> again;

    baton.run([&] {
      std::vector<std::unique_ptr<Thread>> threads;
      for (const std::string name : {"a", "b", "c"}) {
        threads.push_back(baton.spawn(name, [&, name](const std::stop_token&) {
          try {
            try {
              throw std::runtime_error(name);
            } catch (const std::runtime_error&) {
              baton.switch_point("in the handler");
              throw;
            }
          } catch (const std::runtime_error& error) {
            again.push_back(name + error.what());
          }
        }));
      }
    });

    EXPECT_THAT(again, testing::UnorderedElementsAre("aa", "bb", "cc"));
  }
}

TEST(Baton, TimeMaySlipWhileSomebodyCouldRun) {
  Baton baton({.seed = 4, .slips_per_thousand = 500});
  bool late = false;

  baton.run([&] {
    const auto sleeper =
        baton.spawn("sleeper", [&](const std::stop_token&) { baton.pause(Deadline::in(baton, 1s)); });
    for (int i = 0; i < 200; ++i) {
      baton.switch_point("busy");
      late = late || baton.steady_now().time_since_epoch() >= 1h + 1s;
    }
  });

  EXPECT_TRUE(late);
}

}  // namespace
}  // namespace capstan::fakes
