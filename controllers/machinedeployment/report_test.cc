#include "controllers/machinedeployment/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machinedeployment/decide.h"
#include "controllers/shared/stale_deletions.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::noon;
using testing::HasSubstr;

// What is seen, and what is reported of it.
struct Seen {
  Observation seen = {};
  Plan plan = {};

  explicit Seen(const api::MachineDeployment& deployment) {
    seen.now = noon();
    seen.stored = std::make_shared<const api::MachineDeployment>(deployment);
    seen.deployment = deployment;
    seen.cluster = a_cluster().shared();
  }
  Seen& with(const api::MachineSet& set) {
    seen.sets.push_back(std::make_shared<const api::MachineSet>(set));
    if (!plan.newest) plan.newest = seen.sets.back();
    return *this;
  }
  Seen& with(const api::Machine& machine) {
    seen.machines.push_back(std::make_shared<const api::Machine>(machine));
    return *this;
  }
  Seen& blocked(std::string because) {
    plan.faults.push_back({.because = std::move(because)});
    return *this;
  }

  api::MachineDeployment reported(bool failed = false) const {
    Effects effects{.deployment = seen.stored};
    if (failed) effects.errors.push_back({.code = Code::Unavailable, .message = "no answer"});
    return report(seen, plan, effects);
  }
  std::string says(std::string_view type) const {
    const auto after = reported();
    const auto found = api::conditions::find(after.status.conditions, type);
    if (found == nullptr) return "absent";
    std::string text = found->status.str() + " " + found->reason.str();
    return found->message.empty() ? text : text + ": " + found->message.str();
  }
  std::string v1beta1_says(std::string_view type) const {
    const auto after = reported();
    const auto found = api::conditions::v1beta1::find(after.status.deprecated->v1beta1->conditions, type);
    if (found == nullptr) return "absent";
    return found->status.str() + "/" + found->severity.str() + " " + found->reason.str() + ": " +
           found->message.str();
  }
};

Seen three() { return Seen(a_machine_deployment().replicas(3)); }

// A set whose Machines are such as md1 wants.
builders::MachineSetBuilder set_of_md1(std::string_view name) {
  return a_machine_set(name).with([](auto& set) {
    set.spec.machine_template.spec = a_machine_deployment().build().spec.machine_template.spec;
  });
}

// --- counters and phase ---

TEST(Report, SumsItsSets) {
  const auto after = three()
                         .with(set_of_md1("a").reporting(2, 2, 1))
                         .with(set_of_md1("b").reporting(2, 1, 1).with(
                             [](auto& set) { set.status.up_to_date_replicas = 2; }))
                         .reported();

  EXPECT_EQ(after.status.replicas, 4);
  EXPECT_EQ(after.status.ready_replicas, 3);
  EXPECT_EQ(after.status.available_replicas, 2);
  EXPECT_EQ(after.status.up_to_date_replicas, 2);
  EXPECT_EQ(after.status.phase, "ScalingDown");
}

TEST(Report, SaysWhichBrakeHoldsWhatIsUnderWay) {
  auto held = three();
  held.plan.brake = "frozen";

  EXPECT_THAT(held.says(condition::kScalingUp), testing::EndsWith("\n* frozen"));
  EXPECT_EQ(held.says(condition::kScalingDown), "False NotScalingDown");
}

TEST(Report, ShowsAFreezeOnlyByCachesThatAreComplete) {
  auto frozen = three();
  frozen.seen.census.frozen = {.reason = "OvershootingReplicaCount", .why = "too many"};
  EXPECT_EQ(frozen.says("capstan.dev/Frozen"), "True OvershootingReplicaCount: too many");

  frozen.seen.complete = false;
  EXPECT_EQ(frozen.says("capstan.dev/Frozen"), "absent");
}

TEST(Report, CountsNothingOfAnOldSetAsUpToDate) {
  // All three were made from an earlier template, and no MachineSet has judged them by the new one yet.
  const auto all_up_to_date = [](auto& set) { set.status.up_to_date_replicas = 3; };
  const auto old = set_of_md1("a").version("v1").reporting(3, 3, 3).with(all_up_to_date);

  const auto before = Seen(a_machine_deployment().replicas(3).version("v1")).with(old).reported();
  const auto after = Seen(a_machine_deployment().replicas(3).version("v2")).with(old).reported();

  EXPECT_EQ(before.status.up_to_date_replicas, 3);
  EXPECT_EQ(after.status.up_to_date_replicas, 0);
  EXPECT_EQ(after.status.available_replicas, 3);
}

TEST(Report, LeavesOutWhatNoSetReports) {
  const auto after = three().with(a_machine_set("a")).reported();

  EXPECT_FALSE(after.status.replicas);
  EXPECT_FALSE(after.status.available_replicas);
  EXPECT_EQ(after.status.phase, "ScalingUp");
}

TEST(Report, AddsUpVersionsOldestFirst) {
  const auto with_versions = [](std::string_view name, api::List<api::VersionCount> versions) {
    return a_machine_set(name).with([&](auto& set) { set.status.versions = versions; });
  };
  const auto after = three()
                         .with(with_versions("a", {{.version = "v1.10.0"_text, .replicas = 1}}))
                         .with(with_versions("b", {{.version = "v1.9.0"_text, .replicas = 1},
                                                   {.version = "v1.10.0"_text, .replicas = 2}}))
                         .reported();

  ASSERT_EQ(after.status.versions.size(), 2U);
  EXPECT_EQ(after.status.versions[0].version, "v1.9.0");
  EXPECT_EQ(after.status.versions[1].version, "v1.10.0");
  EXPECT_EQ(after.status.versions[1].replicas, 3);
}

TEST(Report, ObservesAGenerationOnlyWhenItWasActedOn) {
  EXPECT_EQ(three().reported().status.observed_generation, 1);
  EXPECT_EQ(three().reported(true).status.observed_generation, 0);
  Seen stuck = three();
  stuck.plan.stuck = true;
  EXPECT_EQ(stuck.reported().status.observed_generation, 0);
}

TEST(Report, ChangesNothingTheSecondTime) {
  Seen world =
      three().with(a_machine_set("a").reporting(3, 3, 3)).with(a_machine("m").running().up_to_date());
  const auto once = world.reported();
  world.seen.stored = std::make_shared<const api::MachineDeployment>(once);
  world.seen.now = noon() + Seconds(60);

  EXPECT_EQ(world.reported(), once);
}

// --- Available ---

TEST(Available, CountsAgainstTheLimit) {
  const auto says = [](std::int32_t available) {
    return Seen(a_machine_deployment().replicas(3).rolling(IntOrString(1), IntOrString(1)))
        .with(a_machine_set("a").reporting(3, 3, available))
        .says(condition::kAvailable);
  };

  EXPECT_EQ(says(2), "True Available");
  EXPECT_EQ(
      says(1),
      "False NotAvailable: 1 available replicas, at least 2 required (spec.strategy.rollout.maxUnavailable "
      "is 1, spec.replicas is 3)");
}

TEST(Available, OnDeleteHasNoLimitToName) {
  EXPECT_EQ(Seen(a_machine_deployment().replicas(2).on_delete())
                .with(a_machine_set("a").reporting(2, 1, 1))
                .says(condition::kAvailable),
            "False NotAvailable: 1 available replicas, at least 2 required");
}

TEST(AvailableUnderPolicy, AsksForNothingFromAMachineThatFailedAndIsPreserved) {
  const auto failed = a_machine("m").running().condition("capstan.dev/Lifecycle", "False", "Failed");
  const auto preserved =
      builders::MachineBuilder(failed).annotated("capstan.dev/preserve-until", "2040-01-01T00:00:00Z");
  const auto world = [](const api::Machine& machine) {
    Seen seen(a_machine_deployment().replicas(3).rolling(IntOrString(1), IntOrString(0)));
    seen.with(a_machine_set("a").reporting(3, 3, 2)).with(machine);
    seen.seen.policy = builders::a_policy("care").node_checks().shared();
    return seen;
  };

  EXPECT_THAT(world(failed).says("capstan.dev/Available"),
              HasSubstr("False NotAvailable: 2 available replicas, at least 3 required"));
  EXPECT_EQ(world(preserved).says("capstan.dev/Available"), "True Available");
  EXPECT_THAT(world(preserved).says(condition::kAvailable), HasSubstr("at least 3 required"))
      << "as upstream";
}

TEST(AvailableUnderPolicy, IsThereOnlyWhereAPolicyGoverns) {
  auto ungoverned =
      a_machine_deployment().replicas(3).condition("capstan.dev/Available", "True", "Available");

  EXPECT_EQ(Seen(ungoverned).with(a_machine_set("a").reporting(3, 3, 3)).says("capstan.dev/Available"),
            "absent");
}

TEST(Available, IsUnknownUntilASetReports) {
  EXPECT_EQ(three().says(condition::kAvailable),
            "Unknown WaitingForAvailableReplicasSet: Waiting for status.availableReplicas set");
}

TEST(Available, SaysWhenADeletionIsTheReason) {
  EXPECT_EQ(Seen(a_machine_deployment().replicas(2).deleting())
                .with(a_machine_set("a").reporting(2, 1, 1))
                .says(condition::kAvailable),
            "False NotAvailable: Deletion in progress");
}

// --- ScalingUp, ScalingDown ---

TEST(ScalingUp, SaysFromWhereToWhereAndWhatBlocksIt) {
  Seen world = three().with(a_machine_set("a").reporting(1, 1, 1));
  EXPECT_EQ(world.says(condition::kScalingUp), "True ScalingUp: Scaling up from 1 to 3 replicas");

  world.blocked("DockerMachineTemplate does not exist");
  EXPECT_EQ(
      world.says(condition::kScalingUp),
      "True ScalingUp: Scaling up from 1 to 3 replicas is blocked because DockerMachineTemplate does not "
      "exist");
}

TEST(ScalingUp, SaysWhatWouldBlockIt) {
  EXPECT_EQ(three()
                .with(a_machine_set("a").reporting(3, 3, 3))
                .blocked("A does not exist")
                .blocked("B does not exist")
                .says(condition::kScalingUp),
            "False NotScalingUp: Scaling up would be blocked because A and B do not exist");
}

TEST(ScalingDown, NamesMachinesThatTakeTooLong) {
  api::Machine slow = a_machine("slow").deleting(Time::from_unix(noon().unix_seconds() - 901));

  EXPECT_EQ(
      three().with(a_machine_set("a").reporting(4, 4, 4)).with(slow).says(condition::kScalingDown),
      "True ScalingDown: Scaling down from 4 to 3 replicas\n* Machine slow is in deletion since more than "
      "15m");
  EXPECT_EQ(three().with(a_machine_set("a").reporting(3, 3, 3)).says(condition::kScalingDown),
            "False NotScalingDown");
}

api::MachineSet that_says(builders::MachineSetBuilder set, std::string_view type, std::string_view message) {
  return set.with([&](api::MachineSet& all) {
    api::conditions::set(all.status.conditions,
                         api::conditions::make(type, api::status::kTrue, type, message), 1, noon());
  });
}

// Another policy's ceiling is not looked at: Cluster API says nothing here.
TEST(ScalingUp, SaysThatTheCeilingOfItsPolicyHoldsIt) {
  const auto set = that_says(a_machine_set("a").reporting(2, 2, 2), condition::kScalingUp,
                             "Scaling up from 2 to 3 replicas is blocked because:\n* the ceiling is reached");
  Seen under_policy = three().with(set);
  under_policy.seen.has_ceiling = true;

  EXPECT_EQ(under_policy.says(condition::kScalingUp),
            "True ScalingUp: Scaling up from 2 to 3 replicas\n* MachineSet a: the ceiling is reached");
  EXPECT_EQ(three().with(set).says(condition::kScalingUp), "True ScalingUp: Scaling up from 2 to 3 replicas");
}

TEST(ScalingDown, SaysWhyTheSpecIsNotActedUpon) {
  Seen held = three().with(a_machine_set("a").reporting(4, 4, 4)).blocked("m4 would be released");
  held.plan.stuck = true;

  EXPECT_EQ(held.says(condition::kScalingDown),
            "True ScalingDown: Scaling down from 4 to 3 replicas is blocked because m4 would be released");
}

TEST(RollingOut, SaysWhatOldSetsWaitFor) {
  const auto old = that_says(a_machine_set("old").version("v0").reporting(3, 3, 3), condition::kScalingDown,
                             "Scaling down from 3 to 2 replicas\n* Machines that wait for a place: m1");

  EXPECT_THAT(three().with(old).with(a_machine("m1").in_set("old")).says(condition::kRollingOut),
              testing::EndsWith("\n* MachineSet old: Machines that wait for a place: m1"));
}

TEST(Remediating, SaysWhatFailedByThePolicyOfItsSet) {
  const auto set = that_says(a_machine_set("a").reporting(3, 3, 2), condition::kRemediating,
                             "* Machine m1 has failed\n* Machines that wait for a place: m1");

  EXPECT_EQ(three().with(set).says(condition::kRemediating),
            "True Remediating: * MachineSet a: Machine m1 has failed\n"
            "* MachineSet a: Machines that wait for a place: m1");
}

// The set has the names, and a user looks at the deployment first.
TEST(ScalingDown, SaysWhatAMachineSetWaitsForButNotTwiceWhatTakesTooLong) {
  const auto holds = [](api::MachineSet& set) {
    api::conditions::set(set.status.conditions,
                         api::conditions::make(condition::kScalingDown, api::status::kTrue, "ScalingDown",
                                               "Scaling down from 4 to 3 replicas\n"
                                               "* outside the windows of MachineLifecyclePolicy care\n"
                                               "* Machine slow is in deletion since more than 15m"),
                         1, noon());
  };
  EXPECT_EQ(three().with(a_machine_set("a").reporting(4, 4, 4).with(holds)).says(condition::kScalingDown),
            "True ScalingDown: Scaling down from 4 to 3 replicas\n"
            "* MachineSet a: outside the windows of MachineLifecyclePolicy care");
}

TEST(ScalingDown, SaysAfterAMinuteWhatHoldsUpAMachine) {
  const Time since = noon() + -Seconds(61);
  const auto held_up =
      a_machine("m")
          .deleting(since)
          .condition(
              condition::kDeleting, "True", reason::kDrainingNode,
              "Drain not completed yet (started at x):\n* Pod ns/p: cannot evict pod, budget b needs 2")
          .with([&](auto& machine) { machine.status.deletion.ensure().node_drain_start_time = since; });

  EXPECT_EQ(three().with(a_machine_set("a").reporting(4, 4, 4)).with(held_up).says(condition::kScalingDown),
            "True ScalingDown: Scaling down from 4 to 3 replicas\n"
            "* Machine m, DrainingNode since 2026-01-01T11:58:59Z:\n"
            "  * Pod ns/p: cannot evict pod, budget b needs 2");
}

TEST(ScalingDown, OfADeletedDeploymentGoesToZero) {
  EXPECT_EQ(Seen(a_machine_deployment().replicas(2).deleting())
                .with(a_machine_set("a").reporting(2, 2, 2))
                .says(condition::kScalingDown),
            "True ScalingDown: Scaling down from 2 to 0 replicas");
}

TEST(StaleDeletions, SayWhatADrainWaitsFor) {
  const Time long_ago = Time::from_unix(noon().unix_seconds() - 1000);
  const auto draining = [&](std::string_view name, std::string_view message) {
    return a_machine(name)
        .deleting(long_ago)
        .condition(condition::kDeleting, "True", reason::kDrainingNode, message)
        .with([&](auto& machine) { machine.status.deletion.ensure().node_drain_start_time = long_ago; })
        .shared();
  };
  const std::vector<Snapshot<api::Machine>> machines = {
      draining("b", "* Pod ns/a: cannot evict pod as it would violate the pod's disruption budget. x"),
      draining("a", "* Pod ns/b: failed to evict Pod, x"), a_machine("c").shared()};

  EXPECT_EQ(
      stale_deletions(machines, noon()),
      "Machines a, b are in deletion since more than 15m, delay likely due to PodDisruptionBudgets, Pod "
      "eviction errors");
}

TEST(StaleDeletions, ComeBackWhenTheNextOneIs) {
  const std::vector<Snapshot<api::Machine>> machines = {
      a_machine("a").deleting(Time::from_unix(noon().unix_seconds() - 600)).shared()};

  EXPECT_EQ(stale_deletions(machines, noon()), "");
  EXPECT_EQ(next_stale_deletion(machines, noon()), Seconds(301));
}

// --- Deleting ---

TEST(Deleting, CountsWhatIsLeft) {
  const auto deleted = Seen(a_machine_deployment().deleting());

  EXPECT_EQ(three().says(condition::kDeleting), "False NotDeleting");
  EXPECT_EQ(Seen(deleted).with(a_machine("a")).says(condition::kDeleting),
            "True Deleting: Deleting 1 Machine");
  EXPECT_EQ(Seen(deleted).with(a_machine_set("a")).with(a_machine_set("b")).says(condition::kDeleting),
            "True Deleting: Deleting 2 MachineSets");
  EXPECT_EQ(deleted.says(condition::kDeleting), "True Deleting: Deletion completed");
}

// --- Machines ---

TEST(MachinesReady, SumsUpReadyOfEveryMachine) {
  EXPECT_EQ(three().says(condition::kMachinesReady), "True NoReplicas");
  EXPECT_EQ(three().with(a_machine("a").ready()).says(condition::kMachinesReady), "True Ready");
  EXPECT_EQ(three()
                .with(a_machine("a").ready())
                .with(a_machine("b").not_ready("* NodeHealthy: no"))
                .says(condition::kMachinesReady),
            "False NotReady: * Machine b:\n  * NodeHealthy: no");
}

TEST(MachinesUpToDate, ForgivesNewMachinesTenSeconds) {
  EXPECT_EQ(three().with(a_machine("new").aged(Seconds(10))).says(condition::kMachinesUpToDate),
            "True NoReplicas");
  EXPECT_EQ(three().with(a_machine("old").aged(Seconds(11))).says(condition::kMachinesUpToDate),
            "Unknown UpToDateUnknown: * Machine old: Condition UpToDate not yet reported");
}

TEST(MachinesUpToDate, BelievesNoJudgementByTheTemplateBefore) {
  const auto says = [](std::string_view version) {
    return Seen(a_machine_deployment().version(version))
        .with(set_of_md1("a").version("v1"))
        .with(a_machine("m").in_set("a").up_to_date())
        .says(condition::kMachinesUpToDate);
  };

  EXPECT_EQ(says("v1"), "True UpToDate");
  EXPECT_EQ(says("v2"), "Unknown UpToDateUnknown: * Machine m: Condition UpToDate not yet reported");
}

TEST(RollingOut, CountsMachinesThatAreNotUpToDateAndSaysWhyVersionsFirst) {
  EXPECT_EQ(three().with(a_machine("a").up_to_date()).says(condition::kRollingOut), "False NotRollingOut");
  EXPECT_EQ(
      three()
          .with(a_machine("a").outdated("* Failure domain a, b required\n* Version v1, v2 required"))
          .with(a_machine("b").outdated("* Version v1, v2 required"))
          .says(condition::kRollingOut),
      "True RollingOut: Rolling out 2 not up-to-date replicas\n* Version v1, v2 required\n* Failure domain "
      "a, b required");
}

TEST(RollingOut, BeginsWithTheNewTemplateAndNotWithTheFirstMachineThatIsJudgedByIt) {
  const auto says = [](std::string_view version) {
    return Seen(a_machine_deployment().version(version))
        .with(set_of_md1("a").version("v1"))
        .with(a_machine("m").in_set("a").up_to_date())
        .says(condition::kRollingOut);
  };

  EXPECT_EQ(says("v1"), "False NotRollingOut");
  EXPECT_EQ(says("v2"), "True RollingOut: Rolling out 1 not up-to-date replicas");
}

TEST(RollingOut, ASuffixOfADistributionIsNoRollout) {
  const auto says = [](std::string_view kubelet) {
    return three()
        .with(a_machine("a").outdated("* Node.status.nodeInfo.kubeletVersion " + std::string(kubelet) +
                                      ", v1.34.1 required"))
        .says(condition::kRollingOut);
  };

  EXPECT_EQ(says("v1.34.1+k3s1"), "False NotRollingOut");
  EXPECT_EQ(says("v1.34.1-eks-113cf36"), "False NotRollingOut");
  EXPECT_THAT(says("v1.34.0"), HasSubstr("True RollingOut: Rolling out 1 not up-to-date replicas"));
}

TEST(Remediating, SaysWhichUnhealthyMachinesWaitForAPlace) {
  auto waiting = three();
  waiting.plan.replacements_wait = "Machines a, b wait";
  EXPECT_EQ(waiting.says(condition::kRemediating), "True Remediating: * Machines a, b wait");

  waiting.with(a_machine("c").awaiting_remediation());
  EXPECT_THAT(waiting.says(condition::kRemediating),
              testing::AllOf(HasSubstr("* Machine c:"), HasSubstr("\n* Machines a, b wait")));
}

TEST(ScalingDown, SaysWhichWindowHoldsTheSurplusOfARollout) {
  auto held = three().with(set_of_md1("a").reporting(4, 4, 4));
  held.plan.held_by = "outside the windows";
  EXPECT_EQ(held.says(condition::kScalingDown),
            "True ScalingDown: Scaling down from 4 to 3 replicas\n* outside the windows");
}

TEST(Remediating, TellsWhatIsRemediatedAndWhatIsNot) {
  EXPECT_EQ(three().with(a_machine("a").healthy()).says(condition::kRemediating), "False NotRemediating");
  EXPECT_EQ(three().with(a_machine("a").unhealthy()).says(condition::kRemediating),
            "False NotRemediating: Machine a is not healthy (not to be remediated by "
            "MachineDeployment/MachineSet)");
  EXPECT_THAT(three().with(a_machine("a").awaiting_remediation()).says(condition::kRemediating),
              HasSubstr("True Remediating: * Machine a:"));
}

// --- the older generation ---

api::MachineSet old_set(std::int32_t available) {
  return a_machine_set("a").replicas(3).reporting(3, 3, 3).with([&](auto& set) {
    auto& old = set.status.deprecated.ensure().v1beta1.ensure();
    old.ready_replicas = available;
    old.available_replicas = available;
    old.conditions = {api::conditions::v1beta1::yes("Ready")};
  });
}

TEST(OldStatus, CountsByItsOwnCounters) {
  const auto after = three().with(old_set(2)).reported();
  const auto& old = *after.status.deprecated->v1beta1;

  EXPECT_EQ(old.updated_replicas, 3);
  EXPECT_EQ(old.ready_replicas, 2);
  EXPECT_EQ(old.available_replicas, 2);
  EXPECT_EQ(old.unavailable_replicas, 1);
}

TEST(OldStatus, CountsSetsAsTheyAreAboutToBe) {
  Seen world = three().with(old_set(3));
  world.plan.actions.push_back(
      ApplySet{.present = world.seen.sets.front(), .wanted = *world.seen.sets.front(), .from = 3, .to = 5});

  EXPECT_EQ(world.reported().status.deprecated->v1beta1->unavailable_replicas, 2);
}

TEST(OldConditions, SayHowManyAreRequired) {
  EXPECT_EQ(three().with(old_set(3)).v1beta1_says("Available"), "True/ : ");
  EXPECT_EQ(three().with(old_set(1)).v1beta1_says("Available"),
            "False/Warning WaitingForAvailableMachines: Minimum availability requires 3 replicas, current 1 "
            "available");
  EXPECT_THAT(three().with(old_set(1)).v1beta1_says("Ready"),
              HasSubstr("False/Warning WaitingForAvailableMachines"));
}

TEST(OldConditions, MirrorTheNewestSet) {
  EXPECT_EQ(three().with(old_set(3)).v1beta1_says("MachineSetReady"), "True/ : ");
  EXPECT_EQ(three().v1beta1_says("MachineSetReady"), "False/Info WaitingForMachineSet: MachineSet not found");
  EXPECT_EQ(three().with(a_machine_set("a")).v1beta1_says("MachineSetReady"),
            "False/Info WaitingForMachineSet: ");
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
