#include "kube/rate_limit.h"

#include <gtest/gtest.h>

#include <vector>

#include "test/fakes/fake_clock.h"

namespace capstan::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{seconds(1000)};
constexpr Nanoseconds kEver = Nanoseconds::max();

TEST(TokenBucket, ABurstGoesAtOnceThenOneEachTenthOfASecond) {
  TokenBucket bucket({.qps = 10, .burst = 3});

  std::vector<Nanoseconds> waits;
  for (int i = 0; i < 6; ++i) waits.push_back(*bucket.book(kStart, kEver));

  EXPECT_EQ(waits, (std::vector<Nanoseconds>{milliseconds(0), milliseconds(0), milliseconds(0),
                                             milliseconds(100), milliseconds(200), milliseconds(300)}));
}

TEST(TokenBucket, RefillsWithTimeUpToTheBurst) {
  TokenBucket bucket({.qps = 10, .burst = 3});
  for (int i = 0; i < 3; ++i) bucket.book(kStart, kEver);

  EXPECT_DOUBLE_EQ(bucket.tokens(kStart + milliseconds(100)), 1);
  EXPECT_DOUBLE_EQ(bucket.tokens(kStart + seconds(60)), 3);
}

TEST(TokenBucket, BooksNothingThatWouldComeTooLate) {
  TokenBucket bucket({.qps = 10, .burst = 1});
  bucket.book(kStart, kEver);

  const auto too_late = bucket.book(kStart, milliseconds(99));
  const auto in_time = bucket.book(kStart, milliseconds(100));

  EXPECT_FALSE(too_late);
  EXPECT_EQ(in_time, milliseconds(100));
}

TEST(TokenBucket, ATokenGivenBackIsTheNextOnes) {
  TokenBucket bucket({.qps = 10, .burst = 1});
  bucket.book(kStart, kEver);
  bucket.book(kStart, kEver);

  bucket.give_back();

  EXPECT_EQ(bucket.book(kStart, kEver), milliseconds(100));
}

TEST(TokenBucket, ZeroAndNegativeMeanUnlimited) {
  for (const double qps : {0.0, -1.0}) {
    TokenBucket bucket({.qps = qps, .burst = 1});
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(bucket.book(kStart, kEver), Nanoseconds(0));
  }
}

TEST(TokenBucket, ABurstBelowOneStillLetsRequestsThrough) {
  TokenBucket bucket({.qps = 10, .burst = 0});

  EXPECT_EQ(bucket.book(kStart, kEver), Nanoseconds(0));
}

TEST(TokenBucket, AClockThatStandsStillOrSlipsBackAddsNothing) {
  TokenBucket bucket({.qps = 10, .burst = 1});
  bucket.book(kStart, kEver);

  EXPECT_EQ(bucket.book(kStart - seconds(5), kEver), milliseconds(100));
}

TEST(RateLimiter, WaitsForItsTurn) {
  fakes::FakeClock clock;
  RateLimiter limiter(clock, clock, {.qps = 1, .burst = 1});
  ASSERT_TRUE(limiter.acquire(Deadline::never()));
  Result<void> second = fail(Code::Internal, "not yet");
  const auto waiter =
      clock.spawn("waiter", [&](std::stop_token) { second = limiter.acquire(Deadline::never()); });

  ASSERT_TRUE(clock.await_waiting(1));
  clock.advance(seconds(1));
  waiter->join();

  EXPECT_TRUE(second);
}

TEST(RateLimiter, FailsAtOnceWhenTheTurnComesAfterTheDeadline) {
  fakes::FakeClock clock;
  RateLimiter limiter(clock, clock, {.qps = 1, .burst = 1});
  ASSERT_TRUE(limiter.acquire(Deadline::never()));

  const auto second = limiter.acquire(Deadline::in(clock, milliseconds(500)));

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Timeout);
  EXPECT_FALSE(second.error().outcome_unknown);
}

TEST(RateLimiter, AStoppedWaiterGivesItsTokenBack) {
  fakes::FakeClock clock;
  RateLimiter limiter(clock, clock, {.qps = 1, .burst = 1});
  ASSERT_TRUE(limiter.acquire(Deadline::never()));
  std::stop_source stopped;
  stopped.request_stop();

  const auto cancelled = limiter.acquire(Deadline::never(stopped.get_token()));
  const auto next = limiter.acquire(Deadline::in(clock, milliseconds(900)));
  clock.advance(seconds(1));
  const auto later = limiter.acquire(Deadline::in(clock, milliseconds(1)));

  EXPECT_EQ(cancelled.error().code, Code::Cancelled);
  EXPECT_FALSE(next);
  EXPECT_TRUE(later);
}

TEST(RateLimiter, WhatStreamsSpendOthersWaitFor) {
  fakes::FakeClock clock;
  RateLimiter limiter(clock, clock, {.qps = 1, .burst = 1});

  limiter.spend();
  limiter.spend();

  EXPECT_FALSE(limiter.acquire(Deadline::in(clock, milliseconds(1900))));
  clock.advance(seconds(2));
  EXPECT_TRUE(limiter.acquire(Deadline::in(clock, milliseconds(1))));
}

}  // namespace
}  // namespace capstan::kube
