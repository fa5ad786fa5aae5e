#include "controllers/lifecycle/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "test/builders/machine.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/node.h"

namespace capstan::controllers::lifecycle {
namespace {

using builders::a_machine;
using builders::a_node;
using builders::a_policy;
using builders::MachineBuilder;
using builders::NodeBuilder;
using builders::noon;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kLifecycle = "capstan.dev/Lifecycle";
constexpr std::string_view kGranted = "capstan.dev/replacement-granted";

api::MachineLifecyclePolicySpec usual_policy() {
  return a_policy("p").node_checks().creation_timeout(1200).build().spec;
}

// A Machine an hour after noon, whose cluster has been reached since long before.
struct Look {
  api::MachineLifecyclePolicySpec policy = usual_policy();
  std::optional<api::Node> node = {};
  bool node_known = true;
  Contact contact = {.now = true, .since = noon() + Seconds(-86'400)};
  Time now = noon() + Seconds(3600);
  bool node_deleted = false;
};

std::optional<Verdict> judged(const api::Machine& machine, const Look& look = {}) {
  return judge({.now = look.now,
                .machine = machine,
                .node_known = look.node_known,
                .node = look.node ? &*look.node : nullptr,
                .contact = look.contact,
                .node_deleted = look.node_deleted},
               rules_for(look.policy, machine));
}

// "Unhealthy: HealthCheck Processing ..."
std::string told(const std::optional<Verdict>& verdict) {
  return verdict ? std::string(to_string(verdict->phase)) + ": " + verdict->message : "nothing new";
}

MachineBuilder in_phase(MachineBuilder machine, Phase phase, Time since = noon() + Seconds(3000),
                        std::string_view message = {}) {
  return machine.condition(kLifecycle, status_of(phase), to_string(phase), message, since);
}
// Given up for what it has been suffering from since then.
MachineBuilder failed_since(Time since) {
  return in_phase(a_machine("m1").running(), Phase::Failed, since,
                  "HealthCheck Failed NodeNotReady: Ready is False; since 2026-01-01T12:50:00Z");
}
MachineBuilder young(std::string_view name = "m1") { return a_machine(name).created(noon() + Seconds(3590)); }

// --- on its way ---

TEST(Judge, AMachineWithoutAVmIsBeingCreated) {
  const auto verdict = judged(young());

  EXPECT_EQ(told(verdict),
            "Creating: Create Processing: waiting for DockerMachine m1; since 2026-01-01T13:00:00Z");
  EXPECT_EQ(verdict->recheck, Seconds(1190));
}

TEST(Judge, AProviderThatCouldNotMakeTheVmIsToldWithItsCode) {
  const auto machine = young().condition("InfrastructureReady", "False", "ResourceExhausted", "quota");

  EXPECT_THAT(told(judged(machine)), StartsWith("CreateRetrying: Create Failed ResourceExhausted: "));
}

TEST(Judge, AProviderThatWaitsForSomethingHasNotFailed) {
  const auto machine = young().condition("InfrastructureReady", "False", "WaitingForBootstrapData");

  EXPECT_THAT(told(judged(machine)), StartsWith("Creating: "));
}

TEST(Judge, AMachineJoinsUntilItsNodeIsWell) {
  const auto machine = young().provisioned().on_node("m1");

  EXPECT_THAT(told(judged(in_phase(machine, Phase::Creating), {})),
              StartsWith("Joining: Create Processing: waiting for a Node with providerID docker:////m1"));
  EXPECT_THAT(told(judged(in_phase(machine, Phase::Joining), {.node = a_node("m1").not_ready()})),
              StartsWith("Joining: Create Processing NodeNotReady: Ready is False"));
  EXPECT_THAT(told(judged(in_phase(machine, Phase::Joining), {.node = a_node("m1")})),
              StartsWith("Running: Create Successful; since 2026-01-01T13:00:00Z"));
}

TEST(Judge, ATaintThatMustGoKeepsANewNodeFromRunningAndNoOther) {
  const auto machine = young().provisioned().on_node("m1");
  const NodeBuilder tainted =
      a_node("m1").tainted("node.gardener.cloud/critical-components-not-ready", "NoSchedule");

  EXPECT_THAT(told(judged(in_phase(machine, Phase::Joining), {.node = tainted})),
              StartsWith("Joining: Create Processing TaintsLeft: taint node.gardener.cloud/"));
  EXPECT_THAT(told(judged(in_phase(machine, Phase::Running), {.node = tainted})), StartsWith("Running: "));
}

TEST(Judge, AMachineThatTakesTooLongHasFailedWithoutAnyGrant) {
  const auto machine = a_machine("m1").created(noon() + Seconds(2400));

  EXPECT_EQ(told(judged(machine)),
            "Failed: Create Failed CreationTimeout: not Running within 20m0s of its creation; since "
            "2026-01-01T13:00:00Z");
  EXPECT_THAT(told(judged(in_phase(MachineBuilder(machine).provisioned(), Phase::Joining))),
              StartsWith("Failed: Create Failed CreationTimeout"));
  EXPECT_THAT(told(judged(machine, {.now = noon() + Seconds(3599)})), StartsWith("Creating: "));
}

// Its creationTimestamp is the API server's.
TEST(Judge, ClockAnHourAheadOnTheManagerFailsNoNewMachine) {
  const Time first_look = noon() + Seconds(3600);
  const auto machine =
      a_machine("m1").created(noon()).condition("Paused", "False", "NotPaused", "", first_look);

  EXPECT_THAT(told(judged(machine)), StartsWith("Creating: "));
  EXPECT_THAT(told(judged(machine, {.now = first_look + Seconds(1199)})), StartsWith("Creating: "));
  EXPECT_THAT(told(judged(machine, {.now = first_look + Seconds(1200)})),
              StartsWith("Failed: Create Failed CreationTimeout"));
}

TEST(Judge, TheTimeOfACreationRunsOnWhateverItsLifeSaysInBetween) {
  const Time first_look = noon() + Seconds(2400);
  const auto machine =
      a_machine("m1").created(noon()).condition("Paused", "False", "NotPaused", "", first_look);

  EXPECT_THAT(told(judged(in_phase(machine, Phase::CreateRetrying, noon() + Seconds(3500)))),
              StartsWith("Failed: Create Failed CreationTimeout"));
}

TEST(Judge, AMachineForWhichThereIsNoRoomIsNotReplacedBeforeThatIsTriedAgain) {
  const auto machine = a_machine("m1")
                           .created(noon() + Seconds(2400))
                           .annotated("capstan.dev/resource-exhausted-until", "2026-01-01T13:00:30Z");

  EXPECT_THAT(told(judged(machine)), StartsWith("Creating: "));
  EXPECT_THAT(told(judged(machine, {.now = noon() + Seconds(3630)})),
              StartsWith("Failed: Create Failed CreationTimeout"));
}

TEST(Judge, WithoutTheGroupAMachineMayTakeForEver) {
  const Look look{.policy = a_policy("p").node_checks().build().spec};

  EXPECT_THAT(told(judged(a_machine("m1").aged(Seconds(86'400)), look)), StartsWith("Creating: "));
}

// --- health ---

TEST(Judge, AMachineThatLeavesRunningIsUnhealthyFromThatMomentOn) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Running);

  const auto verdict = judged(machine, {.node = a_node("m1").not_ready()});

  EXPECT_EQ(told(verdict),
            "Unhealthy: HealthCheck Processing NodeNotReady: Ready is False; since 2026-01-01T13:00:00Z");
  EXPECT_EQ(verdict->recheck, Seconds(600));
}

TEST(Judge, ConditionsOfThePolicysChoiceCountByTheirBadStatuses) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Running);
  api::MachineLifecyclePolicySpec policy = usual_policy();
  policy.health.node_checks->unhealthy_node_conditions = {
      {.type = "Fan"_text, .bad_statuses = {"False"_text}}};

  EXPECT_THAT(told(judged(machine, {.node = a_node("m1").condition("DiskPressure", "Unknown")})),
              HasSubstr("Unhealthy: HealthCheck Processing NodeConditionsBad: DiskPressure is Unknown"));
  EXPECT_THAT(told(judged(machine, {.policy = policy, .node = a_node("m1").condition("Fan", "False")})),
              HasSubstr("Fan is False"));
  EXPECT_THAT(told(judged(machine, {.policy = policy, .node = a_node("m1").condition("Fan", "Unknown")})),
              StartsWith("Running: "));
  EXPECT_THAT(
      told(judged(machine, {.policy = policy, .node = a_node("m1").condition("DiskPressure", "True")})),
      StartsWith("Running: "));
}

TEST(Judge, ANodeThatIsGoneMakesItsMachineUnhealthyAndNoMore) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Running);

  EXPECT_THAT(told(judged(machine)), StartsWith("Unhealthy: HealthCheck Processing NodeMissing"));
}

TEST(Judge, AnUnhealthyMachineFailsOnceItsTimeIsOverAndItIsGranted) {
  const auto unhealthy = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon() + Seconds(3000));
  const auto granted = MachineBuilder(unhealthy).annotated(kGranted, "2026-01-01T12:50:00Z");
  const Look sick{.node = a_node("m1").not_ready()};
  Look sooner = sick;
  sooner.now = noon() + Seconds(3599);

  EXPECT_THAT(told(judged(unhealthy, sick)), StartsWith("Unhealthy: ")) << "not granted";
  EXPECT_THAT(told(judged(granted, sooner)), StartsWith("Unhealthy: ")) << "not over";
  EXPECT_EQ(judged(granted, sooner)->recheck, Seconds(1));
  EXPECT_THAT(told(judged(granted, sick)),
              StartsWith("Failed: HealthCheck Failed NodeNotReady: Ready is False"));
}

TEST(Judge, AGrantForWhatIsOverIsNone) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon() + Seconds(3000))
                           .annotated(kGranted, "2026-01-01T11:00:00Z");

  EXPECT_THAT(told(judged(machine, {.node = a_node("m1").not_ready()})), StartsWith("Unhealthy: "));
}

TEST(Judge, AFailedMachineThatIsWellAgainRuns) {
  const auto machine = failed_since(noon() + Seconds(3000)).annotated(kGranted, "2026-01-01T12:50:00Z");

  EXPECT_THAT(told(judged(machine, {.node = a_node("m1")})), StartsWith("Running: HealthCheck Successful"));
}

#ifdef CAPSTAN_DEFECTS
TEST(Judge, WithoutTheirSafeguardsAMachineFailsByAnOldGrantAndStaysFailedWhenItIsWell) {
  const auto old_grant = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon() + Seconds(3000))
                             .annotated(kGranted, "2026-01-01T11:00:00Z");
  const auto failed = failed_since(noon() + Seconds(3000)).annotated(kGranted, "2026-01-01T12:50:00Z");

  switch_off(Safeguard::GrantOfTrouble);
  const auto by_old_grant = told(judged(old_grant, {.node = a_node("m1").not_ready()}));
  switch_off(Safeguard::Rejoining);
  const auto well_again = told(judged(failed, {.node = a_node("m1")}));
  switch_off(std::nullopt);

  EXPECT_THAT(by_old_grant, StartsWith("Failed: "));
  EXPECT_THAT(well_again, StartsWith("Failed: "));
}
#endif

TEST(Judge, AMachineThatIsPreservedHasFailedThoughItsGrantIsGoneUntilItsTimeIsOver) {
  const Look sick{.node = a_node("m1").not_ready()};
  const auto preserved = [](std::string_view until) {
    return failed_since(noon() + Seconds(3000)).annotated("capstan.dev/preserve-until", until);
  };

  EXPECT_THAT(told(judged(preserved("2026-01-01T13:00:01Z"), sick)),
              StartsWith("Failed: HealthCheck Failed"));
  EXPECT_THAT(told(judged(preserved("2026-01-01T13:00:00Z"), sick)),
              StartsWith("Unhealthy: HealthCheck Processing"));
}

TEST(Judge, ASwitchedOffTimeoutLeavesAnUnhealthyMachine) {
  const auto machine =
      in_phase(a_machine("m1").running(), Phase::Unhealthy, noon()).annotated(kGranted, noon().to_string());
  const Look look{.policy = a_policy("p").node_checks({.disable_timeout = true}).build().spec,
                  .node = a_node("m1").not_ready()};

  EXPECT_THAT(told(judged(machine, look)), StartsWith("Unhealthy: "));
}

TEST(Judge, AMachineExemptFromRemediationNeverFails) {
  const auto exempt = a_machine("m1").aged(Seconds(86'400)).annotated("cluster.x-k8s.io/skip-remediation");

  EXPECT_THAT(told(judged(exempt)), StartsWith("Creating: "));
}

TEST(Judge, AFleetThatAPolicyMeetsForTheFirstTimeStartsItsTimesNow) {
  const auto machine = a_machine("m1").running().aged(Seconds(86'400));

  const auto verdict = judged(machine, {.node = a_node("m1").not_ready()});

  EXPECT_THAT(told(verdict), StartsWith("Unhealthy: "));
  EXPECT_EQ(verdict->recheck, Seconds(600));
}

// --- contact ---

TEST(Judge, OutOfReachNothingNewIsSaidOfANode) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Running);

  EXPECT_EQ(told(judged(machine, {.node_known = false})), "nothing new");
  EXPECT_EQ(told(judged(a_machine("m1").running(), {.node_known = false})), "nothing new");
  EXPECT_THAT(told(judged(in_phase(young().provisioned(), Phase::Creating), {.node_known = false})),
              StartsWith("Joining: "));
}

TEST(Judge, NoTimeStartsBeforeTheClusterWasReachedAgain) {
  const auto granted =
      in_phase(a_machine("m1").running(), Phase::Unhealthy, noon()).annotated(kGranted, noon().to_string());
  const auto waiting = a_machine("m2").created(noon());
  const Contact again{.now = true, .since = noon() + Seconds(3500)};
  const Look look{.node = a_node("m1").not_ready(), .contact = again};

  EXPECT_THAT(told(judged(granted, look)), StartsWith("Unhealthy: "));
  EXPECT_EQ(judged(granted, look)->recheck, Seconds(500));
  EXPECT_THAT(told(judged(waiting, look)), StartsWith("Creating: "));
  EXPECT_EQ(judged(waiting, look)->recheck, Seconds(1100));
}

TEST(Judge, WithoutContactNoTimeRuns) {
  const Look look{.node_known = false, .contact = {.now = false, .since = noon()}};

  EXPECT_THAT(told(judged(a_machine("m1").aged(Seconds(86'400)), look)), StartsWith("Creating: "));
}

// --- what owners ask again ---

bool failed_for_good(const api::Machine& machine, const Contact& contact) {
  return has_failed_for_good(machine, rules_for(usual_policy(), machine),
                             {.now = noon() + Seconds(3600), .contact = contact});
}

TEST(HasFailedForGood, OnlyWhileItsTimeIsOverByTheContactThereIs) {
  const api::Machine machine =
      failed_since(noon() + Seconds(2000)).annotated(kGranted, "2026-01-01T12:33:20Z");

  EXPECT_TRUE(failed_for_good(machine, {.now = true, .since = noon()}));
  EXPECT_FALSE(failed_for_good(machine, {.now = true, .since = noon() + Seconds(3500)}));
  EXPECT_FALSE(failed_for_good(machine, {.now = false, .since = noon()}));
  EXPECT_FALSE(failed_for_good(in_phase(a_machine("m1").running(), Phase::Unhealthy, noon()),
                               {.now = true, .since = noon()}));
}

TEST(HasFailedForGood, NotWithoutAGrantOnceItRan) {
  EXPECT_FALSE(
      failed_for_good(failed_since(noon() + Seconds(2000)).created(noon()), {.now = true, .since = noon()}));
}

TEST(HasFailedForGood, CountsTheCreationOfAMachineThatNeverRan) {
  const auto failed = in_phase(a_machine("m1").created(noon()), Phase::Failed, noon() + Seconds(1200));

  EXPECT_TRUE(failed_for_good(failed, {.now = true, .since = noon()}));
  EXPECT_FALSE(failed_for_good(failed, {.now = true, .since = noon() + Seconds(2500)}));
}

// --- words ---

TEST(Judge, TheTimeOfAnOperationStaysWhileItIsTheSame) {
  const auto first = judged(in_phase(a_machine("m1").running(), Phase::Running),
                            {.node = a_node("m1").not_ready(), .now = noon()});
  const auto machine = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon(), first->message);

  const auto later = judged(machine, {.node = a_node("m1").not_ready(), .now = noon() + Seconds(60)});
  const auto worse = judged(machine, {.node = a_node("m1").not_ready().condition("DiskPressure", "True"),
                                      .now = noon() + Seconds(60)});

  EXPECT_EQ(later->message, first->message);
  EXPECT_THAT(worse->message, HasSubstr("Ready is False, DiskPressure is True; since 2026-01-01T12:01:00Z"));
}

TEST(Judge, AMachineThatRunsSaysHowItBeganToRun) {
  const auto machine = in_phase(a_machine("m1").running(), Phase::Running, noon(),
                                "Create Successful; since 2026-01-01T10:00:00Z");

  EXPECT_EQ(told(judged(machine, {.node = a_node("m1")})),
            "Running: Create Successful; since 2026-01-01T10:00:00Z");
}

TEST(Judge, AValueThatMeansNothingIsToldWithWhatItMayBe) {
  const auto machine = young().annotated("capstan.dev/health-timeout-seconds", "soon");

  EXPECT_THAT(
      told(judged(machine)),
      HasSubstr("\n* annotation capstan.dev/health-timeout-seconds: \"soon\" is ignored, a whole number "
                "of seconds from 1 to 604800 is meant"));
}

TEST(Judge, DeletionComesBeforeEverythingAndAnUpdateInPlaceBeforeHealth) {
  const auto sick = in_phase(a_machine("m1").running(), Phase::Failed);

  EXPECT_THAT(told(judged(MachineBuilder(sick).updating_in_place(), {.node = a_node("m1").not_ready()})),
              StartsWith("InPlaceUpdating: Update Processing"));
  EXPECT_THAT(told(judged(MachineBuilder(sick).annotated(api::policy::annotation::kInPlaceUpdate,
                                                         "new Draining 2026-01-01T12:00:00Z"),
                          {.node = a_node("m1").not_ready()})),
              StartsWith("InPlaceUpdating: Update Processing"));
  EXPECT_THAT(told(judged(MachineBuilder(sick).updating_in_place().deleting())),
              StartsWith("Terminating: Delete Processing"));
}

TEST(Judge, AMachineWhoseUpdateInPlaceFailedSaysSoAndIsNotJudgedByItsNode) {
  const auto updated_in_vain = [](std::string_view step) {
    return in_phase(a_machine("m1").running(), Phase::InPlaceUpdating)
        .annotated(api::policy::annotation::kInPlaceUpdate,
                   "new " + std::string(step) + " 2026-01-01T11:00:00Z the disk is full");
  };
  const auto sick = Look{.node = a_node("m1").not_ready()};

  EXPECT_EQ(told(judged(updated_in_vain("Failed"), sick)),
            "InPlaceUpdateFailed: Update Failed: the disk is full; since 2026-01-01T13:00:00Z");
  EXPECT_THAT(told(judged(updated_in_vain("TimedOut"), sick)), StartsWith("InPlaceUpdateFailed: "));
  EXPECT_THAT(told(judged(updated_in_vain("Failed").deleting(), sick)), StartsWith("Terminating: "));
}

TEST(Judge, AMachineWhoseFailedUpdateWasMendedIsUpdatedAgainAndThenRuns) {
  const auto failed = in_phase(a_machine("m1").running(), Phase::InPlaceUpdateFailed);

  EXPECT_THAT(told(judged(MachineBuilder(failed).annotated(api::policy::annotation::kInPlaceUpdate,
                                                           "new Updating 2026-01-01T12:00:00Z"),
                          {.node = a_node("m1")})),
              StartsWith("InPlaceUpdating: "));
  EXPECT_THAT(told(judged(failed, {.node = a_node("m1")})), StartsWith("Running: "));
}

TEST(Judge, AMachineWhoseFailedUpdateWasGivenUpAndIsSickBecomesUnhealthyWithAWholeTimeOfItsOwn) {
  const auto failed = in_phase(a_machine("m1").running(), Phase::InPlaceUpdateFailed);

  const auto verdict = judged(failed, {.node = a_node("m1").not_ready()});

  EXPECT_THAT(told(verdict), StartsWith("Unhealthy: "));
  EXPECT_EQ(verdict->recheck, Seconds(600));
}

// --- replaced at once ---

MachineBuilder running_one() { return in_phase(a_machine("m1").running(), Phase::Running); }

TEST(Judge, AMachineThatAUserWantsReplacedLeavesRunningThoughItsNodeIsWell) {
  const auto by_machine = running_one().annotated("capstan.dev/replace", "true");

  EXPECT_THAT(told(judged(by_machine, {.node = a_node("m1")})),
              StartsWith("Unhealthy: HealthCheck Processing ReplaceRequested: annotation capstan.dev/replace "
                         "of the Machine; since "));
  for (const std::string_view key :
       {"capstan.dev/replace", "node.machine.sapcloud.io/trigger-deletion-by-mcm"}) {
    EXPECT_THAT(told(judged(running_one(), {.node = a_node("m1").annotated(key, "true")})),
                HasSubstr("of Node m1; since "))
        << key;
  }
}

TEST(Judge, ARequestThatSaysFalseProtectsNothingAndAnythingElseIsNamed) {
  const auto sick = a_node("m1").not_ready();
  const auto falsely = NodeBuilder(sick).annotated("capstan.dev/replace", "false");
  const auto oddly = NodeBuilder(a_node("m1")).annotated("capstan.dev/replace", "now");

  EXPECT_EQ(told(judged(running_one(), {.node = falsely})), told(judged(running_one(), {.node = sick})));
  EXPECT_THAT(told(judged(running_one(), {.node = oddly})), StartsWith("Running: "));
  EXPECT_THAT(told(judged(running_one(), {.node = oddly})),
              HasSubstr("* Node m1: annotation capstan.dev/replace: \"now\" is ignored, \"true\" is meant"));
}

TEST(Judge, ARequestIsNothingToAMachineThatIsExemptOrHasNotJoined) {
  const auto exempt =
      running_one().annotated("capstan.dev/replace", "true").annotated("cluster.x-k8s.io/skip-remediation");
  const auto joining =
      in_phase(young().provisioned().on_node("m1"), Phase::Joining).annotated("capstan.dev/replace", "true");

  EXPECT_THAT(told(judged(exempt, {.node = a_node("m1")})), StartsWith("Running: "));
  EXPECT_THAT(told(judged(joining, {.node = a_node("m1")})), StartsWith("Running: "));
}

TEST(Judge, ARequestThatIsNotHeededIsNamedWithTheReason) {
  const auto asked = running_one().annotated("capstan.dev/replace", "true");
  const auto exempt = MachineBuilder(asked).annotated("cluster.x-k8s.io/skip-remediation");
  const auto creation_alone = a_policy("p").creation_timeout(60).build().spec;
  const api::Node node = a_node("n1");
  const auto unchecked = judge({.now = noon(), .machine = asked, .node_known = true, .node = &node},
                               rules_for(creation_alone, asked));

  EXPECT_THAT(told(judged(exempt, {.node = a_node("m1")})),
              HasSubstr("* annotation capstan.dev/replace of the Machine is not heeded: the Machine has "
                        "cluster.x-k8s.io/skip-remediation"));
  EXPECT_THAT(told(unchecked), HasSubstr("is not heeded: its policy has no health.nodeChecks"));
}

TEST(Judge, AMachineThatIsToBeReplacedFailsOnceItIsGrantedWhateverTheTimeout) {
  const auto asked = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon() + Seconds(3590),
                              "HealthCheck Processing ReplaceRequested: x; since 2026-01-01T12:59:50Z")
                         .annotated("capstan.dev/replace", "true");
  const auto granted = MachineBuilder(asked).annotated(kGranted, "2026-01-01T12:59:50Z");
  const auto policy = a_policy("p").node_checks({.disable_timeout = true}).build().spec;

  EXPECT_THAT(told(judged(asked, {.policy = policy, .node = a_node("m1")})), StartsWith("Unhealthy: "));
  EXPECT_THAT(told(judged(granted, {.policy = policy, .node = a_node("m1")})),
              StartsWith("Failed: HealthCheck Failed ReplaceRequested: "));
}

TEST(Judge, ANodeThatTheServerSaysIsGoneIsWaitedForNoLonger) {
  const auto verdict = judged(running_one(), {.node_deleted = true});

  EXPECT_THAT(told(verdict), StartsWith("Unhealthy: HealthCheck Processing NodeDeleted: Node m1 is gone"));
  const auto unhealthy =
      in_phase(a_machine("m1").running(), Phase::Unhealthy, noon() + Seconds(3590), verdict->message);
  const auto rules = rules_for(usual_policy(), unhealthy);
  EXPECT_EQ(health_ends(unhealthy, rules, Look().contact), noon() + Seconds(3590));
}

TEST(Judge, ADeletedNodeOfAMachineWithoutTimeoutIsNoReasonToReplaceIt) {
  const auto unhealthy = in_phase(a_machine("m1").running(), Phase::Unhealthy, noon(),
                                  "HealthCheck Processing NodeDeleted: x; since 2026-01-01T12:00:00Z");
  const auto policy = a_policy("p").node_checks({.disable_timeout = true}).build().spec;

  EXPECT_FALSE(health_ends(unhealthy, rules_for(policy, unhealthy), Look().contact));
}

TEST(LostNodes, AreAskedForWhenTheClusterHasBeenReachedForAMinute) {
  const api::Machine machine = running_one();
  const auto asks = [&](Time reached, const api::Machine& of, bool known = true) {
    return asks_for_lost_node({.now = noon() + Seconds(3600),
                               .machine = of,
                               .node_known = known,
                               .contact = {.now = true, .since = reached}},
                              rules_for(usual_policy(), of));
  };

  EXPECT_TRUE(asks(noon() + Seconds(3540), machine));
  EXPECT_FALSE(asks(noon() + Seconds(3541), machine));
  EXPECT_FALSE(asks(noon(), machine, false));
  EXPECT_FALSE(asks(noon(), in_phase(a_machine("m1").running(), Phase::Joining)));
  EXPECT_FALSE(asks(noon(), running_one().annotated("cluster.x-k8s.io/skip-remediation")));
}

}  // namespace
}  // namespace capstan::controllers::lifecycle
