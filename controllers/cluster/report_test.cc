#include "controllers/cluster/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/cluster/seen_fixture.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Words = std::vector<std::string>;

constexpr std::string_view kReadyInfra = R"({"status":{"initialization":{"provisioned":true},"conditions":[
    {"type":"Ready","status":"True","reason":"Fine","lastTransitionTime":"2026-01-01T10:00:00Z"}]}})";
constexpr std::string_view kAvailableControlPlane =
    R"({"spec":{"replicas":3},"status":{"initialization":{"controlPlaneInitialized":true},"replicas":3,
        "readyReplicas":2,"availableReplicas":1,"upToDateReplicas":3,
        "versions":[{"version":"v1.34.0","replicas":3}],"conditions":[
    {"type":"Available","status":"True","reason":"Fine","lastTransitionTime":"2026-01-01T10:00:00Z"}]}})";

api::Cluster c1() { return a_cluster("c1").finalized_by(api::finalizer::kCluster).generation(7); }
api::Cluster running() {
  return a_cluster("c1").finalized_by(api::finalizer::kCluster).running().generation(7);
}
api::Cluster going() { return a_cluster("c1").finalized_by(api::finalizer::kCluster).running().deleting(); }
Seen healthy() { return Seen(running()).infrastructure(kReadyInfra).control_plane(kAvailableControlPlane); }

// "True Reason: message"
std::string shown(const api::Cluster& cluster, std::string_view type) {
  const auto found = api::conditions::find(cluster.status.conditions, type);
  if (found == nullptr) return "absent";
  std::string text = found->status.str() + " " + found->reason.str();
  if (!found->message.empty()) text += ": " + found->message.str();
  return text;
}

std::string old(const api::Cluster& cluster, std::string_view type) {
  if (!cluster.status.deprecated || !cluster.status.deprecated->v1beta1) return "absent";
  const auto found = api::conditions::v1beta1::find(cluster.status.deprecated->v1beta1->conditions, type);
  if (found == nullptr) return "absent";
  std::string text = found->status.str();
  if (!found->reason.empty()) text += " " + found->reason.str() + "/" + found->severity.str();
  if (!found->message.empty()) text += ": " + found->message.str();
  return text;
}

TEST(Report, ABornPausedClusterHasNothingButPaused) {
  const auto after = Seen(a_cluster("c1").held()).reported();

  EXPECT_EQ(shown(after, "Paused"), "True Paused: Cluster spec.paused is set to true");
  EXPECT_EQ(after.status.conditions.size(), 1U);
  EXPECT_TRUE(after.status.phase.empty());
  EXPECT_FALSE(after.status.deprecated);
  EXPECT_FALSE(after.status.workers);
}

TEST(Report, ChangesNothingTheSecondTime) {
  const auto with_everything = [](const api::Cluster& cluster) {
    return Seen(cluster)
        .infrastructure(kReadyInfra)
        .control_plane(kAvailableControlPlane)
        .machine(a_machine("cp").control_plane().running())
        .machine(a_machine("w").running().unhealthy())
        .deployment(a_machine_deployment("md").owned_by(by_cluster()));
  };
  const auto once = with_everything(running()).reported();

  const auto twice = with_everything(once).reported();

  EXPECT_EQ(twice, once);
}

TEST(Report, AClusterWhereAllIsWellIsAvailable) {
  const auto after = healthy().reported();

  EXPECT_EQ(shown(after, "Available"), "True Available");
  EXPECT_EQ(shown(after, "RemoteConnectionProbe"), "True ProbeSucceeded");
  EXPECT_EQ(shown(after, "InfrastructureReady"), "True Fine");
  EXPECT_EQ(shown(after, "ControlPlaneAvailable"), "True Fine");
  EXPECT_EQ(shown(after, "ControlPlaneInitialized"), "True Initialized");
  EXPECT_EQ(shown(after, "WorkersAvailable"), "True NoWorkers");
  EXPECT_EQ(shown(after, "Deleting"), "False NotDeleting");
  EXPECT_EQ(shown(after, "Paused"), "False NotPaused");
  EXPECT_EQ(after.status.observed_generation, 7);
}

TEST(Report, MirrorsTheTimeOfAProvidersCondition) {
  const auto after = Seen(c1()).infrastructure(kReadyInfra).reported();

  const auto found = api::conditions::find(after.status.conditions, "InfrastructureReady");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->last_transition_time.to_string(), "2026-01-01T10:00:00Z");
}

TEST(Report, SaysWhoseAnObjectIsThatAnotherClusterOwns) {
  const auto after = Seen(c1()).infrastructure_of("c0").control_plane_of("c0").reported();

  EXPECT_EQ(shown(after, "InfrastructureReady"),
            "False BelongsToAnotherCluster: spec.infrastructureRef: DockerCluster c1 belongs to Cluster c0, "
            "which is its owner; point the reference at an object of this Cluster's own, or delete this "
            "Cluster: that object stays");
  EXPECT_THAT(shown(after, "ControlPlaneAvailable"), StartsWith("False BelongsToAnotherCluster: "));
  EXPECT_THAT(shown(after, "ControlPlaneInitialized"), StartsWith("False BelongsToAnotherCluster: "));
  EXPECT_THAT(old(after, "InfrastructureReady"), StartsWith("False IncorrectExternalRef/Error: "));
}

TEST(Report, NamesTheObjectThatAReferenceNamedBefore) {
  auto seen = healthy();
  seen.with([](Observation& world) { world.infrastructure.also_owned = "old"; });

  EXPECT_EQ(
      shown(seen.reported(), "InfrastructureReady"),
      "True Fine: this Cluster owns DockerCluster old, too, which spec.infrastructureRef does not name "
      "any more: it goes when the Cluster is gone; point spec.infrastructureRef at it again if it is the "
      "one in use");
}

TEST(Report, TellsPhases) {
  auto bare = a_cluster("c1").without_control_plane_ref().without_infrastructure_ref();

  EXPECT_EQ(Seen(bare.build()).reported().status.phase.view(), "Pending");
  EXPECT_EQ(Seen(c1()).reported().status.phase.view(), "Provisioning");
  EXPECT_EQ(Seen(c1()).infrastructure(kReadyInfra).reported().status.phase.view(), "Provisioning");
  EXPECT_EQ(healthy().reported().status.phase.view(), "Provisioned");
  EXPECT_EQ(Seen(going()).reported().status.phase.view(), "Deleting");
}

TEST(Report, ANewPhaseIsNews) {
  const auto before = c1();
  const auto after = Seen(before).infrastructure("{}").control_plane("{}").reported();

  EXPECT_THAT(news(before, after), ElementsAre(Note{.about = "Provisioning",
                                                    .code = api::NoteCode::PhaseChanged,
                                                    .text = "Cluster c1 is Provisioning"}));
  EXPECT_THAT(news(after, after), IsEmpty());
}

TEST(Report, AReferenceNobodyCanFollowIsNewsOnce) {
  auto seen = Seen(running()).control_plane(kAvailableControlPlane);
  seen.with(
      [](Observation& world) { world.infrastructure.problem = "CustomResourceDefinition x is missing"; });
  const auto after = seen.reported();

  EXPECT_EQ(shown(after, "InfrastructureReady"),
            "Unknown InternalError: spec.infrastructureRef: CustomResourceDefinition x is missing");
  EXPECT_EQ(shown(after, "Available").substr(0, 7), "Unknown");
  EXPECT_THAT(news(running(), after),
              ElementsAre(Note{.code = api::NoteCode::UselessProvider,
                               .text = "spec.infrastructureRef: CustomResourceDefinition x is missing"}));
  EXPECT_THAT(news(after, after), IsEmpty());
}

TEST(Report, AFailedTurnDoesNotClaimToHaveSeenTheGeneration) {
  const auto after = healthy().reported({.errors = {Error{.message = "no"}}});

  EXPECT_EQ(after.status.observed_generation, 0);
}

TEST(InfrastructureReady, FallsBackToTheFlag) {
  const auto waiting = Seen(c1()).infrastructure("{}").reported();
  const auto done =
      Seen(c1()).infrastructure(R"({"status":{"initialization":{"provisioned":true}}})").reported();

  EXPECT_EQ(shown(waiting, "InfrastructureReady"),
            "False NotReady: DockerCluster status.initialization.provisioned is false");
  EXPECT_EQ(shown(done, "InfrastructureReady"), "True Ready");
}

TEST(InfrastructureReady, GivesAReasonWhereTheProviderGivesNone) {
  const auto after = Seen(c1())
                         .infrastructure(R"({"status":{"conditions":[{"type":"Ready","status":"True",
                             "lastTransitionTime":"2026-01-01T10:00:00Z"}]}})")
                         .reported();

  EXPECT_EQ(shown(after, "InfrastructureReady"), "True Ready");
}

TEST(InfrastructureReady, SaysWhenTheProvidersConditionIsNone) {
  const auto after = Seen(c1())
                         .infrastructure(R"({"status":{"conditions":[{"type":"Ready","status":"Maybe"}]}})")
                         .reported();

  EXPECT_THAT(shown(after, "InfrastructureReady"), HasSubstr("Unknown InvalidConditionReported"));
}

TEST(InfrastructureReady, TellsAMissingObjectFromADeletedOne) {
  const auto never = Seen(c1()).reported();
  const auto lost = Seen(running()).reported();
  const auto going_never = Seen(a_cluster("c1").finalized_by(api::finalizer::kCluster).deleting()).reported();
  const auto going_lost = Seen(going()).reported();

  EXPECT_EQ(shown(never, "InfrastructureReady"), "False ObjectDoesNotExist: DockerCluster does not exist");
  EXPECT_EQ(shown(lost, "InfrastructureReady"),
            "False ObjectDeleted: DockerCluster has been deleted while the cluster still exists");
  EXPECT_EQ(shown(going_never, "InfrastructureReady"),
            "False ObjectDoesNotExist: DockerCluster does not exist");
  EXPECT_EQ(shown(going_lost, "InfrastructureReady"), "False ObjectDeleted: DockerCluster has been deleted");
}

TEST(InfrastructureReady, IsTrueWhereNoneIsNeeded) {
  const auto after =
      Seen(a_cluster("c1").without_infrastructure_ref()).control_plane(kAvailableControlPlane).reported();

  EXPECT_EQ(shown(after, "InfrastructureReady"), "True Ready");
  EXPECT_EQ(old(after, "InfrastructureReady"), "True");
  EXPECT_TRUE(after.status.initialization.infrastructure_provisioned.value_or(false));
}

TEST(InfrastructureReady, SaysThatTheProviderFillsTheOlderContractOnly) {
  const auto after = Seen(c1()).infrastructure(R"({"status":{"ready":true}})").reported();

  EXPECT_THAT(shown(after, "InfrastructureReady"),
              HasSubstr("DockerCluster sets status.ready, the field of contract v1beta1, but not "
                        "status.initialization.provisioned"));
}

TEST(ControlPlaneAvailable, FollowsTheControlPlane) {
  const auto waiting = Seen(c1()).control_plane("{}").reported();
  const auto never = Seen(c1()).reported();
  const auto lost = Seen(running()).reported();

  EXPECT_EQ(shown(waiting, "ControlPlaneAvailable"),
            "False NotAvailable: KubeadmControlPlane status.initialization.controlPlaneInitialized is false");
  EXPECT_EQ(shown(never, "ControlPlaneAvailable"),
            "False ObjectDoesNotExist: KubeadmControlPlane does not exist");
  EXPECT_EQ(shown(lost, "ControlPlaneAvailable"),
            "False ObjectDeleted: KubeadmControlPlane has been deleted while the cluster still exists");
}

TEST(ControlPlaneAvailable, IsNoMatterOfAClusterThatHasNoControlPlaneObject) {
  auto cluster = a_cluster("c1").without_control_plane_ref().running();
  cluster.condition("ControlPlaneAvailable", "Unknown", "InternalError");

  const auto after = Seen(cluster.build()).infrastructure(kReadyInfra).reported();

  EXPECT_EQ(shown(after, "ControlPlaneAvailable"), "absent");
  EXPECT_EQ(shown(after, "Available"), "True Available");
}

TEST(ControlPlaneInitialized, FollowsTheControlPlane) {
  EXPECT_EQ(shown(Seen(c1()).control_plane("{}").reported(), "ControlPlaneInitialized"),
            "False NotInitialized: Control plane not yet initialized");
  EXPECT_EQ(shown(Seen(c1()).control_plane(kAvailableControlPlane).reported(), "ControlPlaneInitialized"),
            "True Initialized");
}

TEST(ControlPlaneInitialized, LooksAtTheControlPlaneAndNotAtTheInfrastructureForWhatIsMissing) {
  const auto after = Seen(c1()).infrastructure(kReadyInfra).reported();

  EXPECT_EQ(shown(after, "ControlPlaneInitialized"),
            "Unknown ObjectDoesNotExist: KubeadmControlPlane does not exist");
}

TEST(ControlPlaneInitialized, StaysTrueWhateverHappens) {
  const auto after = Seen(running()).infrastructure(kReadyInfra).reported();

  EXPECT_EQ(shown(after, "ControlPlaneInitialized"), "True Initialized");
}

TEST(ControlPlaneInitialized, SaysThatTheProviderFillsTheOlderContractOnly) {
  const auto after = Seen(c1()).control_plane(R"({"status":{"initialized":true}})").reported();

  EXPECT_THAT(shown(after, "ControlPlaneInitialized"), HasSubstr("sets status.initialized"));
}

TEST(ControlPlaneInitialized, WithoutAnObjectIsUpToTheFirstNode) {
  const api::Cluster by_hand = a_cluster("c1").without_control_plane_ref();

  const auto waiting = Seen(by_hand).machine(a_machine("cp").control_plane()).reported();
  const auto leaving =
      Seen(by_hand).machine(a_machine("cp").control_plane().on_node("n").deleting()).reported();
  const auto worker = Seen(by_hand).machine(a_machine("w").on_node("n")).reported();
  const auto done = Seen(by_hand).machine(a_machine("cp").control_plane().on_node("n")).reported();

  EXPECT_EQ(shown(waiting, "ControlPlaneInitialized"),
            "False NotInitialized: Waiting for the first control plane machine to have status.nodeRef set");
  EXPECT_EQ(old(waiting, "ControlPlaneInitialized"),
            "False MissingNodeRef/Info: Waiting for the first control plane machine to have its "
            "status.nodeRef set");
  EXPECT_EQ(shown(leaving, "ControlPlaneInitialized").substr(0, 5), "False");
  EXPECT_EQ(shown(worker, "ControlPlaneInitialized").substr(0, 5), "False");
  EXPECT_EQ(shown(done, "ControlPlaneInitialized"), "True Initialized");
  EXPECT_EQ(old(done, "ControlPlaneInitialized"), "True");
  EXPECT_FALSE(done.status.initialization.control_plane_initialized);
}

TEST(WorkersAvailable, SumsUpDeployments) {
  const auto with = [](std::string_view status, std::string_view message) {
    return shown(healthy()
                     .deployment(a_machine_deployment("a").condition("Available", "True"))
                     .deployment(a_machine_deployment("b").condition("Available", status, "X", message))
                     .reported(),
                 "WorkersAvailable");
  };

  EXPECT_EQ(with("True", ""), "True Available");
  EXPECT_EQ(with("False", "1 of 2"), "False NotAvailable: * MachineDeployment b: 1 of 2");
  EXPECT_EQ(with("Unknown", "who knows"), "Unknown AvailableUnknown: * MachineDeployment b: who knows");
}

TEST(MachinesReady, SumsUpControlPlaneAndWorkersApart) {
  const auto after = healthy()
                         .machine(a_machine("cp").control_plane().ready())
                         .machine(a_machine("w").not_ready("kubelet is down"))
                         .machine(a_machine("mp-1").in_pool("mp").not_ready("counted by its pool"))
                         .reported();

  EXPECT_EQ(shown(after, "ControlPlaneMachinesReady"), "True Ready");
  EXPECT_EQ(shown(after, "WorkerMachinesReady"), "False NotReady: * Machine w: kubelet is down");
  EXPECT_EQ(shown(healthy().reported(), "WorkerMachinesReady"), "True NoReplicas");
  EXPECT_EQ(shown(healthy().machine(a_machine("w")).reported(), "WorkerMachinesReady"),
            "Unknown ReadyUnknown: * Machine w: Condition Ready not yet reported");
}

TEST(MachinesUpToDate, GivesYoungMachinesTimeToBeJudged) {
  const auto with = [](Seconds age) {
    return shown(healthy().machine(a_machine("w").aged(age)).reported(), "WorkerMachinesUpToDate");
  };

  EXPECT_EQ(with(Seconds(9)), "True NoReplicas");
  EXPECT_EQ(with(Seconds(10)).substr(0, 24), "Unknown UpToDateUnknown:");
}

TEST(MachinesUpToDate, SumsUpWhatMachinesSay) {
  EXPECT_EQ(shown(healthy().machine(a_machine("w").up_to_date()).reported(), "WorkerMachinesUpToDate"),
            "True UpToDate");
  EXPECT_EQ(shown(healthy().machine(a_machine("w").outdated("* Version v1.34.0")).reported(),
                  "WorkerMachinesUpToDate")
                .substr(0, 17),
            "False NotUpToDate");
}

TEST(Activities, SumUpControlPlaneDeploymentsAndStandAloneSets) {
  const auto rolling = Seen(running())
                           .infrastructure(kReadyInfra)
                           .control_plane(R"({"status":{"conditions":[{"type":"RollingOut","status":"True",
                               "reason":"RollingOut","message":"1 of 3","lastTransitionTime":
                               "2026-01-01T10:00:00Z"}]}})")
                           .reported();
  const auto scaling =
      healthy()
          .set(a_machine_set("alone").owned_by(by_cluster()).condition("ScalingUp", "True", "ScalingUp", "2"))
          .set(a_machine_set("md-1").in_deployment("md").condition("ScalingUp", "True", "ScalingUp", "3"))
          .reported();

  EXPECT_EQ(shown(rolling, "RollingOut"), "True RollingOut: * KubeadmControlPlane c1: 1 of 3");
  EXPECT_EQ(shown(scaling, "ScalingUp"), "True ScalingUp: * MachineSet alone: 2");
  EXPECT_EQ(shown(scaling, "RollingOut"), "False NotRollingOut");
  EXPECT_EQ(shown(healthy().reported(), "ScalingDown"), "False NotScalingDown");
  EXPECT_EQ(shown(healthy().deployment(a_machine_deployment("md")).reported(), "ScalingDown"),
            "Unknown ScalingDownUnknown: * MachineDeployment md: Condition ScalingDown not yet reported");
}

TEST(Remediating, NamesThoseWhoAreAndThoseWhoAreNot) {
  const auto one = healthy().machine(a_machine("a").unhealthy()).reported();
  const auto many = healthy()
                        .machine(a_machine("d").unhealthy())
                        .machine(a_machine("b").unhealthy())
                        .machine(a_machine("c").unhealthy())
                        .machine(a_machine("a").control_plane().unhealthy())
                        .reported();
  const auto now = healthy().machine(a_machine("a").awaiting_remediation()).reported();

  EXPECT_EQ(shown(healthy().reported(), "Remediating"), "False NotRemediating");
  EXPECT_EQ(shown(one, "Remediating"),
            "False NotRemediating: Machine a is not healthy (not to be remediated)");
  EXPECT_EQ(shown(many, "Remediating"),
            "False NotRemediating: Machines a, b, c, ... (1 more) are not healthy (not to be remediated)");
  EXPECT_THAT(shown(now, "Remediating"), HasSubstr("True Remediating: * Machine a: "));
}

TEST(Available, CountsGates) {
  auto cluster = running();
  cluster.spec.availability_gates.push_back({.condition_type = "Backup"_text});
  const auto missing =
      Seen(cluster).infrastructure(kReadyInfra).control_plane(kAvailableControlPlane).reported();
  cluster.spec.availability_gates[0].polarity = "Negative"_text;
  api::conditions::set(cluster.status.conditions, api::conditions::make("Backup", "False", "Idle"), 1,
                       builders::noon());
  const auto negative =
      Seen(cluster).infrastructure(kReadyInfra).control_plane(kAvailableControlPlane).reported();

  EXPECT_EQ(shown(missing, "Available"), "Unknown AvailableUnknown: * Backup: Condition not yet reported");
  EXPECT_EQ(shown(negative, "Available"), "True Available");
}

TEST(TopologyReconciled, IsFalseWithTheRemedyAndNotUnreported) {
  auto cluster = running();
  cluster.spec.topology = api::RawJson::from_compact(R"({"version":"v1.34.0"})");

  const auto after =
      Seen(cluster).infrastructure(kReadyInfra).control_plane(kAvailableControlPlane).reported();

  const std::string told =
      "Capstan reconciles no topologies: the objects of this Cluster are reconciled as they are, and "
      "spec.topology changes none of them. Let Cluster API's own core manager reconcile this Cluster, or "
      "make "
      "one that has spec.infrastructureRef and spec.controlPlaneRef instead of spec.topology";
  EXPECT_EQ(shown(after, "TopologyReconciled"), "False TopologyNotSupported: " + told);
  EXPECT_EQ(shown(after, "Available"), "False NotAvailable: * TopologyReconciled: " + told);
  EXPECT_EQ(old(after, "TopologyReconciled"), "False TopologyNotSupported/Error: " + told);
  EXPECT_EQ(old(after, "Ready"), "True");
}

TEST(TopologyReconciled, IsMissingWithoutATopologyAlsoAfterOneWasTakenOut) {
  auto cluster = running();
  api::conditions::set(cluster.status.conditions,
                       api::conditions::make("TopologyReconciled", "False", "TopologyNotSupported"), 1,
                       builders::noon());

  const auto after =
      Seen(cluster).infrastructure(kReadyInfra).control_plane(kAvailableControlPlane).reported();

  EXPECT_EQ(api::conditions::find(after.status.conditions, "TopologyReconciled"), nullptr);
  EXPECT_EQ(shown(after, "Available"), "True Available");
}

TEST(TopologyReconciled, NamesNoRemedyOfAClusterOnItsWayOut) {
  auto cluster = going();
  cluster.spec.topology = api::RawJson::from_compact(R"({"version":"v1.34.0"})");

  const auto after = Seen(cluster).infrastructure("{}").control_plane("{}").reported();

  EXPECT_EQ(shown(after, "TopologyReconciled"), "False Deleting: Cluster is deleting");
  EXPECT_EQ(old(after, "TopologyReconciled"), "False Deleting/Info");
}

TEST(Available, VanishedProviderObjectsAreNoNewsWhileTheClusterGoes) {
  const auto staying = Seen(running()).reported();
  const auto leaving = Seen(going()).reported();

  EXPECT_THAT(shown(staying, "Available"), HasSubstr("InfrastructureReady"));
  EXPECT_EQ(shown(leaving, "Available"), "False NotAvailable: * Deleting: DeletionCompleted");
}

TEST(Deleting, TellsTheStepOrThatItFailed) {
  const auto seen = Seen(going()).infrastructure("{}").control_plane("{}").machine(a_machine("w"));

  EXPECT_EQ(shown(seen.reported(), "Deleting"), "True WaitingForWorkersDeletion: * Worker Machines: w");
  EXPECT_EQ(shown(seen.reported({.deletion_failed = true, .errors = {Error{.message = "no"}}}), "Deleting"),
            "True InternalError: Please check controller logs for errors");
}

TEST(OldConditions, WaitForTheProviders) {
  const auto after = Seen(c1()).infrastructure("{}").control_plane("{}").reported();

  EXPECT_EQ(old(after, "InfrastructureReady"), "False WaitingForInfrastructure/Info");
  EXPECT_EQ(old(after, "ControlPlaneReady"), "False WaitingForControlPlane/Info");
  EXPECT_EQ(old(after, "ControlPlaneInitialized"),
            "False WaitingForControlPlaneProviderInitialized/Info: Waiting for control plane provider to "
            "indicate the control plane has been initialized");
  EXPECT_EQ(old(after, "Ready").substr(0, 5), "False");
}

TEST(OldConditions, AreTrueWhenAllIsWell) {
  const auto after = healthy().reported();

  EXPECT_EQ(old(after, "Ready"), "True");
  EXPECT_EQ(old(after, "InfrastructureReady"), "True Fine/");
  EXPECT_EQ(old(after, "ControlPlaneReady"), "True");
  EXPECT_EQ(old(after, "ControlPlaneInitialized"), "True");
}

TEST(OldConditions, MirrorAProvidersOwn) {
  const auto after = Seen(c1())
                         .infrastructure(R"({"status":{"conditions":[{"type":"Ready","status":"False",
                             "severity":"Error","reason":"Quota","message":"none left",
                             "lastTransitionTime":"2026-01-01T10:00:00Z"}]}})")
                         .reported();

  EXPECT_EQ(old(after, "InfrastructureReady"), "False Quota/Error: none left");
}

TEST(OldConditions, SayNothingOfAProviderObjectThatIsMissing) {
  const auto after = Seen(c1()).reported();

  EXPECT_EQ(old(after, "InfrastructureReady"), "absent");
  EXPECT_EQ(old(after, "Ready"), "absent");
}

TEST(OldConditions, TellADeletion) {
  const auto leaving = Seen(going()).infrastructure("{}").control_plane("{}").reported();
  const auto gone = Seen(going()).reported();

  EXPECT_EQ(old(leaving, "InfrastructureReady"), "False Deleting/Info");
  EXPECT_EQ(old(leaving, "ControlPlaneReady"), "False Deleting/Info");
  EXPECT_EQ(old(gone, "InfrastructureReady"), "False Deleted/Info");
  EXPECT_EQ(old(gone, "ControlPlaneReady"), "False Deleted/Info");
}

TEST(Report, CopiesFailuresOfProvidersForGood) {
  const auto failed =
      Seen(c1())
          .infrastructure(R"({"status":{"failureReason":"Broken","failureMessage":"no network"}})")
          .reported();
  const auto healed = Seen(failed).infrastructure("{}").reported();

  for (const auto& cluster : {failed, healed}) {
    ASSERT_TRUE(cluster.status.deprecated);
    EXPECT_EQ(cluster.status.deprecated->v1beta1->failure_reason.view(), "Broken");
    EXPECT_EQ(cluster.status.deprecated->v1beta1->failure_message.view(),
              "Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, "
              "Kind=DockerCluster with name \"c1\": no network");
  }
}

TEST(Report, FailureDomainsFollowTheInfrastructure) {
  const auto first = Seen(c1())
                         .infrastructure(R"({"status":{"initialization":{"provisioned":true},
                             "failureDomains":[{"name":"b","controlPlane":true},{"name":"a"}]}})")
                         .reported();
  const auto later = Seen(first).infrastructure(kReadyInfra).reported();

  ASSERT_EQ(first.status.failure_domains.size(), 2U);
  EXPECT_EQ(first.status.failure_domains[0].name.view(), "a");
  EXPECT_EQ(first.status.failure_domains[0].control_plane, false);
  EXPECT_TRUE(later.status.failure_domains.empty());
}

TEST(Report, FailureDomainsStayWhileTheInfrastructureCanNotBeRead) {
  auto cluster = running();
  cluster.status.failure_domains.push_back({.name = "a"_text});

  EXPECT_EQ(Seen(cluster).reported().status.failure_domains.size(), 1U);
}

TEST(Counters, CopyTheControlPlane) {
  const auto after = healthy().reported();

  ASSERT_TRUE(after.status.control_plane);
  EXPECT_EQ(after.status.control_plane->desired_replicas, 3);
  EXPECT_EQ(after.status.control_plane->replicas, 3);
  EXPECT_EQ(after.status.control_plane->ready_replicas, 2);
  EXPECT_EQ(after.status.control_plane->available_replicas, 1);
  EXPECT_EQ(after.status.control_plane->up_to_date_replicas, 3);
  ASSERT_EQ(after.status.control_plane->versions.size(), 1U);
}

TEST(Counters, KeepWhatTheControlPlaneStoppedReporting) {
  const auto before = healthy().reported();

  const auto silent = Seen(before).infrastructure(kReadyInfra).control_plane("{}").reported();
  const auto lost = Seen(before).infrastructure(kReadyInfra).reported();

  EXPECT_EQ(silent.status.control_plane->ready_replicas, 2);
  EXPECT_TRUE(silent.status.control_plane->versions.empty());
  EXPECT_EQ(*lost.status.control_plane, api::ReplicaCounts());
}

TEST(Counters, CountControlPlaneMachinesThatNobodyManages) {
  const auto after = Seen(a_cluster("c1").without_control_plane_ref())
                         .machine(a_machine("a").control_plane().running().up_to_date())
                         .machine(a_machine("b").control_plane())
                         .reported();
  const auto none = Seen(a_cluster("c1").without_control_plane_ref()).reported();

  EXPECT_EQ(after.status.control_plane->desired_replicas, 2);
  EXPECT_EQ(after.status.control_plane->ready_replicas, 1);
  EXPECT_EQ(after.status.control_plane->available_replicas, 1);
  EXPECT_EQ(after.status.control_plane->up_to_date_replicas, 1);
  ASSERT_TRUE(none.status.control_plane);
  EXPECT_EQ(none.status.control_plane->desired_replicas, std::nullopt);
}

TEST(Counters, SumUpWorkersThatTheClusterOwns) {
  auto deployment = a_machine_deployment("md").replicas(3).owned_by(by_cluster());
  deployment.with([](api::MachineDeployment& md) {
    md.status.replicas = 4;
    md.status.ready_replicas = 2;
    md.status.versions = {{.version = "v1.35.0"_text, .replicas = 1},
                          {.version = "v1.9.0"_text, .replicas = 3}};
  });
  const auto after = healthy()
                         .deployment(deployment)
                         .set(a_machine_set("md-1").in_deployment("md").replicas(3).reporting(3, 3, 3))
                         .set(a_machine_set("alone").owned_by(by_cluster()).replicas(2).reporting(2, 2, 1))
                         .machine(a_machine("single").owned_by(by_cluster()).ready().version("v1.35.0"))
                         .machine(a_machine("of-set").in_set("alone").ready())
                         .reported();

  ASSERT_TRUE(after.status.workers);
  EXPECT_EQ(after.status.workers->desired_replicas, 6);
  EXPECT_EQ(after.status.workers->replicas, 7);
  EXPECT_EQ(after.status.workers->ready_replicas, 5);
  EXPECT_EQ(after.status.workers->available_replicas, 1);
  EXPECT_EQ(after.status.workers->up_to_date_replicas, 0);
  Words versions;
  for (const auto& each : after.status.workers->versions)
    versions.push_back(each.version.str() + " x" + std::to_string(each.replicas.value_or(0)));
  EXPECT_THAT(versions, ElementsAre("v1.9.0 x3", "v1.35.0 x2"));
}

TEST(Counters, LeaveUpgradePlansToTheirOwner) {
  auto cluster = running();
  cluster.status.workers.emplace().upgrade_plan.push_back({.version = "v1.36.0"_text});

  const auto after = Seen(cluster).infrastructure(kReadyInfra).reported();

  EXPECT_EQ(after.status.workers->upgrade_plan.size(), 1U);
}

TEST(OwnedConditions, AreAllThatAReportWrites) {
  const auto after = healthy().reported();

  for (const auto& each : after.status.conditions)
    EXPECT_NE(std::ranges::find(owned_conditions(), each.type.view()), owned_conditions().end())
        << each.type.view();
  for (const auto& each : after.status.deprecated->v1beta1->conditions)
    EXPECT_NE(std::ranges::find(owned_v1beta1_conditions(), each.type.view()),
              owned_v1beta1_conditions().end())
        << each.type.view();
}

}  // namespace
}  // namespace capstan::controllers::cluster
