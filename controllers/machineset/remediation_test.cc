#include "controllers/machineset/remediation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "base/safeguards.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_policy;
using builders::MachineBuilder;
using builders::noon;
using testing::ElementsAre;
using testing::IsEmpty;

Machines machines_of(std::initializer_list<MachineBuilder> builders) {
  Machines machines;
  for (const auto& builder : builders) machines.push_back(builder.shared());
  return machines;
}

MachineBuilder sick(std::string_view name) { return a_machine(name).running().awaiting_remediation(); }
MachineBuilder in_flight(std::string_view name) {
  return a_machine(name)
      .running()
      .unhealthy()
      .condition("OwnerRemediated", "False", "MachineDeleting", "Machine is deleting")
      .deleting();
}

std::vector<std::string> names(const std::vector<Mark>& marks) {
  std::vector<std::string> found;
  for (const auto& mark : marks) found.push_back(mark.before->metadata.name.str());
  return found;
}

// "<reason>: <message>" of OwnerRemediated.
std::string says(const Mark& mark) {
  const auto found = api::conditions::find(mark.after.status.conditions, "OwnerRemediated");
  return found == nullptr ? std::string("absent") : found->reason.str() + ": " + found->message.str();
}

TEST(Remediation, LeavesHealthyMachinesAlone) {
  const auto machines = machines_of({a_machine("a").running(), a_machine("b").running().healthy()});

  const auto plan = remediate({.machines = machines, .now = noon()});

  EXPECT_THAT(plan.marks, IsEmpty());
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(Remediation, NeedsBothTheFindingAndTheHandOver) {
  const auto machines =
      machines_of({a_machine("found").running().unhealthy(),
                   a_machine("handed").running().condition("OwnerRemediated", "False"), sick("both")});

  const auto plan = remediate({.machines = machines, .now = noon()});

  EXPECT_THAT(names(plan.remove), ElementsAre("both"));
}

TEST(Remediation, SaysThatTheMachineGoesBeforeItGoes) {
  const auto machines = machines_of({sick("a")});

  const auto plan = remediate({.machines = machines, .now = noon()});

  ASSERT_THAT(names(plan.remove), ElementsAre("a"));
  EXPECT_EQ(says(plan.remove[0]), "MachineDeleting: Machine is deleting");
  EXPECT_TRUE(api::conditions::v1beta1::is_true(plan.remove[0].after.status.deprecated->v1beta1->conditions,
                                                "OwnerRemediated"));
}

TEST(Remediation, AMachineThatGoesAlreadyKeepsItsMark) {
  const auto machines = machines_of({in_flight("a"), sick("b").deleting()});

  const auto plan = remediate({.machines = machines, .now = noon()});

  EXPECT_THAT(plan.marks, IsEmpty());
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(Remediation, RecoveredMachinesLoseTheMark) {
  const auto machines = machines_of(
      {a_machine("a").running().healthy().condition("OwnerRemediated", "False", "WaitingForRemediation")});

  const auto plan = remediate({.machines = machines, .now = noon()});

  ASSERT_THAT(names(plan.marks), ElementsAre("a"));
  EXPECT_EQ(says(plan.marks[0]), "absent");
}

TEST(Remediation, OfAnOutdatedSetNobodyIsRemediated) {
  const auto machines = machines_of({sick("a")});
  const api::MachineDeployment deployment = a_machine_deployment();

  const auto plan =
      remediate({.machines = machines, .now = noon(), .deployment = &deployment, .outdated = true});

  EXPECT_THAT(plan.remove, IsEmpty());
  ASSERT_THAT(names(plan.marks), ElementsAre("a"));
  EXPECT_EQ(says(plan.marks[0]),
            "CannotBeRemediated: Machine won't be remediated because it is pending removal due to rollout");
}

TEST(Remediation, StandAloneSetsHaveNoLimit) {
  const auto machines = machines_of({sick("a"), sick("b"), sick("c")});

  EXPECT_THAT(remediate({.machines = machines, .now = noon()}).remove, testing::SizeIs(3));
}

TEST(Remediation, MaxInFlightDefersTheSurplus) {
  const auto machines = machines_of({sick("a"), sick("b"), sick("c")});
  const api::MachineDeployment deployment = a_machine_deployment().replicas(10).max_in_flight(IntOrString(2));

  const auto plan = remediate({.machines = machines, .now = noon(), .deployment = &deployment});

  EXPECT_THAT(names(plan.remove), ElementsAre("a", "b"));
  ASSERT_THAT(names(plan.marks), ElementsAre("c"));
  EXPECT_EQ(says(plan.marks[0]),
            "RemediationDeferred: Waiting because there are already too many remediations in progress "
            "(spec.strategy.remediation.maxInFlight is 2)");
}

TEST(Remediation, APercentageRoundsUp) {
  const auto machines = machines_of({sick("a"), sick("b"), sick("c")});
  const api::MachineDeployment deployment =
      a_machine_deployment().replicas(11).max_in_flight(IntOrString("10%"_text));  // 1.1

  const auto plan = remediate({.machines = machines, .now = noon(), .deployment = &deployment});

  EXPECT_THAT(names(plan.remove), ElementsAre("a", "b"));
}

TEST(Remediation, WhatIsUnderWayUsesUpTheBudget) {
  const auto machines = machines_of({in_flight("a"), sick("b")});
  const api::MachineDeployment deployment = a_machine_deployment().replicas(10).max_in_flight(IntOrString(1));

  const auto plan = remediate({.machines = machines, .now = noon(), .deployment = &deployment});

  EXPECT_THAT(plan.remove, IsEmpty());
  EXPECT_THAT(names(plan.marks), ElementsAre("b"));
}

TEST(Remediation, ALimitThatMeansNothingIsSaidAndNobodyGoes) {
  const auto machines = machines_of({sick("a")});
  const api::MachineDeployment deployment = a_machine_deployment().max_in_flight(IntOrString("many"_text));

  const auto plan = remediate({.machines = machines, .now = noon(), .deployment = &deployment});

  EXPECT_THAT(plan.remove, IsEmpty());
  EXPECT_THAT(plan.problem, testing::StartsWith("MachineDeployment spec.remediation.maxInFlight: "));
}

TEST(Remediation, PeopleAskFirstThenTheYoungestThenByName) {
  const auto machines =
      machines_of({sick("old").aged(Seconds(500)), sick("z").aged(Seconds(5)), sick("y").aged(Seconds(5)),
                   sick("asked").aged(Seconds(900)).annotated("cluster.x-k8s.io/remediate-machine")});

  const auto plan = remediate({.machines = machines, .now = noon()});

  EXPECT_THAT(names(plan.remove), ElementsAre("asked", "y", "z", "old"));
}

TEST(Remediation, WhatStandsAgainstItIsShownInBothGenerations) {
  const auto machines = machines_of({sick("a")});

  const auto plan = remediate({.machines = machines, .now = noon(), .held = {"one", "two"}});

  EXPECT_THAT(plan.remove, IsEmpty());
  EXPECT_TRUE(plan.held);
  ASSERT_THAT(names(plan.marks), ElementsAre("a"));
  EXPECT_EQ(says(plan.marks[0]), "RemediationDeferred: * one\n* two");
  const auto old = api::conditions::v1beta1::find(plan.marks[0].after.status.deprecated->v1beta1->conditions,
                                                  "OwnerRemediated");
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->reason, "WaitingForRemediation");
  EXPECT_EQ(old->severity, "Warning");
}

TEST(Remediation, TheSameVerdictIsNotWrittenTwice) {
  const auto machines = machines_of({sick("a")});
  const auto once = remediate({.machines = machines, .now = noon(), .held = {"one"}});
  const Machines marked = {std::make_shared<const api::Machine>(once.marks.at(0).after)};

  const auto twice = remediate({.machines = marked, .now = noon() + Seconds(60), .held = {"one"}});

  EXPECT_THAT(twice.marks, IsEmpty());
}

TEST(Remediation, OnAStaleCacheNobodyIsJudged) {
  const auto machines = machines_of({sick("a")});

  const auto plan = remediate({.machines = machines, .now = noon(), .fresh = false});

  EXPECT_THAT(plan.marks, IsEmpty());
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(Remediation, LeavesWhatIsPreservedAndSaysSo) {
  const auto machines = machines_of({sick("kept"), sick("sick")});
  const auto kept = [](const api::Machine& machine) { return machine.metadata.name == "kept"; };

  const auto plan = remediate({.machines = machines, .now = noon(), .kept = kept});

  EXPECT_THAT(names(plan.remove), ElementsAre("sick"));
  ASSERT_THAT(names(plan.marks), ElementsAre("kept"));
  EXPECT_EQ(says(plan.marks[0]),
            "RemediationDeferred: Waiting because the Machine is preserved, see the condition "
            "capstan.dev/Preserved");
}

TEST(Remediation, WhatIsPreservedTakesNoPlaceOfTheLimit) {
  const auto machines = machines_of({sick("kept"), sick("sick")});
  const auto deployment = a_machine_deployment("d").replicas(4).max_in_flight(IntOrString(1)).build();
  const auto kept = [](const api::Machine& machine) { return machine.metadata.name == "kept"; };

  const auto plan = remediate({.machines = machines, .now = noon(), .deployment = &deployment, .kept = kept});

  EXPECT_THAT(names(plan.remove), ElementsAre("sick"));
}

// --- under a policy: both sources have one count ---

const api::MachineLifecyclePolicySpec& one_at_a_time() {
  static const auto policy = a_policy().node_checks().max_in_flight(IntOrString(1)).build();
  return policy.spec;
}
const lifecycle::Contact kInContact{.now = true, .since = noon() + Seconds(-7200)};

MachineBuilder in_phase(std::string_view name, std::string_view reason, std::string_view status) {
  return a_machine(name).running().condition("capstan.dev/Lifecycle", status, reason,
                                             "HealthCheck Failed NodeNotReady: Ready is False",
                                             noon() + Seconds(-3600));
}
MachineBuilder granted(std::string_view name) {
  return in_phase(name, "Failed", "False")
      .annotated("capstan.dev/replacement-granted", (noon() + Seconds(-3600)).to_string());
}
MachineBuilder well(std::string_view name) { return in_phase(name, "Running", "True"); }

std::vector<std::string> replaced(const Remediation& plan) {
  std::vector<std::string> found;
  for (const auto& machine : plan.replace) found.push_back(machine->metadata.name.str());
  return found;
}

Remediation remediate_one_at_a_time(const Machines& machines, const Machines& siblings = {}) {
  static const auto deployment = a_machine_deployment().replicas(4).build();
  return remediate({.machines = machines,
                    .now = noon(),
                    .deployment = &deployment,
                    .policy = &one_at_a_time(),
                    .contact = kInContact,
                    .desired = static_cast<std::int32_t>(machines.size()),
                    .siblings = siblings});
}

TEST(BothSources, AGrantedMachineGoesWhereNothingElseIsInFlight) {
  const auto plan = remediate_one_at_a_time(machines_of({granted("a"), well("b")}), machines_of({well("s")}));

  EXPECT_THAT(replaced(plan), ElementsAre("a"));
  EXPECT_FALSE(plan.held);
}

TEST(BothSources, AGrantedMachineWaitsForOneThatAHealthCheckSentAwayAtTheSameTime) {
  const auto plan = remediate_one_at_a_time(machines_of({granted("a"), in_flight("b")}));

  EXPECT_THAT(replaced(plan), IsEmpty());
  EXPECT_TRUE(plan.held);
}

TEST(BothSources, AGrantedMachineWaitsForOneOfAnotherSetOfTheDeployment) {
  const auto plan = remediate_one_at_a_time(machines_of({granted("a"), well("b")}),
                                            machines_of({in_flight("s"), well("t")}));

  EXPECT_THAT(replaced(plan), IsEmpty());
  EXPECT_TRUE(plan.held);
}

TEST(BothSources, AMachineThatAHealthCheckFoundWaitsForOneOfAnotherSetOfTheDeployment) {
  const auto machines = machines_of({sick("a"), well("b")});

  const auto waits = remediate_one_at_a_time(machines, machines_of({granted("s"), well("t")}));
  const auto goes = remediate_one_at_a_time(machines, machines_of({well("s"), well("t")}));

  EXPECT_THAT(waits.remove, IsEmpty());
  EXPECT_TRUE(waits.held);  // a change of another set's Machine wakes no turn
  EXPECT_THAT(names(goes.remove), ElementsAre("a"));
}

#ifdef CAPSTAN_DEFECTS
TEST(BothSources, WithoutTheirSafeguardAMachineThatAHealthCheckFoundWaitsForNone) {
  const auto machines = machines_of({sick("a"), well("b")});

  switch_off(Safeguard::OneCount);
  const auto goes = remediate_one_at_a_time(machines, machines_of({granted("s"), well("t")}));
  switch_off(std::nullopt);

  EXPECT_THAT(names(goes.remove), ElementsAre("a"));
}
#endif

TEST(BothSources, AMachineThatTookTooLongNeedsNoPlace) {
  const auto policy = a_policy().creation_timeout(60).max_in_flight(IntOrString(1)).build();
  const auto machines =
      machines_of({a_machine("a")
                       .aged(Seconds(3600))
                       .condition("capstan.dev/Lifecycle", "False", "Failed",
                                  "Create Failed CreationTimeout: not Running", noon() + Seconds(-600))});
  const auto siblings = machines_of({in_flight("s")});

  const auto plan = remediate({.machines = machines,
                               .now = noon(),
                               .policy = &policy.spec,
                               .contact = kInContact,
                               .desired = 1,
                               .siblings = siblings});

  EXPECT_THAT(replaced(plan), ElementsAre("a"));
}

}  // namespace
}  // namespace capstan::controllers::machineset
