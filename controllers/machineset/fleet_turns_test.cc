// Whole turns of a MachineSet in a fleet with limits; the test grants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machineset/turn_fixture.h"
#include "controllers/safety/deleted_for.h"
#include "test/builders/fleet_policy.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using builders::a_fleet_policy;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const kube::Resource kMachines = kube::resource_of<api::Machine>();

void want_two(MachineSetFixture& stage, builders::MachineSetBuilder set = builders::a_machine_set()) {
  stage.make(a_fleet_policy().limits(1).build());
  stage.make_surroundings();
  stage.make(set.replicas(2).build());
  stage.start();
  stage.settle();
}

// Two Machines, of which one is to go.
void want_one_less(MachineSetFixture& stage, builders::MachineSetBuilder set = builders::a_machine_set()) {
  want_two(stage, std::move(set));
  stage.scale(1);
  stage.settle();
}

// The name of the one that asks; empty: none does.
std::string asking(MachineSetFixture& stage) {
  for (const auto& machine : stage.machines())
    if (machine.metadata.annotations.contains("capstan.dev/fleet-request"))
      return machine.metadata.name.str();
  return {};
}

std::size_t staying(MachineSetFixture& stage) {
  const auto machines = stage.machines();
  return static_cast<std::size_t>(
      std::ranges::count_if(machines, [](const auto& machine) { return !machine.metadata.deleting(); }));
}

// As a copied manifest brings it, too.
void write_grant(MachineSetFixture& stage, const std::string& machine) {
  stage.patch(kMachines, machine,
              {{"metadata", {{"annotations", {{"capstan.dev/fleet-grant", "2026-01-01T12:00:00Z"}}}}}});
  stage.settle();
}

void note_grant(MachineSetFixture& stage, const std::string& machine) {
  const auto& metadata = stage.machine(machine).metadata;
  const boost::json::value noted = {{"namespace", metadata.namespace_.view()},
                                    {"name", machine},
                                    {"uid", metadata.uid.str()},
                                    {"clusterName", "c1"},
                                    {"reason", "ScaleIn"},
                                    {"grantedAt", "2026-01-01T12:00:00Z"}};
  stage.patch(kube::resource_of<api::FleetPolicy>(), "fleet",
              {{"status", {{"grants", boost::json::array{noted}}}}}, "status");
  stage.settle();
}

void grant(MachineSetFixture& stage, const std::string& machine) {
  note_grant(stage, machine);
  write_grant(stage, machine);
}

TEST(FleetTurnsOfASet, AskOnTheMachineAndSayOnTheSetWhatIsWaitedFor) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);

    EXPECT_NE(asking(stage), "");
    EXPECT_EQ(staying(stage), 2U);
    stage.settle(std::chrono::seconds(10));
    EXPECT_THAT(stage.says("ScalingDown"), HasSubstr("wait for a place in the limits of FleetPolicy fleet"));
  });
}

TEST(FleetTurnsOfASet, WriteNoStatusForARequestThatIsGrantedAtOnce) {
  in_simulation([](MachineSetFixture& stage) {
    want_two(stage);
    stage.patch(kube::resource_of<api::FleetPolicy>(), "fleet", {{"status", {{"observedGeneration", 1}}}},
                "status");
    stage.settle();
    (void)stage.requests();
    stage.scale(1);
    stage.settle(500ms);
    EXPECT_THAT(stage.requests(), Not(Contains("patch machinesets/status ms1")));
    grant(stage, asking(stage));

    EXPECT_EQ(staying(stage), 1U);
    EXPECT_THAT(stage.says("ScalingDown"), HasSubstr("Scaling down from 2 to 1"));
  });
}

TEST(FleetTurnsOfASet, WriteNoCauseOnAMachineWhoseGrantSaysThatAControllerDeletesIt) {
  in_simulation([](MachineSetFixture& stage) {
    stage.make(builders::a_policy("care").selecting("team", "a").build());
    want_one_less(stage, builders::a_machine_set().labelled("team", "a"));
    const std::string machine = asking(stage);
    grant(stage, machine);

    EXPECT_EQ(staying(stage), 1U);
    const auto machines = stage.machines();
    const auto gone =
        std::ranges::find(machines, machine, [](const auto& each) { return each.metadata.name.str(); });
    EXPECT_FALSE(safety::is_named(*gone));
    EXPECT_TRUE(safety::has_fleet_place(*gone));
  });
}

TEST(FleetTurnsOfASet, DeleteTheMachineThatHasAGrant) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);
    const std::string machine = asking(stage);

    grant(stage, machine);

    EXPECT_EQ(staying(stage), 1U);
    EXPECT_TRUE(!stage.exists(kMachines, machine) || stage.machine(machine).metadata.deleting());
  });
}

TEST(FleetTurnsOfASet, WaitForTheFleetPolicyWhereTheMachineShowsItsGrantFirst) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);
    const std::string machine = asking(stage);

    write_grant(stage, machine);
    EXPECT_EQ(staying(stage), 2U) << "an annotation alone is no grant";
    note_grant(stage, machine);

    EXPECT_EQ(staying(stage), 1U);
  });
}

TEST(FleetTurnsOfASet, GoOnWhenThePolicyIsDeleted) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);

    stage.remove(kube::resource_of<api::FleetPolicy>(), "fleet");
    stage.settle();

    EXPECT_EQ(staying(stage), 1U);
  });
}

TEST(FleetTurnsOfASet, AskForNothingWhenTheMachineIsToStayAfterAll) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);

    stage.scale(2);
    stage.settle();

    EXPECT_EQ(asking(stage), "");
    EXPECT_EQ(staying(stage), 2U);
  });
}

TEST(FleetTurnsOfASet, CostNothingWhileTheyWait) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);
    stage.writes.clear();

    stage.settle(10min);

    EXPECT_THAT(stage.writes, SizeIs(0));
  });
}

TEST(FleetTurnsOfASet, LeaveADeletionByAUserAlone) {
  in_simulation([](MachineSetFixture& stage) {
    want_one_less(stage);
    const std::string machine = asking(stage);

    stage.remove(kMachines, machine);
    stage.settle();

    EXPECT_EQ(staying(stage), 1U);
  });
}

}  // namespace
}  // namespace capstan::controllers::machineset
