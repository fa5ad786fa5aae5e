#include "controllers/cluster/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cluster/connection_probe.h"
#include "controllers/cluster/seen_fixture.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::noon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

api::Cluster c1() { return a_cluster("c1").finalized_by(api::finalizer::kCluster); }
api::Cluster going() { return a_cluster("c1").finalized_by(api::finalizer::kCluster).running().deleting(); }

constexpr std::string_view kProvisioned =
    R"({"spec":{"controlPlaneEndpoint":{"host":"10.0.0.1","port":6443}},
        "status":{"initialization":{"provisioned":true}}})";
constexpr std::string_view kInitialized =
    R"({"spec":{"controlPlaneEndpoint":{"host":"10.0.0.2","port":6443}},
        "status":{"initialization":{"controlPlaneInitialized":true}}})";

const WriteEndpoint* endpoint(const Plan& plan) {
  for (const Action& action : plan.actions)
    if (const auto* written = std::get_if<WriteEndpoint>(&action)) return written;
  return nullptr;
}

bool adds_finalizer(const Plan& plan) {
  return std::ranges::any_of(
      plan.actions, [](const Action& action) { return std::holds_alternative<AddFinalizer>(action); });
}

// But for the Cluster's own fields.
std::vector<std::string> actions(const Plan& plan) {
  struct Words {
    std::string operator()(const AddFinalizer&) const { return {}; }
    std::string operator()(const WriteEndpoint&) const { return {}; }
    std::string operator()(const OwnProvider& a) const {
      return a.role == Role::Infrastructure ? "own infrastructure" : "own control plane";
    }
    std::string operator()(const KeepKubeconfig&) const { return "keep kubeconfig"; }
    std::string operator()(const DeleteChild& a) const { return "delete " + a.key.name; }
    std::string operator()(const DeleteProvider& a) const {
      return a.role == Role::Infrastructure ? "delete infrastructure" : "delete control plane";
    }
    std::string operator()(const DropFinalizer&) const { return "drop finalizer"; }
  };
  std::vector<std::string> lines;
  for (const Action& action : plan.actions) lines.push_back(std::visit(Words(), action));
  std::erase(lines, "");
  return lines;
}

TEST(Decide, LooksAgainWhenAYoungMachineCanBeJudged) {
  const auto with = [](const builders::MachineBuilder& machine) {
    return decide(*Seen(c1()).infrastructure("{}").control_plane("{}").machine(machine)).recheck;
  };

  EXPECT_EQ(with(a_machine("w").aged(Seconds(3))), Seconds(7));
  EXPECT_EQ(with(a_machine("w").aged(Seconds(10))), std::nullopt);
  EXPECT_EQ(with(a_machine("w").aged(Seconds(3)).up_to_date()), std::nullopt);
  EXPECT_EQ(with(a_machine("cp").control_plane().aged(Seconds(3))), Seconds(7));
  EXPECT_EQ(with(a_machine("mp-1").in_pool("mp").aged(Seconds(3))), std::nullopt) << "never judged";
}

TEST(Decide, NamesBothWaysToPause) {
  const auto plan = decide(*Seen(a_cluster("c1").held().paused()));

  EXPECT_EQ(plan.pause.message,
            "Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation");
}

TEST(Decide, PutsTheFinalizerEvenOnAPausedCluster) {
  EXPECT_TRUE(adds_finalizer(decide(*Seen(a_cluster("c1").held()))));
  EXPECT_TRUE(adds_finalizer(decide(*Seen(a_cluster("c1")))));
  EXPECT_FALSE(adds_finalizer(decide(*Seen(c1()))));
  EXPECT_FALSE(adds_finalizer(decide(*Seen(a_cluster("c1").deleting()))));
}

TEST(Decide, LeavesEverythingOfAPausedClusterAlone) {
  const auto plan = decide(*Seen(a_cluster("c1").held().deleting().finalized_by(api::finalizer::kCluster))
                                .infrastructure(kProvisioned, false));

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_FALSE(endpoint(plan));
}

TEST(Decide, OwnsProviderObjectsThatAreNotItsOwnYet) {
  const auto plan = decide(*Seen(c1()).infrastructure("{}", false).control_plane("{}", false));

  EXPECT_THAT(actions(plan), ElementsAre("own infrastructure", "own control plane"));
}

TEST(Decide, LeavesProviderObjectsAloneThatAreItsOwn) {
  EXPECT_THAT(actions(decide(*Seen(c1()).infrastructure("{}").control_plane("{}"))), IsEmpty());
}

TEST(Decide, RewritesAnOwnerReferenceOfAnOlderVersionOrAController) {
  const auto with_owner = [](auto&& change) {
    auto seen = Seen(c1()).infrastructure("{}").control_plane("{}");
    return seen.with([&](Observation& world) {
      auto object = *world.infrastructure.object;
      auto owner = by_cluster();
      change(owner);
      object.metadata.owner_references = api::OwnerReferences({owner});
      world.infrastructure.object = std::make_shared<const api::contract::ContractObject>(object);
    });
  };

  const auto older = with_owner([](auto& owner) { owner.api_version = Text("cluster.x-k8s.io/v1beta1"); });
  const auto controller = with_owner([](auto& owner) { owner.controller = true; });
  const auto exact = with_owner([](auto&) {});

  EXPECT_THAT(actions(decide(*older)), ElementsAre("own infrastructure"));
  EXPECT_THAT(actions(decide(*controller)), ElementsAre("own infrastructure"));
  EXPECT_THAT(actions(decide(*exact)), IsEmpty());
}

TEST(Decide, ATopologyControlsItsProviderObjects) {
  auto cluster = c1();
  cluster.spec.topology = api::RawJson::from_compact(R"({"version":"v1.34.0"})");

  const auto plan = decide(*Seen(cluster).infrastructure("{}").control_plane("{}"));

  EXPECT_THAT(actions(plan), ElementsAre("own infrastructure", "own control plane"));
}

TEST(Decide, LooksAgainForAProviderObjectThatIsNotThereYet) {
  EXPECT_EQ(decide(*Seen(c1())).recheck, Seconds(30));
  EXPECT_EQ(decide(*Seen(c1()).infrastructure("{}").control_plane("{}")).recheck, std::nullopt);
}

TEST(Decide, LooksAgainForAProviderObjectNobodyCanReadYet) {
  const auto with = [](std::string_view problem) {
    return decide(*Seen(c1()).control_plane("{}").with(
                      [&](Observation& world) { world.infrastructure.problem = problem; }))
        .recheck;
  };

  EXPECT_EQ(with("CustomResourceDefinition dockerclusters does not exist"), Seconds(30));
  EXPECT_EQ(with("the cache of DockerCluster is not complete yet: connection refused"), Seconds(30));
}

TEST(Decide, WaitsForTheInfrastructureToBeProvisioned) {
  const auto waiting = decide(*Seen(c1()).infrastructure(
      R"({"spec":{"controlPlaneEndpoint":{"host":"10.0.0.1","port":6443}},"status":{}})"));
  const auto done = decide(*Seen(c1()).infrastructure(kProvisioned));

  EXPECT_FALSE(waiting.infrastructure_provisioned);
  EXPECT_FALSE(endpoint(waiting));
  EXPECT_THAT(waiting.notes, IsEmpty());
  EXPECT_TRUE(done.infrastructure_provisioned);
  ASSERT_TRUE(endpoint(done));
  EXPECT_EQ(endpoint(done)->to.host.view(), "10.0.0.1");
  EXPECT_THAT(done.notes, ElementsAre(Note{.code = api::NoteCode::InfrastructureReady,
                                           .text = "Cluster c1 InfrastructureProvisioned is now True"}));
}

TEST(Decide, ReadsTheFieldsOfTheOlderContract) {
  const auto plan = decide(*Seen(c1())
                                .old_contract()
                                .infrastructure(R"({"status":{"ready":true}})")
                                .control_plane(R"({"status":{"initialized":true}})"));

  EXPECT_TRUE(plan.infrastructure_provisioned);
  EXPECT_TRUE(plan.control_plane_initialized);
}

TEST(Decide, WhatWasProvisionedStaysProvisioned) {
  const api::Cluster cluster = a_cluster("c1").finalized_by(api::finalizer::kCluster).running();

  const auto plan = decide(*Seen(cluster)
                                .infrastructure(R"({"status":{"initialization":{"provisioned":false}}})")
                                .control_plane("{}"));

  EXPECT_TRUE(plan.infrastructure_provisioned);
  EXPECT_TRUE(plan.control_plane_initialized);
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Decide, NeverReplacesAnEndpoint) {
  const api::Cluster cluster = a_cluster("c1").finalized_by(api::finalizer::kCluster).endpoint("mine", 443);

  EXPECT_FALSE(endpoint(decide(*Seen(cluster).infrastructure(kProvisioned))));
}

TEST(Decide, TakesTheEndpointOfAnInitializedControlPlane) {
  const auto early = decide(*Seen(c1()).infrastructure("{}").control_plane(
      R"({"spec":{"controlPlaneEndpoint":{"host":"10.0.0.2","port":6443}},"status":{}})"));
  const auto late = decide(*Seen(c1()).infrastructure("{}").control_plane(kInitialized));

  EXPECT_FALSE(endpoint(early));
  ASSERT_TRUE(endpoint(late));
  EXPECT_EQ(endpoint(late)->to.host.view(), "10.0.0.2");
  EXPECT_THAT(late.notes, ElementsAre(Note{.code = api::NoteCode::ControlPlaneInitialized,
                                           .text = "Cluster c1 ControlPlaneInitialized is now True"}));
}

TEST(Decide, TheInfrastructureKnowsTheEndpointBetterThanTheControlPlane) {
  const auto plan = decide(*Seen(c1()).infrastructure(kProvisioned).control_plane(kInitialized));

  ASSERT_TRUE(endpoint(plan));
  EXPECT_EQ(endpoint(plan)->to.host.view(), "10.0.0.1");
}

TEST(Decide, AClusterWithoutInfrastructureNeedsNone) {
  const api::Cluster cluster =
      a_cluster("c1").finalized_by(api::finalizer::kCluster).without_infrastructure_ref();

  const auto plan = decide(*Seen(cluster).control_plane("{}"));

  EXPECT_TRUE(plan.infrastructure_provisioned);
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Decide, AFieldOfTheWrongTypeStopsOnlyWhatNeedsIt) {
  const auto plan = decide(*Seen(c1())
                                .infrastructure(R"({"status":{"initialization":{"provisioned":"yes"}}})")
                                .control_plane(kInitialized));

  EXPECT_EQ(plan.infrastructure.presence, Presence::Unreadable);
  EXPECT_THAT(plan.infrastructure.problem, HasSubstr("status.initialization.provisioned"));
  EXPECT_FALSE(plan.infrastructure_provisioned);
  EXPECT_TRUE(plan.control_plane_initialized);
}

TEST(Decide, KeepsAKubeconfigOnlyWithoutAControlPlaneObject) {
  const auto cluster = [] { return a_cluster("c1").finalized_by(api::finalizer::kCluster); };
  const auto plan_of = [](const api::Cluster& c) { return decide(*Seen(c).infrastructure("{}")); };

  EXPECT_THAT(actions(plan_of(cluster().without_control_plane_ref().endpoint("a", 1))),
              ElementsAre("keep kubeconfig"));
  EXPECT_THAT(actions(plan_of(cluster().without_control_plane_ref())), IsEmpty());
  EXPECT_THAT(actions(plan_of(cluster().endpoint("a", 1))), IsEmpty());
}

TEST(Decide, ActsOnNothingButOwnershipWhileTheCachesAreBehind) {
  const api::Cluster cluster =
      a_cluster("c1").finalized_by(api::finalizer::kCluster).without_control_plane_ref().endpoint("a", 1);
  auto seen = Seen(cluster).infrastructure("{}", false);
  seen.with([](Observation& world) { world.fresh = false; });

  const auto plan = decide(*seen);

  EXPECT_THAT(actions(plan), ElementsAre("own infrastructure"));
  EXPECT_TRUE(plan.recheck);
}

TEST(Decide, TakesNothingFromAnObjectOfAnotherCluster) {
  const auto plan = decide(*Seen(c1()).infrastructure_of("c0").control_plane_of("c0"));

  EXPECT_THAT(actions(plan), IsEmpty());
  EXPECT_FALSE(endpoint(plan));
  EXPECT_FALSE(plan.infrastructure_provisioned);
  EXPECT_EQ(plan.recheck, Seconds(30)) << "it may become free";
}

TEST(Deletion, LeavesTheObjectsOfAnotherClusterAlone) {
  const auto plan = decide(*Seen(going()).infrastructure_of("c0").control_plane_of("c0"));

  EXPECT_THAT(actions(plan), ElementsAre("drop finalizer"));
}

TEST(Deletion, MarksAnObjectAsItsOwnBeforeItGoes) {
  EXPECT_THAT(actions(decide(*Seen(going()).infrastructure("{}", false))), ElementsAre("own infrastructure"));
}

TEST(Deletion, TakesMachinesThatNothingOwnsOnceNothingCanAdoptThem) {
  const auto with = [](auto&&... more) {
    auto seen = Seen(going()).infrastructure("{}").control_plane("{}").machine(a_machine("forsaken"));
    (seen.set(more), ...);
    return actions(decide(*seen));
  };

  EXPECT_THAT(with(), ElementsAre("delete forsaken"));
  EXPECT_THAT(with(a_machine_set("ms").owned_by(by_cluster()).deleting().build()), IsEmpty());
}

TEST(Deletion, OfAnObjectWhoseDefinitionHasNoLabelsGoesOn) {
  constexpr std::string_view kProblem = "CRD dockerclusters keeps no contract we know";
  const auto there = decide(*Seen(going()).infrastructure_without_labels(kProblem, true));
  const auto gone = decide(*Seen(going()).infrastructure_without_labels(kProblem, false));

  EXPECT_THAT(actions(there), ElementsAre("delete infrastructure"));
  EXPECT_EQ(there.deleting_message,
            "Waiting for DockerCluster to be deleted; the API server is asked every 30 s, for CRD "
            "dockerclusters keeps no "
            "contract we know");
  EXPECT_EQ(there.recheck, Seconds(30));
  EXPECT_THAT(actions(gone), ElementsAre("drop finalizer"));
}

// Whose an object is that several Clusters name.
class Named {
 public:
  Named& owned_by(std::string_view cluster, bool controller = false) {
    auto owner = builders::controller_of(api::kind::kCluster, cluster);
    owner.controller = controller;
    auto owners = *object_.owner_references;
    owners.push_back(owner);
    object_.owner_references = api::OwnerReferences(std::move(owners));
    return *this;
  }
  Named& labelled(std::string_view cluster) {
    object_.labels.set(api::label::kClusterName, cluster);
    return *this;
  }
  Named& also_by(const api::Cluster& cluster) {
    rivals_.push_back(std::make_shared<const api::Cluster>(cluster));
    return *this;
  }
  // c1 and c2 exist.
  Claim claim(const api::Cluster& cluster = c1()) const {
    return claim_on(
        object_, cluster, [](std::string_view name) { return name == "c1" || name == "c2"; }, rivals_);
  }

 private:
  api::ObjectMeta object_ = {};
  std::vector<runtime::Snapshot<api::Cluster>> rivals_ = {};
};

constexpr auto kOurs = [] { return Claim{.ours = true}; };

TEST(Claim, GoesToTheClusterThatIsTheOwnerByName) {
  EXPECT_EQ(Named().owned_by("c1").claim(), kOurs());
  EXPECT_EQ(Named().owned_by("c2").claim(), (Claim{.other = "c2", .other_owns = true}));
}

TEST(Claim, OfTwoOwnersGoesToTheControllingOneElseTheFirst) {
  EXPECT_EQ(Named().owned_by("c1").owned_by("c2").claim(), kOurs());
  EXPECT_EQ(Named().owned_by("c2").owned_by("c1").claim().other, "c2");
  EXPECT_EQ(Named().owned_by("c2").owned_by("c1", true).claim(), kOurs());
}

TEST(Claim, OfAnOwnerInNoCacheIsAskedForLive) {
  const auto claim = Named().owned_by("gone").claim();

  EXPECT_TRUE(claim.is_free());
  EXPECT_THAT(claim.unseen, ElementsAre("gone"));
  EXPECT_EQ(Named().owned_by("gone").owned_by("c2").claim().other, "c2");
}

TEST(Claim, OnWhatNobodyOwnsGoesToTheOneItIsLabelledWithElseToTheOldest) {
  const api::Cluster older = a_cluster("c2").aged(Seconds(60));

  EXPECT_TRUE(Named().claim().is_free());
  EXPECT_EQ(Named().also_by(older).claim(), (Claim{.other = "c2"}));
  EXPECT_TRUE(Named().also_by(older).labelled("c1").claim().is_free());
  EXPECT_TRUE(Named().also_by(c1()).claim(older).is_free());
}

TEST(Claim, OfAClusterThatGoesComesLast) {
  EXPECT_EQ(Named().also_by(a_cluster("c2")).labelled("c1").claim(going()).other, "c2");
}

TEST(Deletion, TakesDownWhatItOwnsInOnePass) {
  const auto plan = decide(*Seen(going())
                                .infrastructure("{}")
                                .control_plane("{}")
                                .deployment(a_machine_deployment("md").owned_by(by_cluster()))
                                .set(a_machine_set("alone").owned_by(by_cluster()))
                                .set(a_machine_set("of-md").in_deployment("md"))
                                .machine(a_machine("single").owned_by(by_cluster()))
                                .machine(a_machine("of-set").in_set("alone"))
                                .machine(a_machine("leaving").owned_by(by_cluster()).deleting()));

  EXPECT_THAT(actions(plan), ElementsAre("delete md", "delete alone", "delete single"));
  EXPECT_EQ(plan.deleting_reason, "WaitingForWorkersDeletion");
  EXPECT_EQ(
      plan.deleting_message,
      "* MachineDeployments: md\n* MachineSets: alone, of-md\n* Worker Machines: single, of-set, leaving");
}

TEST(Deletion, DeletesControlPlaneMachinesThatNobodyElseManages) {
  const api::Cluster by_hand =
      a_cluster("c1").finalized_by(api::finalizer::kCluster).without_control_plane_ref().running().deleting();
  const api::Machine machine = a_machine("cp").control_plane().owned_by(by_cluster());

  const auto ours = decide(*Seen(by_hand).infrastructure("{}").machine(machine));
  const auto theirs = decide(*Seen(going()).infrastructure("{}").control_plane("{}").machine(machine));

  EXPECT_THAT(actions(ours), ElementsAre("delete cp"));
  EXPECT_EQ(ours.deleting_message, "* Control plane Machines: cp");
  EXPECT_THAT(actions(theirs), ElementsAre("delete control plane"));
}

TEST(Deletion, WaitsForWhatItDoesNotOwn) {
  const auto plan = decide(
      *Seen(going()).infrastructure("{}").control_plane("{}").deployment(a_machine_deployment("stranger")));

  EXPECT_THAT(actions(plan), IsEmpty());
  EXPECT_EQ(plan.deleting_message,
            "* MachineDeployments: stranger\n* delete MachineDeployment stranger: nothing owns it, so "
            "nothing else does");
}

TEST(Deletion, WaitsForAMachineThatCannotBeDecoded) {
  const auto plan = decide(*Seen(going()).infrastructure("{}").control_plane("{}").with([](auto& world) {
    world.descendants.unreadable.push_back("Machine default/m1 can't be read: spec: expected object");
  }));

  EXPECT_THAT(actions(plan), IsEmpty());
  EXPECT_EQ(plan.deleting_message, "* Machine default/m1 can't be read: spec: expected object");
  EXPECT_TRUE(plan.recheck);
}

TEST(Deletion, NamesFiveAndCountsTheRest) {
  auto seen = Seen(going()).infrastructure("{}").control_plane("{}");
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"}) seen.machine(a_machine(name).deleting());

  EXPECT_EQ(decide(*seen).deleting_message, "* Worker Machines: a, b, c, d, e, ... (2 more)");
}

TEST(Deletion, ControlPlaneGoesBeforeInfrastructure) {
  const auto both = decide(*Seen(going()).infrastructure("{}").control_plane("{}"));
  const auto leaving = decide(*Seen(going()).infrastructure("{}").control_plane(
      R"({"metadata":{"deletionTimestamp":"2026-01-01T11:00:00Z"}})"));
  const auto gone = decide(*Seen(going()).infrastructure("{}"));
  const auto nothing = decide(*Seen(going()));

  EXPECT_THAT(actions(both), ElementsAre("delete control plane"));
  EXPECT_EQ(both.deleting_reason, "WaitingForControlPlaneDeletion");
  EXPECT_EQ(both.deleting_message, "Waiting for KubeadmControlPlane to be deleted");
  EXPECT_THAT(actions(leaving), IsEmpty());
  EXPECT_THAT(actions(gone), ElementsAre("delete infrastructure"));
  EXPECT_EQ(gone.deleting_reason, "WaitingForInfrastructureDeletion");
  EXPECT_THAT(actions(nothing), ElementsAre("drop finalizer"));
  EXPECT_EQ(nothing.deleting_reason, "DeletionCompleted");
}

TEST(Deletion, NeverTakesAnUnreadableObjectForGone) {
  auto seen = Seen(going());
  seen.with([](Observation& world) { world.control_plane.problem = "no contract labels"; });

  const auto plan = decide(*seen);

  EXPECT_THAT(actions(plan), IsEmpty());
  EXPECT_EQ(plan.deleting_reason, "InternalError");
  EXPECT_THAT(plan.deleting_message, HasSubstr("no contract labels"));
  EXPECT_TRUE(plan.recheck);
}

TEST(Deletion, AnObjectWhoseDefinitionIsGoneIsGoneToo) {
  auto seen = Seen(going());
  seen.with([](Observation& world) {
    world.control_plane.problem = "CustomResourceDefinition x does not exist";
    world.control_plane.definition_gone = true;
  });

  EXPECT_THAT(actions(decide(*seen)), ElementsAre("drop finalizer"));
}

TEST(Deletion, OfABrokenObjectGoesOn) {
  const auto plan =
      decide(*Seen(going()).infrastructure(R"({"status":{"initialization":{"provisioned":"yes"}}})"));

  EXPECT_THAT(actions(plan), ElementsAre("delete infrastructure"));
}

TEST(Deletion, IsOverOnceTheFinalizerIsOff) {
  const auto plan = decide(*Seen(a_cluster("c1").running().deleting()).infrastructure("{}"));

  EXPECT_THAT(actions(plan), IsEmpty());
  EXPECT_EQ(plan.deleting_reason, "DeletionCompleted");
}

TEST(Deletion, DeletesNothingWhileTheCachesAreBehind) {
  auto seen = Seen(going()).infrastructure("{}").control_plane("{}");
  seen.with([](Observation& world) { world.fresh = false; });

  EXPECT_THAT(actions(decide(*seen)), IsEmpty());
}

Time at(std::int64_t seconds) { return noon() + Seconds(seconds); }

TEST(ConnectionProbe, SucceedsWhileTheClusterAnswers) {
  const kubeconfig::Reach reach{.connected = true, .last_success = at(-600)};

  const auto shown = probe_condition(reach, nullptr, noon());

  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->status.view(), "True");
  EXPECT_EQ(shown->reason.view(), "ProbeSucceeded");
  EXPECT_EQ(when_probe_turns(reach, noon()), std::nullopt);
}

TEST(ConnectionProbe, ForgivesAShortSilence) {
  const kubeconfig::Reach reach{.last_success = at(-20), .first_failure = at(-10), .problem = "refused"};

  EXPECT_EQ(probe_condition(reach, nullptr, noon())->status.view(), "True");
  EXPECT_EQ(when_probe_turns(reach, noon()), Seconds(31));
}

TEST(ConnectionProbe, ForgivesAsLongAsTheFlagSays) {
  const kubeconfig::Reach reach{.last_success = at(-20), .first_failure = at(-10), .problem = "refused"};

  EXPECT_EQ(probe_condition(reach, nullptr, noon(), Seconds(19))->status.view(), "False");
  EXPECT_EQ(probe_condition(reach, nullptr, noon(), Seconds(20))->status.view(), "True");
  EXPECT_EQ(when_probe_turns(reach, noon(), Seconds(100)), Seconds(81));
}

TEST(ConnectionProbe, SaysWhenTheClusterLastAnsweredAndWhatIsWrong) {
  const kubeconfig::Reach reach{.last_success = at(-51), .first_failure = at(-41), .problem = "refused"};

  const auto shown = probe_condition(reach, nullptr, noon());

  EXPECT_EQ(shown->status.view(), "False");
  EXPECT_EQ(shown->reason.view(), "ProbeFailed");
  EXPECT_EQ(shown->message.view(),
            "Remote connection probe failed, probe last succeeded at 2026-01-01T11:59:09Z: refused");
  EXPECT_EQ(when_probe_turns(reach, noon()), std::nullopt);
}

TEST(ConnectionProbe, GivesANewClusterTimeToComeUp) {
  const kubeconfig::Reach reach{.first_failure = at(-10), .problem = "no kubeconfig"};

  const auto shown = probe_condition(reach, nullptr, noon());

  EXPECT_EQ(shown->message.view(), "Remote connection not established yet");
  EXPECT_EQ(probe_condition(reach, &*shown, noon()), std::nullopt);
  EXPECT_EQ(when_probe_turns(reach, noon()), Seconds(66));
}

TEST(ConnectionProbe, FailsWhenANewClusterNeverComesUp) {
  const kubeconfig::Reach reach{.first_failure = at(-76), .problem = "no kubeconfig"};

  EXPECT_EQ(probe_condition(reach, nullptr, noon())->message.view(),
            "Remote connection probe failed: no kubeconfig");
}

TEST(ConnectionProbe, OfAManagerThatHasJustStartedLeavesTheSameFailureAsItIsTold) {
  const auto told = probe_condition({.last_success = at(-51), .first_failure = at(-41), .problem = "refused"},
                                    nullptr, noon());

  EXPECT_EQ(probe_condition({.problem = "not yet"}, &*told, noon()), std::nullopt);
  EXPECT_EQ(probe_condition({.first_failure = at(-76), .problem = "refused"}, &*told, noon()), std::nullopt);
  EXPECT_EQ(
      probe_condition({.first_failure = at(-76), .problem = "no kubeconfig"}, &*told, noon())->message.view(),
      "Remote connection probe failed: no kubeconfig");
}

TEST(ConnectionProbe, TellsOfAnUncheckedServer) {
  const kubeconfig::Reach reach{.connected = true, .last_success = noon(), .insecure = true};

  EXPECT_THAT(probe_condition(reach, nullptr, noon())->message.view(), HasSubstr("insecure-skip-tls-verify"));
}

}  // namespace
}  // namespace capstan::controllers::cluster
