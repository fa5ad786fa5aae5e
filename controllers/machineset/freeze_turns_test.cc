// Whole turns of MachineSets that are frozen by number, and of those whose Machines were released under a
// ceiling, on their stage (turn_fixture.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machineset/turn_fixture.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
namespace annotation = api::policy::annotation;
using builders::a_machine_set;
using builders::a_policy;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// ms1 with so many Machines, and the policy that selects it.
void with_machines(MachineSetFixture& stage, int replicas) {
  stage.make_surroundings();
  stage.make(a_policy("care").selecting_everything().overshoot().build());
  stage.make(a_machine_set().replicas(replicas).build());
  stage.start();
}

void annotate_set(MachineSetFixture& stage, std::string_view key, const json::value& value) {
  stage.patch(kube::resource_of<api::MachineSet>(), "ms1", {{"metadata", {{"annotations", {{key, value}}}}}});
  stage.settle(5s);
}

void rename_labels(MachineSetFixture& stage) {
  for (const std::string& name : stage.machine_names())
    stage.patch(kube::resource_of<api::Machine>(), name,
                {{"metadata", {{"labels", {{api::label::kSetName, "renamed"}}}}}});
  stage.settle();
}

std::string released(MachineSetFixture& stage) {
  return std::string(stage.set().metadata.annotations.value_or_empty(annotation::kReleased));
}

std::string frozen(MachineSetFixture& stage) { return stage.says(api::policy::condition::kFrozen); }

TEST(FreezeTurns, ASetThatWasNeverFrozenHasNoSuchCondition) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 3);
    EXPECT_EQ(frozen(stage), "absent");
  });
}

TEST(FreezeTurns, ASetWithTooManyMachinesIsFrozenUntilTheyAreGone) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 9);

    stage.scale(3);
    stage.settle();
    const std::string before = frozen(stage);
    stage.let_go_of_deleted();
    stage.settle();

    EXPECT_THAT(before, StartsWith("True OvershootingReplicaCount: frozen, no Machine is made: 9 Machines"));
    EXPECT_EQ(frozen(stage), "False NotFrozen: ");
    EXPECT_THAT(stage.events.events, Contains(StartsWith("Normal Frozen: frozen, no Machine is made")));
    EXPECT_THAT(stage.events.events, Contains("Normal Unfrozen: not frozen any more"));
  });
}

TEST(FreezeTurns, AThawHoldsForAMinuteAndItsWishIsTakenOff) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 9);
    stage.scale(3);
    stage.settle();

    annotate_set(stage, annotation::kUnfreeze, "True");
    const std::string thawed = frozen(stage);
    stage.settle(70s);

    EXPECT_EQ(thawed, "False NotFrozen: ");
    EXPECT_FALSE(stage.set().metadata.annotations.contains(annotation::kUnfreeze));
    EXPECT_THAT(frozen(stage), StartsWith("True OvershootingReplicaCount"));
  });
}

// As `kubectl get mlp` counts it.
TEST(FreezeTurns, AFrozenFleetIsShownOnItsSetsUntilItIsThawed) {
  in_simulation([](MachineSetFixture& stage) {
    const auto freeze = [&](const json::value& why) {
      stage.patch(kube::resource_of<api::FleetPolicy>(), "fleet",
                  {{"metadata", {{"annotations", {{annotation::kFreeze, why}}}}}});
      stage.settle(5s);
    };
    stage.make(builders::a_fleet_policy().build());
    with_machines(stage, 1);

    freeze("incident 7");
    EXPECT_THAT(frozen(stage), StartsWith("True FrozenByFleet: FleetPolicy fleet is frozen"));

    freeze(nullptr);
    EXPECT_EQ(frozen(stage), "False NotFrozen: ");
  });
}

TEST(CeilingTurns, AreToldWithTheLabelThatReleasedTheMachines) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 3);

    rename_labels(stage);

    EXPECT_THAT(stage.machine_names(), SizeIs(5));
    EXPECT_THAT(released(stage), StartsWith("3 since "));
    EXPECT_THAT(stage.says("ScalingUp"),
                HasSubstr("5 Machines are or will be there, 5 may be: 3 of them were released because label "
                          "cluster.x-k8s.io/set-name is \"renamed\" and not \"ms1\""));
  });
}

TEST(CeilingTurns, OpenWithTheRecordAndNotByTime) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 3);
    rename_labels(stage);
    stage.settle(3600s);
    EXPECT_THAT(stage.machine_names(), SizeIs(5));

    annotate_set(stage, annotation::kReleased, nullptr);
    stage.settle();

    EXPECT_THAT(stage.machine_names(), SizeIs(6));
  });
}

TEST(CeilingTurns, NothingIsReleasedBeforeItIsNoted) {
  in_simulation([](MachineSetFixture& stage) {
    with_machines(stage, 3);
    stage.choose = [&](const FaultPoint& at) {
      return at.call == Call::Patch && at.kind == api::kind::kMachineSet ? Fault::Unavailable : Fault::None;
    };

    rename_labels(stage);

    EXPECT_THAT(released(stage), IsEmpty());
    EXPECT_THAT(stage.events.events, Not(Contains(StartsWith("Normal SuccessfulRelease"))));
    EXPECT_THAT(stage.machine_names(), SizeIs(3));
  });
}

TEST(CeilingTurns, WithoutAPolicyThereIsNoneAndNothingIsNoted) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make_surroundings();
    stage.make(a_machine_set().replicas(3).build());
    stage.start();

    rename_labels(stage);

    EXPECT_THAT(stage.machine_names(), SizeIs(6));
    EXPECT_THAT(released(stage), IsEmpty());
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
