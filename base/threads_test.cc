#include "base/threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>

namespace capstan {
namespace {

using std::chrono::milliseconds;

const SystemClock kClock;

Deadline soon() { return Deadline::in(kClock, milliseconds(1)); }
Deadline far_away(std::stop_token stop = {}) {
  return Deadline::in(kClock, std::chrono::minutes(5), std::move(stop));
}

TEST(Signal, CountsNotifications) {
  Signal signal;
  const auto before = signal.count();

  signal.notify();
  signal.notify();

  EXPECT_EQ(signal.count(), before + 2);
}

TEST(SystemThreads, AMissedNotificationIsNotMissed) {
  SystemThreads threads;
  Signal signal;
  const auto seen = signal.count();
  signal.notify();

  EXPECT_EQ(threads.wait(signal, seen, far_away()), Woken::Notified);
}

TEST(SystemThreads, WaitEndsAtItsDeadline) {
  SystemThreads threads;
  Signal signal;

  EXPECT_EQ(threads.wait(signal, signal.count(), soon()), Woken::TimedOut);
  EXPECT_EQ(threads.pause(soon()), Woken::TimedOut);
}

TEST(SystemThreads, ARequestedStopEndsEveryWait) {
  SystemThreads threads;
  Signal signal;
  std::stop_source stop;
  stop.request_stop();

  EXPECT_EQ(threads.wait(signal, signal.count(), far_away(stop.get_token())), Woken::Stopped);
  EXPECT_EQ(threads.wait(signal, signal.count(), Deadline::never(stop.get_token())), Woken::Stopped);
  EXPECT_EQ(threads.pause(far_away(stop.get_token())), Woken::Stopped);
}

TEST(SystemThreads, AStopWakesAWaiterNobodyNotifies) {
  SystemThreads threads;
  Signal signal;
  std::atomic<int> stopped = 0;
  std::stop_source stop;
  const auto thread = threads.spawn("waiter", [&](std::stop_token) {
    if (threads.wait(signal, signal.count(), Deadline::never(stop.get_token())) == Woken::Stopped) ++stopped;
  });

  stop.request_stop();
  thread->join();

  EXPECT_EQ(stopped, 1);
}

TEST(SystemThreads, ANotificationWakesEveryWaiter) {
  SystemThreads threads;
  Signal arrived;
  Signal go;
  std::atomic<int> waiting = 0;
  std::atomic<int> notified = 0;
  const auto body = [&](std::stop_token) {
    const auto seen = go.count();
    ++waiting;
    arrived.notify();
    if (threads.wait(go, seen, far_away()) == Woken::Notified) ++notified;
  };
  const auto first = threads.spawn("first", body);
  const auto second = threads.spawn("second", body);
  ASSERT_EQ(threads.wait_until(arrived, far_away(), [&] { return waiting == 2; }), Woken::Notified);

  go.notify();
  first->join();
  second->join();

  EXPECT_EQ(notified, 2);
}

TEST(SystemThreads, WaitUntilLooksBeforeItWaits) {
  SystemThreads threads;
  Signal signal;

  EXPECT_EQ(threads.wait_until(signal, far_away(), [] { return true; }), Woken::Notified);
  EXPECT_EQ(threads.wait_until(signal, soon(), [] { return false; }), Woken::TimedOut);
}

TEST(SystemThreads, WaitUntilGoesOnAfterANotificationThatChangedNothing) {
  SystemThreads threads;
  Signal signal;
  std::atomic<int> value = 0;
  const auto thread = threads.spawn("counter", [&](std::stop_token) {
    for (int i = 0; i < 100; ++i) {
      ++value;
      signal.notify();
    }
  });

  EXPECT_EQ(threads.wait_until(signal, far_away(), [&] { return value == 100; }), Woken::Notified);
  thread->join();
}

TEST(SystemThreads, DestroyingAThreadStopsAndJoinsIt) {
  SystemThreads threads;
  std::atomic<bool> finished = false;

  {
    const auto thread = threads.spawn("worker", [&](std::stop_token stop) {
      threads.pause(Deadline::never(stop));
      finished = true;
    });
  }

  EXPECT_TRUE(finished);
}

TEST(SystemThreads, AThreadCarriesItsName) {
  SystemThreads threads;
  std::array<char, 16> name = {};

  threads
      .spawn("a-name-that-is-too-long",
             [&](std::stop_token) { pthread_getname_np(pthread_self(), name.data(), name.size()); })
      ->join();

  EXPECT_STREQ(name.data(), "a-name-that-is-");
}

TEST(SystemThreads, AWaiterMayDestroyTheSignalThatWokeIt) {
  SystemThreads threads;
  for (int round = 0; round < 200; ++round) {
    auto signal = std::make_unique<Signal>();
    Signal* const notified = signal.get();
    const auto seen = signal->count();
    const auto notifier = threads.spawn("notifier", [notified](std::stop_token) { notified->notify(); });

    EXPECT_EQ(threads.wait(*signal, seen, far_away()), Woken::Notified);
    signal.reset();
  }
}

}  // namespace
}  // namespace capstan
