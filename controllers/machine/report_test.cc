#include "controllers/machine/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_node;
using State = ExternalSeen::State;

// "False NotReady: why"
std::string shown(const Report& report, std::string_view type) {
  const auto found = api::conditions::find(report.machine.status.conditions, type);
  if (found == nullptr) return "nothing";
  return found->status.str() + " " + found->reason.str() +
         (found->message.empty() ? "" : ": " + found->message.str());
}

// "False/Info Waiting: why"
std::string v1beta1_shown_by(const Report& report, std::string_view type) {
  const auto& block = report.machine.status.deprecated;
  if (!block || !block->v1beta1) return "nothing";
  const auto found = api::conditions::v1beta1::find(block->v1beta1->conditions, type);
  if (found == nullptr) return "nothing";
  return found->status.str() + (found->severity.empty() ? "" : "/" + found->severity.str()) +
         (found->reason.empty() ? "" : " " + found->reason.str()) +
         (found->message.empty() ? "" : ": " + found->message.str());
}

api::Machine m1() { return a_machine("m1").in_set("ms1").version("v1.36.3"); }
api::Machine provisioned() { return a_machine("m1").in_set("ms1").version("v1.36.3").provisioned(); }

Observation on_its_way() { return seen_of(m1()); }
Observation waiting_for_node() {
  auto seen = seen_of(provisioned());
  bootstrap_done(seen);
  infra_done(seen);
  seen.node.lookup = NodeSeen::Lookup::None;
  return seen;
}
Observation running() {
  auto seen = waiting_for_node();
  on_node(seen, a_node("m1"));
  return seen;
}
Observation deleting(api::Machine machine) {
  machine.metadata.deletion_timestamp = kNow;
  auto seen = seen_of(std::move(machine));
  seen.node.lookup = NodeSeen::Lookup::None;
  return seen;
}
template <typename Fn>
void change_machine(Observation& seen, Fn&& change) {
  api::Machine machine = *seen.machine;
  std::forward<Fn>(change)(machine);
  seen.machine = std::make_shared<const api::Machine>(std::move(machine));
}
template <typename Fn>
void change_cluster(Observation& seen, Fn&& change) {
  api::Cluster cluster = *seen.cluster;
  std::forward<Fn>(change)(cluster);
  seen.cluster = std::make_shared<const api::Cluster>(std::move(cluster));
}
json::array ready_condition(std::string_view status, json::object more = {}) {
  more["type"] = "Ready";
  more["status"] = status;
  more["lastTransitionTime"] = "2026-01-01T12:30:00Z";
  return {std::move(more)};
}

// --- the whole ---

TEST(Report, ChangesNothingTheSecondTime) {
  for (auto seen : {on_its_way(), waiting_for_node(), running()}) {
    const auto once = reported(seen);
    seen.machine = std::make_shared<const api::Machine>(once.machine);

    const auto twice = reported(seen);

    EXPECT_EQ(twice.machine, once.machine);
  }
}

TEST(Report, ARunningMachineIsReadyAndAvailableAtOnce) {
  const auto report = reported(running());

  EXPECT_EQ(shown(report, "Ready"), "True Ready");
  EXPECT_EQ(shown(report, "Available"), "True Available");
  EXPECT_EQ(shown(report, "Paused"), "False NotPaused");
  EXPECT_EQ(shown(report, "Deleting"), "False NotDeleting");
  EXPECT_EQ(shown(report, "Updating"), "False NotUpdating");
  EXPECT_EQ(report.machine.status.observed_generation, 1);
}

TEST(Report, LeavesConditionsOfOthersAlone) {
  auto seen = running();
  change_machine(seen, [](api::Machine& machine) {
    machine = builders::MachineBuilder(a_machine("m1").provisioned().awaiting_remediation()).build();
  });

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "HealthCheckSucceeded"), "False UnhealthyNode");
  EXPECT_EQ(shown(report, "OwnerRemediated"), "False WaitingForRemediation: Waiting for remediation");
  EXPECT_EQ(shown(report, "Ready"), "False NotReady: * HealthCheckSucceeded: UnhealthyNode");
}

TEST(Report, TroubleKeepsTheObservedGenerationBack) {
  auto seen = on_its_way();
  seen.infra = in_state(State::Unreadable, "CustomResourceDefinition x does not exist");

  EXPECT_EQ(reported(seen).machine.status.observed_generation, 0);
}

TEST(Report, AListThatFailsTakesNothingBackOfWhatWasSeen) {
  auto seen = running();
  seen.machine = std::make_shared<const api::Machine>(reported(seen).machine);
  seen.infra = in_state(State::CacheBehind, "its webhook does not answer");
  seen.infra.listed_soon = false;
  on_node(seen, a_node("m1").not_ready());

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "InfrastructureReady"), "True Ready");
  EXPECT_THAT(shown(report, "NodeReady"), testing::StartsWith("False"));
}

TEST(Report, AListThatFailsIsToldWhereTheKindWasUnknownBefore) {
  auto seen = on_its_way();
  seen.infra = in_state(State::Unreadable, "CustomResourceDefinition x does not exist");
  seen.machine = std::make_shared<const api::Machine>(reported(seen).machine);
  seen.infra = in_state(State::CacheBehind, "may not list x");
  seen.infra.listed_soon = false;

  EXPECT_EQ(shown(reported(seen), "InfrastructureReady"),
            "Unknown InternalError: spec.infrastructureRef: may not list x");
}

TEST(Report, ALostRaceDoesNotKeepTheObservedGenerationBack) {
  const auto seen = on_its_way();
  const Plan plan = decide(seen);

  const auto raced = report(seen, plan, {.machine = *seen.machine, .errors = {{.code = Code::Conflict}}});
  const auto failed = report(seen, plan, {.machine = *seen.machine, .errors = {{.code = Code::Forbidden}}});

  EXPECT_EQ(raced.machine.status.observed_generation, 1);
  EXPECT_EQ(failed.machine.status.observed_generation, 0);
}

// --- BootstrapConfigReady ---

TEST(BootstrapConfigReady, IsTrueWithoutAConfig) {
  auto seen = on_its_way();
  change_machine(seen, [](api::Machine& machine) { machine.spec.bootstrap.config_ref.reset(); });
  seen.bootstrap = {};

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "BootstrapConfigReady"), "True DataSecretProvided");
  EXPECT_EQ(v1beta1_shown_by(report, "BootstrapReady"), "nothing");
}

TEST(BootstrapConfigReady, MirrorsReadyWithItsTime) {
  auto seen = on_its_way();
  bootstrap_says(seen,
                 {{"conditions", ready_condition("False", {{"reason", "Waiting"}, {"message", "for it"}})}});

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "BootstrapConfigReady"), "False Waiting: for it");
  EXPECT_EQ(api::conditions::find(report.machine.status.conditions, "BootstrapConfigReady")
                ->last_transition_time.to_string(),
            "2026-01-01T12:30:00Z");
}

TEST(BootstrapConfigReady, GivesAReadyWithoutReasonOne) {
  auto seen = on_its_way();
  bootstrap_says(seen, {{"conditions", ready_condition("True")}});
  const auto good = reported(seen);
  bootstrap_says(seen, {{"conditions", ready_condition("False")}});
  const auto bad = reported(seen);

  EXPECT_EQ(shown(good, "BootstrapConfigReady"), "True Ready");
  EXPECT_EQ(shown(bad, "BootstrapConfigReady"), "False NoReasonReported");
}

TEST(BootstrapConfigReady, SaysWhenConditionsCannotBeRead) {
  auto seen = on_its_way();
  bootstrap_says(seen, {{"conditions", ready_condition("Perhaps")}});

  EXPECT_EQ(
      shown(reported(seen), "BootstrapConfigReady"),
      "Unknown InvalidConditionReported: KubeadmConfig default/m1: condition Ready: status must be True, "
      "False or Unknown, not \"Perhaps\"");
}

TEST(BootstrapConfigReady, FallsBackToTheMachinesOwnFlag) {
  auto seen = on_its_way();
  const auto before = reported(seen);
  bootstrap_done(seen);
  const auto after = reported(seen);

  EXPECT_EQ(shown(before, "BootstrapConfigReady"),
            "False NotReady: KubeadmConfig status.initialization.dataSecretCreated is false");
  EXPECT_EQ(v1beta1_shown_by(before, "BootstrapReady"), "False/Info WaitingForDataSecret");
  EXPECT_EQ(shown(after, "BootstrapConfigReady"), "True Ready");
  EXPECT_EQ(v1beta1_shown_by(after, "BootstrapReady"), "True");
}

TEST(BootstrapConfigReady, SaysWhyTheReferenceLeadsNowhere) {
  auto seen = on_its_way();
  seen.bootstrap = in_state(State::Unreadable, "CustomResourceDefinition x does not exist");

  EXPECT_EQ(shown(reported(seen), "BootstrapConfigReady"),
            "Unknown InternalError: spec.bootstrap.configRef: CustomResourceDefinition x does not exist");
}

TEST(BootstrapConfigReady, SaysWhenTheObjectIsNotThere) {
  auto seen = on_its_way();
  seen.bootstrap = in_state(State::Missing);

  EXPECT_EQ(shown(reported(seen), "BootstrapConfigReady"),
            "False ObjectDoesNotExist: KubeadmConfig does not exist");
}

TEST(BootstrapConfigReady, SaysThatTheObjectHasGoneWithTheMachine) {
  auto used = deleting(provisioned());
  used.bootstrap = in_state(State::Missing);
  auto unused = deleting(m1());
  unused.bootstrap = in_state(State::Missing);

  EXPECT_EQ(shown(reported(used), "BootstrapConfigReady"),
            "False ObjectDeleted: KubeadmConfig has been deleted");
  EXPECT_EQ(shown(reported(unused), "BootstrapConfigReady"),
            "False ObjectDoesNotExist: KubeadmConfig does not exist");
}

TEST(BootstrapConfigReady, OlderContractUnderTheNewerLabelBeatsAReadyOfTrue) {
  auto seen = on_its_way();
  bootstrap_says(seen, {{"ready", true}, {"conditions", ready_condition("True", {{"reason", "Ready"}})}});

  EXPECT_THAT(
      shown(reported(seen), "BootstrapConfigReady"),
      testing::StartsWith("False NotReady: KubeadmConfig fills only status.ready of contract v1beta1"));
}

// --- InfrastructureReady ---

TEST(InfrastructureReady, FallsBackToTheMachinesOwnFlag) {
  auto seen = on_its_way();
  const auto before = reported(seen);
  infra_done(seen);
  const auto after = reported(seen);

  EXPECT_EQ(shown(before, "InfrastructureReady"),
            "False NotReady: DockerMachine status.initialization.provisioned is false");
  EXPECT_EQ(v1beta1_shown_by(before, "InfrastructureReady"), "False/Info WaitingForInfrastructure");
  EXPECT_EQ(shown(after, "InfrastructureReady"), "True Ready");
}

TEST(InfrastructureReady, OldAndNewFollowDifferentInputs) {
  auto seen = running();
  infra_says(seen, {{"providerID", "docker:////m1"}}, {{"initialization", {{"provisioned", false}}}});

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "InfrastructureReady"), "True Ready");
  EXPECT_EQ(v1beta1_shown_by(report, "InfrastructureReady"), "False/Info WaitingForInfrastructure");
}

TEST(InfrastructureReady, MirrorsTheOlderConditionsToo) {
  auto seen = on_its_way();
  infra_says(
      seen, {},
      {{"conditions",
        ready_condition("False", {{"reason", "Waiting"}, {"severity", "Warning"}, {"message", "quota"}})}});

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "InfrastructureReady"), "False Waiting: quota");
  EXPECT_EQ(v1beta1_shown_by(report, "InfrastructureReady"), "False/Warning Waiting: quota");
}

TEST(InfrastructureReady, ObjectThatVanishedIsAFailureForOlderClients) {
  auto seen = running();
  seen.infra = in_state(State::Missing);

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "InfrastructureReady"),
            "False ObjectDeleted: DockerMachine has been deleted while the Machine still exists");
  EXPECT_EQ(report.machine.status.deprecated->v1beta1->failure_reason, "InvalidConfiguration");
  EXPECT_EQ(
      report.machine.status.deprecated->v1beta1->failure_message,
      "Machine infrastructure resource DockerMachine default/m1 has been deleted after provisioning was "
      "completed");
}

TEST(InfrastructureReady, ObjectThatWentWithTheMachineIsNone) {
  auto seen = deleting(provisioned());
  seen.infra = in_state(State::Missing);
  auto never = deleting(m1());
  never.infra = in_state(State::Missing);

  EXPECT_EQ(shown(reported(seen), "InfrastructureReady"),
            "False ObjectDeleted: DockerMachine has been deleted");
  EXPECT_EQ(shown(reported(never), "InfrastructureReady"),
            "False ObjectDoesNotExist: DockerMachine does not exist");
}

TEST(InfrastructureReady, FailuresOfTheProviderAreCopiedForOlderClients) {
  auto seen = on_its_way();
  infra_says(seen, {}, {{"failureReason", "CreateError"}, {"failureMessage", "no quota"}});

  const auto report = reported(seen);

  EXPECT_EQ(report.machine.status.deprecated->v1beta1->failure_reason, "CreateError");
  EXPECT_EQ(
      report.machine.status.deprecated->v1beta1->failure_message,
      "Failure detected from referenced resource x.cluster.x-k8s.io/v1beta2, Kind=DockerMachine with name "
      "\"m1\": no quota");
}

// --- NodeReady, NodeHealthy ---

TEST(NodeConditions, WaitForTheClustersInfrastructureAndControlPlane) {
  auto nothing = seen_of(m1(), a_cluster().build());
  auto infrastructure = seen_of(m1(), a_cluster().infrastructure_provisioned().build());
  auto no_cluster = on_its_way();
  no_cluster.cluster = nullptr;

  EXPECT_EQ(
      shown(reported(nothing), "NodeReady"),
      "Unknown InspectionFailed: Waiting for Cluster status.initialization.infrastructureProvisioned to be "
      "true");
  EXPECT_EQ(shown(reported(infrastructure), "NodeHealthy"),
            "Unknown InspectionFailed: Waiting for Cluster control plane to be initialized");
  EXPECT_EQ(shown(reported(no_cluster), "NodeReady"),
            "Unknown InspectionFailed: Waiting for Cluster c1 to exist");
}

TEST(NodeConditions, WaitForProviderIdAndThenForTheNode) {
  const auto early = reported(on_its_way());
  const auto late = reported(waiting_for_node());

  EXPECT_EQ(shown(early, "NodeReady"),
            "Unknown InspectionFailed: Waiting for DockerMachine to report spec.providerID");
  EXPECT_EQ(v1beta1_shown_by(early, "NodeHealthy"), "False/Info WaitingForNodeRef");
  EXPECT_EQ(shown(late, "NodeReady"),
            "Unknown InspectionFailed: Waiting for a Node with spec.providerID docker:////m1 to exist");
  EXPECT_EQ(v1beta1_shown_by(late, "NodeHealthy"),
            "False/Warning NodeProvisioning: Waiting for a node with matching ProviderID to exist");
}

TEST(NodeConditions, SayWhatTheNodeSays) {
  const auto report = reported(running());

  EXPECT_EQ(shown(report, "NodeReady"), "True NodeReady");
  EXPECT_EQ(shown(report, "NodeHealthy"), "True NodeHealthy");
  EXPECT_EQ(v1beta1_shown_by(report, "NodeHealthy"), "True");
}

TEST(NodeConditions, SayWhyTheNodeIsNotReadyAndSinceWhen) {
  auto seen = running();
  on_node(seen, a_node("m1").condition("Ready", "False", "kubelet stopped", noon() + Seconds(60)));

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"), "False NodeNotReady: * Node.Ready: kubelet stopped");
  EXPECT_EQ(api::conditions::find(report.machine.status.conditions, "NodeReady")->last_transition_time,
            noon() + Seconds(60));
  EXPECT_EQ(shown(report, "NodeHealthy"), "False NodeNotHealthy: * Node.Ready: kubelet stopped");
  EXPECT_EQ(v1beta1_shown_by(report, "NodeHealthy"),
            "False/Warning NodeConditionsFailed: Node condition Ready is False");
  EXPECT_EQ(shown(report, "Ready"), "False NotReady: * NodeHealthy:\n  * Node.Ready: kubelet stopped");
}

TEST(NodeConditions, JoinEqualMessagesAndCountPressure) {
  auto same = running();
  on_node(same, a_node("m1")
                    .condition("Ready", "Unknown", "silent")
                    .condition("MemoryPressure", "Unknown", "silent")
                    .condition("DiskPressure", "Unknown", "silent")
                    .condition("PIDPressure", "Unknown", "silent"));
  auto pressed = running();
  on_node(pressed,
          a_node("m1").condition("DiskPressure", "True", "full").condition("PIDPressure", "Unknown"));

  const auto unknown = reported(same);
  const auto bad = reported(pressed);

  EXPECT_EQ(shown(unknown, "NodeHealthy"), "Unknown NodeHealthyUnknown: * Node.AllConditions: silent");
  EXPECT_EQ(shown(unknown, "NodeReady"), "Unknown NodeReadyUnknown: * Node.Ready: silent");
  EXPECT_EQ(v1beta1_shown_by(unknown, "NodeHealthy"),
            "Unknown NodeConditionsFailed: Node condition Ready is Unknown. Node condition MemoryPressure is "
            "Unknown. Node condition DiskPressure is Unknown. Node condition PIDPressure is Unknown");
  EXPECT_EQ(shown(bad, "NodeHealthy"),
            "False NodeNotHealthy: * Node.DiskPressure: full\n* Node.PIDPressure: Condition is Unknown");
}

TEST(NodeConditions, ConditionsTheKubeletOwesAreUnknown) {
  auto seen = running();
  api::Node node = a_node("m1");
  node.status.conditions = {};
  on_node(seen, node);

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"), "Unknown NodeReadyUnknown: * Node.Ready: Condition not yet reported");
  EXPECT_EQ(shown(report, "NodeHealthy"),
            "Unknown NodeHealthyUnknown: * Node.AllConditions: Condition not yet reported");
  EXPECT_EQ(v1beta1_shown_by(report, "NodeHealthy"), "True");
}

TEST(NodeConditions, SayWhenTheNodeIsGone) {
  auto lost = waiting_for_node();
  change_machine(lost, [](api::Machine& machine) { machine.status.node_ref = {.name = "n1"_text}; });
  auto expected = deleting(a_machine("m1").provisioned().on_node("n1"));
  auto never = deleting(provisioned());

  EXPECT_EQ(shown(reported(lost), "NodeReady"),
            "False NodeDeleted: Node n1 has been deleted while the Machine still exists");
  EXPECT_EQ(v1beta1_shown_by(reported(lost), "NodeHealthy"), "False/Error NodeNotFound");
  EXPECT_EQ(shown(reported(expected), "NodeReady"), "False NodeDeleted: Node n1 has been deleted");
  EXPECT_EQ(shown(reported(never), "NodeReady"), "Unknown NodeDoesNotExist: Node does not exist");
}

TEST(NodeConditions, NameBothNodesOfOneProviderId) {
  auto seen = waiting_for_node();
  seen.node.lookup = NodeSeen::Lookup::Many;
  seen.node.names = {"n1", "n2"};

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"),
            "Unknown InternalError: Nodes n1, n2 have the same spec.providerID docker:////m1: delete those "
            "that are "
            "not this Machine's");
  EXPECT_EQ(v1beta1_shown_by(report, "NodeHealthy"),
            "Unknown NodeInspectionFailed: Failed to get the Node for this Machine by ProviderID");
}

TEST(NodeConditions, OlderOneFollowsTheInfrastructureOnTheWayOut) {
  auto seen = deleting(a_machine("m1").provisioned().on_node("m1"));
  on_node(seen, a_node("m1"));
  infra_done(seen);
  seen.infra = changed(seen.infra, [](auto& object) { object.metadata.deletion_timestamp = kNow; });

  EXPECT_EQ(v1beta1_shown_by(reported(seen), "NodeHealthy"), "False/Info Deleting");
}

// As upstream, from the moment on when its infrastructure is being deleted.
TEST(NodeConditions, OlderOneIsDeletingForAMachineThatNeverHadANode) {
  for (const auto lookup :
       {NodeSeen::Lookup::NotAsked, NodeSeen::Lookup::None, NodeSeen::Lookup::NotConnected}) {
    auto seen = deleting(a_machine("m1"));
    seen.node.lookup = lookup;
    const Plan plan = decide(seen);
    for (const auto reason : {"WaitingForInfrastructureDeletion", "WaitingForBootstrapDeletion"}) {
      Effects effects{.machine = plan.wanted, .deletion = DeletionReport{.reason = reason}};

      EXPECT_EQ(v1beta1_shown_by(report(seen, plan, effects), "NodeHealthy"), "False/Info Deleting");
    }
  }
}

// The two conditions of one type would have a new time in every report.
TEST(NodeConditions, OlderOneKeepsItsTimeWhileTheNodeCanNotBeDeleted) {
  auto seen = deleting(a_machine("m1").provisioned().on_node("m1"));
  Plan plan = decide(seen);
  Effects effects{.machine = plan.wanted,
                  .deletion = DeletionReport{
                      .reason = "DeletingNode",
                      .older = {api::conditions::v1beta1::no("NodeHealthy", "DeletionFailed", "Warning")}}};
  const auto first = report(seen, plan, effects);
  seen.machine = std::make_shared<const api::Machine>(first.machine);
  seen.now = kNow + Seconds(2);
  plan = decide(seen);
  effects.machine = plan.wanted;

  const auto second = report(seen, plan, effects);

  EXPECT_EQ(v1beta1_shown_by(second, "NodeHealthy"), "False/Warning DeletionFailed");
  EXPECT_EQ(second.machine.status, first.machine.status);
}

TEST(NodeConditions, AStatusThatIsNoneIsUnknown) {
  auto seen = waiting_for_node();
  on_node(seen, a_node("m1").condition("Ready", "Maybe", "who knows").condition("DiskPressure", ""));

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"), "Unknown NodeReadyUnknown: * Node.Ready: who knows");
  EXPECT_THAT(shown(report, "NodeHealthy"), testing::StartsWith("Unknown NodeHealthyUnknown: "));
}

TEST(InfrastructureReady, AReasonThatIsNoneIsReplacedAndTold) {
  auto seen = waiting_for_node();
  infra_says(seen, {{"providerID", "docker:////m1"}},
             {{"initialization", {{"provisioned", true}}},
              {"conditions", ready_condition("False", {{"reason", "no disk left"}, {"message", "sorry"}})}});

  EXPECT_EQ(shown(reported(seen), "InfrastructureReady"),
            "False NoReasonReported: sorry\n* reason \"no disk left\" is not a CamelCase word");
}

// --- a cluster out of reach ---

Observation out_of_reach(kubeconfig::Reach reach) {
  auto seen = running();
  seen.machine = std::make_shared<const api::Machine>(reported(seen).machine);
  seen.node = {.lookup = NodeSeen::Lookup::NotConnected, .reach = std::move(reach)};
  return seen;
}

TEST(OutOfReach, KeepsWhatWasKnownForTheGracePeriod) {
  const auto seen = out_of_reach({.last_success = kNow + Seconds(-60), .first_failure = kNow + Seconds(-50)});

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"), "True NodeReady");
  EXPECT_EQ(shown(report, "NodeHealthy"), "True NodeHealthy");
  EXPECT_EQ(report.recheck, Seconds(241));
}

TEST(OutOfReach, KnowsNothingMoreAfterTheGracePeriod) {
  const auto seen =
      out_of_reach({.last_success = kNow + Seconds(-301), .first_failure = kNow + Seconds(-290)});

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "NodeReady"),
            "Unknown ConnectionDown: Last successful probe at 2026-01-01T12:54:59Z");
  EXPECT_EQ(shown(report, "NodeHealthy"),
            "Unknown ConnectionDown: Last successful probe at 2026-01-01T12:54:59Z");
  EXPECT_EQ(report.recheck, std::nullopt);
}

TEST(OutOfReach, GracePeriodIsASetting) {
  auto seen = out_of_reach({.last_success = kNow + Seconds(-121)});
  seen.settings.conditions_grace = Seconds(120);

  EXPECT_EQ(shown(reported(seen), "NodeReady"),
            "Unknown ConnectionDown: Last successful probe at 2026-01-01T12:57:59Z");
}

TEST(OutOfReach, SaysThatNoConnectionWasEverMade) {
  auto fresh = waiting_for_node();
  fresh.node = {.lookup = NodeSeen::Lookup::NotConnected, .reach = {}};
  auto trying = fresh;
  trying.node.reach.first_failure = kNow + Seconds(-20);
  auto given_up = fresh;
  given_up.node.reach.first_failure = kNow + Seconds(-3000);

  EXPECT_EQ(shown(reported(fresh), "NodeReady"),
            "Unknown ConnectionDown: Remote connection not established yet");
  EXPECT_EQ(reported(fresh).recheck, std::nullopt);
  EXPECT_EQ(reported(trying).recheck, Seconds(30));
  EXPECT_EQ(shown(reported(given_up), "NodeReady"), "Unknown ConnectionDown: Last successful probe at ");
}

TEST(OutOfReach, AManagerThatHasJustStartedTakesNothingBackThatWasKnown) {
  auto seen = out_of_reach({.last_success = kNow + Seconds(-3000), .first_failure = kNow + Seconds(-2990)});
  seen.machine = std::make_shared<const api::Machine>(reported(seen).machine);

  seen.node.reach = {.first_failure = kNow + Seconds(-20)};
  EXPECT_EQ(reported(seen).machine, *seen.machine);
  seen.node.reach = {.first_failure = kNow + Seconds(-3000)};
  EXPECT_EQ(reported(seen).machine, *seen.machine);
  EXPECT_EQ(reported(seen).recheck, std::nullopt);
}

TEST(OutOfReach, LostBetweenTwoLooksIsNoDeletedNode) {
  auto seen = out_of_reach({.connected = true, .last_success = kNow});

  EXPECT_EQ(shown(reported(seen), "NodeReady"), "True NodeReady");
}

// --- Deleting, Updating ---

TEST(Deleting, ShowsTheStage) {
  const auto seen = deleting(provisioned());
  const Plan plan = decide(seen);
  const Effects effects{.machine = *seen.machine,
                        .deletion = DeletionReport{.reason = "DrainingNode",
                                                   .message = "Drain not completed yet",
                                                   .marks = {.node_drain_start_time = kNow}}};

  const auto report = machine::report(seen, plan, effects);

  EXPECT_EQ(shown(report, "Deleting"), "True DrainingNode: Drain not completed yet");
  EXPECT_EQ(report.machine.status.deletion->node_drain_start_time, kNow);
  EXPECT_EQ(report.machine.status.phase, "Deleting");
}

TEST(Updating, FollowsTheAnnotation) {
  auto seen = running();
  change_machine(seen, [](api::Machine& machine) {
    machine.metadata.annotations.set("in-place-updates.internal.cluster.x-k8s.io/update-in-progress", "");
  });

  const auto report = reported(seen);

  EXPECT_EQ(shown(report, "Updating"), "True InPlaceUpdating: In-place update in progress");
  EXPECT_EQ(shown(report, "Ready"), "False NotReady: * Updating: In-place update in progress");
  EXPECT_EQ(report.machine.status.phase, "Updating");
}

TEST(Updating, KeepsAFailureThatWasReported) {
  auto seen = running();
  change_machine(seen, [](api::Machine& machine) {
    machine.metadata.annotations.set("in-place-updates.internal.cluster.x-k8s.io/update-in-progress", "");
    api::conditions::set(machine.status.conditions,
                         api::conditions::make("Updating", "True", "InPlaceUpdateFailed", "no"), 1, noon());
  });

  EXPECT_EQ(shown(reported(seen), "Updating"), "True InPlaceUpdateFailed: no");
}

// --- Ready ---

TEST(Ready, ListsEverythingThatIsMissing) {
  EXPECT_EQ(shown(reported(on_its_way()), "Ready"),
            "False NotReady: * BootstrapConfigReady: KubeadmConfig status.initialization.dataSecretCreated "
            "is false\n"
            "* InfrastructureReady: DockerMachine status.initialization.provisioned is false\n"
            "* NodeHealthy: Waiting for DockerMachine to report spec.providerID");
}

TEST(Ready, WaitsForTheNode) {
  EXPECT_EQ(
      shown(reported(waiting_for_node()), "Ready"),
      "Unknown ReadyUnknown: * NodeHealthy: Waiting for a Node with spec.providerID docker:////m1 to exist");
}

Observation gated(std::string_view type, std::string_view polarity, std::string_view status) {
  auto seen = running();
  change_machine(seen, [&](api::Machine& machine) {
    machine.spec.readiness_gates.push_back({.condition_type = Text(type), .polarity = Text(polarity)});
    if (status.empty()) return;
    api::conditions::set(machine.status.conditions, api::conditions::make(type, status, "Because"), 1,
                         noon());
  });
  return seen;
}

TEST(Ready, AsksEveryGate) {
  EXPECT_EQ(shown(reported(gated("Gate", "", "True")), "Ready"), "True Ready");
  EXPECT_EQ(shown(reported(gated("Gate", "Positive", "False")), "Ready"), "False NotReady: * Gate: Because");
  EXPECT_EQ(shown(reported(gated("Gate", "Negative", "True")), "Ready"), "False NotReady: * Gate: Because");
  EXPECT_EQ(shown(reported(gated("Gate", "Negative", "False")), "Ready"), "True Ready");
}

TEST(Ready, AGateNobodyAnswersIsUnknown) {
  EXPECT_EQ(shown(reported(gated("Gate", "Negative", "")), "Ready"),
            "Unknown ReadyUnknown: * Gate: Condition not yet reported");
}

TEST(Ready, AGateOnReadyItselfIsRefused) {
  const auto report = reported(gated("Ready", "", ""));

  EXPECT_THAT(shown(report, "Ready"), testing::StartsWith("Unknown InternalError"));
  EXPECT_EQ(shown(report, "Available"), "False NotReady");
}

TEST(Ready, AGateOnWhatCountsAnywayCountsOnce) {
  EXPECT_EQ(shown(reported(gated("InfrastructureReady", "", "")), "Ready"), "True Ready");
}

TEST(Ready, ControlPlaneComponentsThatSayTheSameSayItOnce) {
  auto seen = running();
  change_machine(seen, [](api::Machine& machine) {
    for (const auto type : {"APIServerPodHealthy", "ControllerManagerPodHealthy", "EtcdPodHealthy"}) {
      machine.spec.readiness_gates.push_back({.condition_type = Text(type)});
      api::conditions::set(machine.status.conditions,
                           api::conditions::make(type, "False", "Down", "Pod is down"), 1, noon());
    }
  });

  EXPECT_EQ(shown(reported(seen), "Ready"), "False NotReady: * Control plane components: Pod is down");
}

TEST(Ready, WhileDeletingNamesTheStageOnly) {
  auto seen = deleting(a_machine("m1").provisioned().on_node("n1"));
  seen.infra = in_state(State::Missing);
  seen.bootstrap = in_state(State::Missing);

  EXPECT_EQ(shown(reported(seen), "Ready"),
            "False NotReady: * Deleting: Machine deletion in progress, stage: Deleting");
}

std::string ready_while_draining(Seconds deleting_for, Seconds draining_for, std::string_view message) {
  auto seen = deleting(a_machine("m1").provisioned().on_node("n1"));
  change_machine(seen, [&](api::Machine& machine) {
    machine.metadata.deletion_timestamp = Time::from_unix(kNow.unix_seconds() - deleting_for.count());
  });
  on_node(seen, a_node("n1"));
  bootstrap_done(seen);
  infra_done(seen);
  const Plan plan = decide(seen);
  const Time started = Time::from_unix(kNow.unix_seconds() - draining_for.count());
  const Effects effects{.machine = *seen.machine,
                        .deletion = DeletionReport{.reason = "DrainingNode",
                                                   .message = std::string(message),
                                                   .marks = {.node_drain_start_time = started}}};
  return shown(report(seen, plan, effects), "Ready");
}

TEST(Ready, NamesLikelyCausesOfALongDrain) {
  constexpr auto kMinute = Seconds(60);
  constexpr std::string_view kBudget =
      "Drain not completed yet:\n* Pod ns/a: cannot evict pod as it would violate the pod's disruption "
      "budget. x\n"
      "* Pod ns/b: deletionTimestamp set, but still not removed from the Node\n"
      "* Pod ns/c: failed to evict Pod, y\n* Pod ns/d: waiting for completion";

  EXPECT_EQ(ready_while_draining(15 * kMinute, 15 * kMinute, kBudget),
            "False NotReady: * Deleting: Machine deletion in progress, stage: DrainingNode");
  EXPECT_EQ(
      ready_while_draining(16 * kMinute, 5 * kMinute, kBudget),
      "False NotReady: * Deleting: Machine deletion in progress since more than 15m, stage: DrainingNode");
  EXPECT_EQ(ready_while_draining(16 * kMinute, 6 * kMinute, kBudget),
            "False NotReady: * Deleting: Machine deletion in progress since more than 15m, stage: "
            "DrainingNode, delay "
            "likely due to PodDisruptionBudgets, Pods not terminating, Pod eviction errors, Pods not "
            "completed yet");
}

TEST(Ready, OlderOneCountsSteps) {
  auto seen = on_its_way();
  const auto none = reported(seen);
  bootstrap_done(seen);
  const auto one = reported(seen);

  EXPECT_EQ(v1beta1_shown_by(none, "Ready"), "False/Info WaitingForInfrastructure: 0 of 2 completed");
  EXPECT_EQ(v1beta1_shown_by(one, "Ready"), "False/Info WaitingForInfrastructure: 1 of 2 completed");
  EXPECT_EQ(v1beta1_shown_by(reported(running()), "Ready"), "True");
}

// --- Available ---

TEST(Available, WaitsForMinReadySecondsToTheSecond) {
  auto seen = running();
  change_machine(seen, [](api::Machine& machine) { machine.spec.min_ready_seconds = 30; });
  const auto first = reported(seen);
  seen.machine = std::make_shared<const api::Machine>(first.machine);
  seen.now = kNow + Seconds(29);
  const auto almost = reported(seen);
  seen.now = kNow + Seconds(30);
  const auto done = reported(seen);

  EXPECT_EQ(shown(first, "Available"), "False WaitingForMinReadySeconds");
  EXPECT_EQ(first.recheck, Seconds(30));
  EXPECT_EQ(almost.recheck, Seconds(1));
  EXPECT_EQ(shown(done, "Available"), "True Available");
  EXPECT_EQ(done.recheck, std::nullopt);
}

TEST(Available, NeedsReady) { EXPECT_EQ(shown(reported(waiting_for_node()), "Available"), "False NotReady"); }

// --- UpToDate ---

Observation rolled_out(api::MachineSet set, api::MachineDeployment deployment) {
  auto seen = running();
  seen.machine_set = std::make_shared<const api::MachineSet>(std::move(set));
  seen.deployment = std::make_shared<const api::MachineDeployment>(std::move(deployment));
  return seen;
}

TEST(UpToDate, IsNotOursToSayWithoutADeployment) {
  EXPECT_EQ(shown(reported(running()), "UpToDate"), "nothing");
}

// The judgement was made by a template that is nothing to the Machine any more.
TEST(UpToDate, GoesWithTheOwnerWhoseTemplateCounted) {
  const auto judged = [](api::Machine machine) {
    auto seen = seen_of(std::move(machine));
    change_machine(seen, [](api::Machine& each) {
      api::conditions::set(each.status.conditions, api::conditions::make("UpToDate", "True", "UpToDate"), 1,
                           kNow);
    });
    return seen;
  };
  auto of_a_set_alone = judged(a_machine("m1").in_set("ms1"));
  of_a_set_alone.machine_set = std::make_shared<const api::MachineSet>(a_machine_set("ms1").build());

  EXPECT_EQ(shown(reported(judged(a_machine("m1"))), "UpToDate"), "nothing");
  EXPECT_EQ(shown(reported(of_a_set_alone), "UpToDate"), "nothing");
  EXPECT_EQ(shown(reported(judged(a_machine("m1").in_set("ms1"))), "UpToDate"), "True UpToDate")
      << "its set is not in the cache: nothing is known";
  EXPECT_EQ(shown(reported(judged(a_machine("m1").control_plane())), "UpToDate"), "True UpToDate")
      << "what a control plane provider says is its own";
}

TEST(UpToDate, ComparesWhatSetAndDeploymentMake) {
  const auto deployment = a_machine_deployment("md1").version("v1.36.3").build();
  auto same = a_machine_set("ms1").version("v1.36.3").build();
  same.spec.machine_template = deployment.spec.machine_template;
  auto other = same;
  other.spec.machine_template.spec.version = "v1.35.0"_text;
  other.spec.machine_template.spec.infrastructure_ref.name = "old"_text;
  other.spec.machine_template.spec.bootstrap.config_ref->name = "old"_text;
  other.spec.machine_template.spec.failure_domain = "a"_text;

  EXPECT_EQ(shown(reported(rolled_out(same, deployment)), "UpToDate"), "True UpToDate");
  EXPECT_EQ(shown(reported(rolled_out(other, deployment)), "UpToDate"),
            "False NotUpToDate: * Version v1.35.0, v1.36.3 required\n* KubeadmConfig is not up-to-date\n"
            "* DockerMachine is not up-to-date\n* Failure domain a,  required");
}

// What is compared has been given the same defaults, by whomever.
TEST(UpToDate, KnowsAVersionThatNoWebhookHasSeen) {
  const auto deployment = a_machine_deployment("md1").version("1.36.3").build();
  auto set = a_machine_set("ms1").build();
  set.spec.machine_template = deployment.spec.machine_template;
  set.spec.machine_template.spec.version = "v1.36.3"_text;

  EXPECT_EQ(shown(reported(rolled_out(set, deployment)), "UpToDate"), "True UpToDate");
}

TEST(UpToDate, ComparesGivenSecrets) {
  auto deployment = a_machine_deployment("md1").version("v1.36.3").build();
  deployment.spec.machine_template.spec.bootstrap = {.data_secret_name = "new"_text};
  auto set = a_machine_set("ms1").build();
  set.spec.machine_template = deployment.spec.machine_template;
  set.spec.machine_template.spec.bootstrap = {.data_secret_name = "old"_text};

  EXPECT_EQ(shown(reported(rolled_out(set, deployment)), "UpToDate"),
            "False NotUpToDate: * spec.bootstrap.dataSecretName old, new required");
}

TEST(UpToDate, HeedsARolloutThatIsForced) {
  const auto set = a_machine_set("ms1").build();
  auto deployment = a_machine_deployment("md1").build();
  deployment.spec.machine_template = set.spec.machine_template;
  deployment.spec.machine_template.metadata.annotations.set(api::policy::annotation::kRolloutHash, "2");

  EXPECT_EQ(shown(reported(rolled_out(set, deployment)), "UpToDate"),
            R"(False NotUpToDate: * capstan.dev/rollout-hash nil, "2" required)");
}

TEST(UpToDate, ExpiresWithRolloutAfterWithoutAnEvent) {
  auto deployment = a_machine_deployment("md1").version("v1.36.3").rollout_after(kNow + Seconds(100)).build();
  auto set = a_machine_set("ms1").build();
  set.spec.machine_template = deployment.spec.machine_template;
  auto seen = rolled_out(set, deployment);

  const auto before = reported(seen);
  seen.now = kNow + Seconds(105);
  const auto after = reported(seen);

  EXPECT_EQ(shown(before, "UpToDate"), "True UpToDate");
  EXPECT_EQ(before.recheck, Seconds(105)) << "with the rollout, not before it";
  EXPECT_EQ(shown(after, "UpToDate"), "False NotUpToDate: * MachineDeployment spec.rolloutAfter expired");
}

Observation kubelet(std::string_view runs, std::string_view wanted) {
  const auto deployment = a_machine_deployment("md1").build();
  auto set = a_machine_set("ms1").build();
  set.spec.machine_template = deployment.spec.machine_template;
  auto seen = rolled_out(set, deployment);
  change_machine(seen, [&](api::Machine& machine) { machine.spec.version = Text(wanted); });
  on_node(seen, a_node("m1").kubelet_version(runs));
  return seen;
}

TEST(UpToDate, AsksTheKubelet) {
  EXPECT_EQ(shown(reported(kubelet("v1.35.0", "v1.36.3")), "UpToDate"),
            "False Updating: * Node.status.nodeInfo.kubeletVersion v1.35.0, v1.36.3 required");
}

TEST(UpToDate, SuffixOfADistributionKeepsNoRolloutBusy) {
  for (const auto runs : {"v1.36.3+k3s1", "v1.36.3-eks-1234567", "v1.36.3"}) {
    EXPECT_EQ(shown(reported(kubelet(runs, "v1.36.3")), "UpToDate"), "True UpToDate") << runs;
  }
  EXPECT_EQ(shown(reported(kubelet("v1.36.3", "")), "UpToDate"), "True UpToDate");
}

// --- phase ---

TEST(Phase, FollowsTheWayOfAMachine) {
  auto seen = on_its_way();
  const auto pending = reported(seen);
  bootstrap_done(seen);
  const auto provisioning = reported(seen);
  seen.now = kNow + Seconds(1);
  const auto later = reported(waiting_for_node());

  EXPECT_EQ(pending.machine.status.phase, "Pending");
  EXPECT_EQ(pending.machine.status.last_updated, kNow);
  EXPECT_EQ(provisioning.machine.status.phase, "Provisioning");
  EXPECT_EQ(later.machine.status.phase, "Provisioned");
  EXPECT_EQ(reported(running()).machine.status.phase, "Running");
}

TEST(Phase, LastUpdatedMovesWithThePhaseOnly) {
  auto seen = running();
  seen.machine = std::make_shared<const api::Machine>(reported(seen).machine);
  seen.now = kNow + Seconds(100);
  on_node(seen, a_node("m1").not_ready());

  EXPECT_EQ(reported(seen).machine.status.last_updated, kNow);
}

TEST(Phase, SkipsProvisioningWithASecretOfTheUser) {
  auto seen = on_its_way();
  change_machine(seen,
                 [](api::Machine& machine) { machine.spec.bootstrap = {.data_secret_name = "mine"_text}; });
  seen.bootstrap = {};

  EXPECT_EQ(reported(seen).machine.status.phase, "Pending");
}

}  // namespace
}  // namespace capstan::controllers::machine
