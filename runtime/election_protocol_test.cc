#include "runtime/election_protocol.h"

#include <gtest/gtest.h>

namespace capstan::runtime {
namespace {

using Kind = ElectionStep::Kind;
const ElectionTimes kTimes;
const WallTime kNoon{std::chrono::seconds(1'800'000'000)};

SteadyTime at(int seconds) { return SteadyTime(std::chrono::seconds(1000 + seconds)); }

api::Lease held_by(std::string_view holder, int renewed_second = 0) {
  api::Lease lease;
  lease.spec.holder_identity = Text(holder);
  lease.spec.lease_duration_seconds = 15;
  lease.spec.lease_transitions = 3;
  lease.spec.renew_time = MicroTime::from(kNoon + std::chrono::seconds(renewed_second));
  return lease;
}

TEST(Election, MakesTheLeaseWhenThereIsNone) {
  ElectionState state;

  EXPECT_EQ(look_at_lease(state, "me", nullptr, at(0), kTimes).kind, Kind::Create);
}

TEST(Election, WaitsForAHolderWhoRenews) {
  ElectionState state;

  for (int second = 0; second < 60; second += 10) {
    const auto lease = held_by("other", second);
    const auto step = look_at_lease(state, "me", &lease, at(second), kTimes);
    EXPECT_EQ(step.kind, Kind::Wait);
    EXPECT_EQ(step.holder, "other");
  }
}

TEST(Election, TakesOverOnlyAfterTheHolderWasSilentForTheLeasesDuration) {
  ElectionState state;
  const auto lease = held_by("other");

  EXPECT_EQ(look_at_lease(state, "me", &lease, at(0), kTimes).kind, Kind::Wait);
  EXPECT_EQ(look_at_lease(state, "me", &lease, at(14), kTimes).kind, Kind::Wait);
  EXPECT_EQ(look_at_lease(state, "me", &lease, at(15), kTimes).kind, Kind::TakeOver);
}

TEST(Election, DoesNotBelieveAnotherProcessesClock) {
  ElectionState state;
  const auto lease = held_by("other", -100000);  // renewed a day ago, says its clock

  EXPECT_EQ(look_at_lease(state, "me", &lease, at(0), kTimes).kind, Kind::Wait);
}

TEST(Election, TakesAReleasedLeaseAtOnce) {
  ElectionState state;
  api::Lease lease = held_by("other");
  lease.spec = released(lease.spec, kNoon);

  const auto step = look_at_lease(state, "me", &lease, at(0), kTimes);

  EXPECT_EQ(step.kind, Kind::TakeOver);
  EXPECT_EQ(claimed(step, &lease.spec, "me", kNoon, kTimes).lease_transitions, 4);
}

TEST(Election, RenewsWithoutANewAcquisition) {
  ElectionState state;
  const auto lease = held_by("me");

  const auto step = look_at_lease(state, "me", &lease, at(0), kTimes);
  const auto spec = claimed(step, &lease.spec, "me", kNoon + std::chrono::seconds(9), kTimes);

  EXPECT_EQ(step.kind, Kind::Renew);
  EXPECT_EQ(spec.acquire_time, lease.spec.acquire_time);
  EXPECT_EQ(spec.lease_transitions, 3);
  EXPECT_EQ(spec.renew_time, MicroTime::from(kNoon + std::chrono::seconds(9)));
}

TEST(Election, ALeaderLooksEveryRetryPeriodHoweverLongItsLease) {
  ElectionState state;
  const auto lease = held_by("me");
  look_at_lease(state, "me", &lease, at(0), kTimes);
  won(state, at(0));

  EXPECT_EQ(next_look(state, at(1), false, kTimes), at(3));
}

TEST(Election, AStandbyThatWatchesLooksWhenTheLeaseRunsOut) {
  ElectionState state;
  const auto lease = held_by("other");
  look_at_lease(state, "me", &lease, at(0), kTimes);

  EXPECT_EQ(next_look(state, at(1), true, kTimes), at(15));
}

TEST(Election, AStandbyThatDoesNotWatchLooksOftenAndWhenTheLeaseRunsOut) {
  ElectionState state;
  const auto lease = held_by("other");
  look_at_lease(state, "me", &lease, at(0), kTimes);

  EXPECT_EQ(next_look(state, at(1), false, kTimes), at(3));
  EXPECT_EQ(next_look(state, at(14), false, kTimes), at(15));
}

TEST(Election, AStandbyThatCouldNotTakeOverTriesAgainInARetryPeriod) {
  ElectionState state;
  const auto lease = held_by("other");
  look_at_lease(state, "me", &lease, at(0), kTimes);

  EXPECT_EQ(next_look(state, at(15), true, kTimes), at(17));
}

TEST(Election, AStandbyThatHasSeenNoLeaseLooksAgainInARetryPeriod) {
  ElectionState state;
  const auto lease = held_by("other");
  look_at_lease(state, "me", &lease, at(0), kTimes);
  look_at_lease(state, "me", nullptr, at(1), kTimes);

  EXPECT_EQ(next_look(state, at(1), true, kTimes), at(3));
}

TEST(Election, LosesWhenRenewalsFailForTheWholeDeadline) {
  ElectionState state;
  won(state, at(0));

  EXPECT_FALSE(lost(state, at(9), kTimes));
  EXPECT_TRUE(lost(state, at(10), kTimes));
}

TEST(Election, NeverLosesWhatItNeverHad) { EXPECT_FALSE(lost(ElectionState{}, at(100), kTimes)); }

}  // namespace
}  // namespace capstan::runtime
