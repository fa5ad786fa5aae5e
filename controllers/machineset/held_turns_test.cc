#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machineset/turn_fixture.h"
#include "controllers/safety/deleted_for.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::Truly;

constexpr std::string_view kConfirm = api::policy::annotation::kConfirmDeletion;

api::MachineLifecyclePolicy guarding_policy() {
  auto policy = builders::a_policy("care").selecting("team", "a").build();
  policy.spec.deletion_guard = api::PolicyDeletionGuard{.percent = 25};
  return policy;
}

std::string hash_in(const std::string& message) {
  const std::string before = std::string(kConfirm) + ": \"";
  const auto at = message.find(before) + before.size();
  return message.substr(at, message.find('"', at) - at);
}

void make_guarded_set(MachineSetFixture& stage, int replicas) {
  stage.make_surroundings();
  stage.make(guarding_policy());
  stage.make(builders::a_machine_set().labelled("team", "a").replicas(replicas).build());
  stage.start();
}

const auto kGoes = Truly([](const api::Machine& machine) { return machine.metadata.deleting(); });
const auto kSaysScaleIn = Truly([](const api::Machine& machine) {
  return machine.metadata.annotations.value_or_empty(safety::kDeletedFor) == "ScaleIn";
});

TEST(HeldTurns, DeleteWhatAPersonConfirmedAndTakeTheAnnotationOff) {
  in_simulation([](MachineSetFixture& stage) {
    make_guarded_set(stage, 4);
    stage.scale(0);
    stage.settle();
    ASSERT_THAT(stage.says("ScalingDown"), HasSubstr(kConfirm));

    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"metadata", {{"annotations", {{kConfirm, hash_in(stage.says("ScalingDown"))}}}}}});
    stage.settle();

    EXPECT_THAT(stage.machines(), AllOf(SizeIs(4), Each(AllOf(kGoes, kSaysScaleIn))));
    EXPECT_FALSE(stage.set().metadata.annotations.contains(kConfirm));
  });
}

// It has no groups at all, and the first one does not govern any more.
TEST(HeldTurns, AnEmptySecondPolicyOpensNoGuard) {
  in_simulation([](MachineSetFixture& stage) {
    make_guarded_set(stage, 4);
    stage.scale(0);
    stage.settle();
    ASSERT_THAT(stage.says("ScalingDown"), HasSubstr(kConfirm));

    stage.make(builders::a_policy("empty").selecting("team", "a").build());
    stage.settle();
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"metadata", {{"labels", {{"looked", "at"}}}}}});
    stage.settle();

    EXPECT_THAT(stage.machines(), AllOf(SizeIs(4), Each(Not(kGoes))));
    EXPECT_THAT(stage.says("ScalingDown"), HasSubstr("more than 25% of 4"));
  });
}

TEST(HeldTurns, AskForNoOtherConfirmationWhereNothingCameOfTheFirst) {
  in_simulation([](MachineSetFixture& stage) {
    make_guarded_set(stage, 4);
    stage.scale(0);
    stage.settle();

    int refused = 0;
    stage.choose = [&](const FaultPoint& at) {
      return at.call == Call::Remove && at.kind == "Machine" && refused++ < 4 ? Fault::Unavailable
                                                                              : Fault::None;
    };
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"metadata", {{"annotations", {{kConfirm, hash_in(stage.says("ScalingDown"))}}}}}});
    stage.settle(1min);

    EXPECT_GE(refused, 4);
    EXPECT_THAT(stage.machines(), AllOf(SizeIs(4), Each(kGoes)));
  });
}

TEST(HeldTurns, KeepAConfirmationThatTheyDoNotNeed) {
  in_simulation([](MachineSetFixture& stage) {
    make_guarded_set(stage, 2);
    stage.patch(kube::resource_of<api::MachineSet>(), "ms1",
                {{"metadata", {{"annotations", {{kConfirm, "of-another-day"}}}}}});
    stage.scale(1);
    stage.settle();

    EXPECT_TRUE(stage.set().metadata.annotations.contains(kConfirm));
  });
}

// Tests begin at midnight.
api::FleetPolicy fleet_with_a_window_at_half_past_midnight() {
  api::FleetPolicy policy = builders::a_fleet_policy();
  policy.spec.windows.push_back(
      {.cron = "30 0 * * *"_text, .duration_seconds = 600, .intents = {"ScaleIn"_text}});
  return policy;
}

// No other policy governs the set.
TEST(HeldTurns, WaitForTheWindowOfTheFleetPolicy) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(fleet_with_a_window_at_half_past_midnight());
    stage.make(builders::a_machine_set().replicas(2).build());
    stage.start();

    stage.scale(1);
    stage.settle(1min);
    EXPECT_THAT(stage.machines(), AllOf(SizeIs(2), Each(Not(kGoes))));
    EXPECT_THAT(stage.says("ScalingDown"), HasSubstr("outside the windows of FleetPolicy fleet for ScaleIn: "
                                                     "the next one opens at 2026-01-01T00:30:00Z"));

    stage.settle(30min);
    EXPECT_THAT(stage.machines(), Contains(kGoes).Times(1));
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
