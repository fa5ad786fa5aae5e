#include "controllers/machine/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/lifecycle/aliases.h"
#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machine {
namespace {

using builders::a_node;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using State = ExternalSeen::State;

Plan plan_for(const Observation& seen) { return decide(seen); }

std::vector<std::string> owners(const api::OwnerReferences& references) {
  std::vector<std::string> all;
  for (const auto& owner : *references) {
    all.push_back(owner.kind.str() + " " + owner.name.str() + (owner.is_controller() ? " controls" : ""));
  }
  return all;
}

// Null: the Node is left as it is.
const NodeChange* node_change_in(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (const auto* node = std::get_if<ChangeNode>(&action)) return &node->change;
  }
  return nullptr;
}

std::vector<std::string> messages(const std::vector<Note>& notes) {
  std::vector<std::string> all;
  for (const auto& note : notes) all.push_back(std::string(api::reason_of(note.code)) + ": " + note.text);
  return all;
}

api::Machine m1() { return a_machine("m1").in_set("ms1").finalized_by(api::finalizer::kMachine); }

// --- owner, labels, finalizer ---

TEST(Decide, LeavesAMachineOfASetAsItsSetMadeIt) {
  const auto seen = seen_of(m1());

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.metadata, seen.machine->metadata);
  EXPECT_EQ(plan.wanted.spec, seen.machine->spec);
}

TEST(Decide, BundlesFinalizerClusterOwnerAndLabelOfAStandAloneMachine) {
  api::Machine machine = a_machine("m1");
  machine.metadata.labels = {};
  const auto seen = seen_of(machine);

  const auto plan = plan_for(seen);

  EXPECT_TRUE(plan.wanted.metadata.has_finalizer("machine.cluster.x-k8s.io"));
  EXPECT_EQ(plan.wanted.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
  ASSERT_THAT(owners(plan.wanted.metadata.owner_references), ElementsAre("Cluster c1"));
  EXPECT_EQ(plan.wanted.metadata.owner_references->front().api_version, "cluster.x-k8s.io/v1beta2");
}

TEST(Decide, DoesNotClaimForTheClusterWhatSomebodyElseWillAdopt) {
  for (const auto label :
       {"cluster.x-k8s.io/set-name", "cluster.x-k8s.io/pool-name", "cluster.x-k8s.io/control-plane-name"}) {
    const auto seen = seen_of(a_machine("m1").labelled(label, "x"));

    EXPECT_THAT(owners(plan_for(seen).wanted.metadata.owner_references), IsEmpty()) << label;
  }
}

TEST(Decide, AddsNothingToAMachineThatGoes) {
  const auto seen = seen_of(a_machine("m1").deleting());

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.metadata, seen.machine->metadata);
}

TEST(Decide, WaitsForItsClusterAndSaysSo) {
  auto seen = seen_of(m1());
  seen.cluster = nullptr;
  bootstrap_done(seen);

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted, *seen.machine);
  EXPECT_THAT(messages(plan.notes),
              ElementsAre("ClusterNotFound: spec.clusterName: Cluster default/c1 does not exist"));
}

TEST(Decide, GoesOnWithADeletionWhoseClusterIsGone) {
  auto seen = seen_of(a_machine("m1").deleting());
  seen.cluster = nullptr;

  const auto plan = plan_for(seen);

  EXPECT_THAT(plan.notes, IsEmpty());
  EXPECT_FALSE(plan.too_early);
}

// --- the provider's objects ---

api::contract::ContractObject made_by_set(const api::contract::ContractObject& object) {
  auto changed_object = object;
  api::OwnerReference owner = builders::controller_of("MachineSet", "ms1");
  owner.controller.reset();
  changed_object.metadata.owner_references = api::OwnerReferences({owner});
  return changed_object;
}

TEST(Claim, ReplacesTheSetThatMadeTheObject) {
  auto seen = seen_of(m1());
  seen.infra = changed(seen.infra, [](auto& object) { object = made_by_set(object); });

  const auto plan = plan_for(seen);

  ASSERT_TRUE(plan.infra.claim);
  EXPECT_THAT(owners(plan.infra.claim->owners), ElementsAre("Machine m1 controls"));
  EXPECT_FALSE(plan.infra.claim->label);
}

TEST(Claim, AsksForNothingWhenTheObjectIsOurs) {
  const auto seen = seen_of(m1());

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.infra.claim, std::nullopt);
  EXPECT_EQ(plan.bootstrap.claim, std::nullopt);
}

TEST(Claim, KeepsOwnersThatAreThereForGood) {
  auto seen = seen_of(m1());
  seen.infra = changed(seen.infra, [](auto& object) {
    object.metadata.owner_references =
        api::OwnerReferences({{.api_version = "v1"_text, .kind = "ConfigMap"_text, .name = "x"_text}});
    object.metadata.labels = {};
  });

  const auto plan = plan_for(seen);

  ASSERT_TRUE(plan.infra.claim);
  EXPECT_THAT(owners(plan.infra.claim->owners), ElementsAre("ConfigMap x", "Machine m1 controls"));
  EXPECT_TRUE(plan.infra.claim->label);
}

TEST(Claim, ReplacesTheControlPlaneOfAControlPlaneMachineOnly) {
  const api::OwnerReference control_plane{.api_version = "controlplane.cluster.x-k8s.io/v1beta2"_text,
                                          .kind = "KubeadmControlPlane"_text,
                                          .name = "c1"_text};
  const auto owned = [&](Observation seen) {
    seen.infra = changed(seen.infra, [&](auto& object) {
      object.metadata.owner_references = api::OwnerReferences({control_plane});
    });
    return owners(plan_for(seen).infra.claim->owners);
  };

  EXPECT_THAT(owned(seen_of(a_machine("m1").control_plane())), ElementsAre("Machine m1 controls"));
  EXPECT_THAT(owned(seen_of(m1())), ElementsAre("KubeadmControlPlane c1", "Machine m1 controls"));
}

TEST(Claim, TakesTheNewUidAfterAMove) {
  auto seen = seen_of(m1());
  seen.infra = changed(seen.infra, [](auto& object) {
    auto list = *object.metadata.owner_references;
    list.front().uid = uid_of("Machine", "before the move");
    object.metadata.owner_references = api::OwnerReferences(std::move(list));
  });

  const auto plan = plan_for(seen);

  ASSERT_TRUE(plan.infra.claim);
  EXPECT_EQ(plan.infra.claim->owners->front().uid, seen.machine->metadata.uid);
}

TEST(Claim, BelievesNothingOfAnObjectThatAnotherMachineControls) {
  auto seen = seen_of(m1());
  infra_done(seen);
  seen.infra = changed(seen.infra, [](auto& object) {
    object.metadata.owner_references = api::OwnerReferences({builders::controller_of("Machine", "other")});
  });

  const auto plan = plan_for(seen);

  EXPECT_TRUE(plan.wanted.spec.provider_id.empty());
  EXPECT_EQ(plan.infra.claim, std::nullopt);
  EXPECT_THAT(
      messages(plan.notes),
      ElementsAre("InvalidReference: spec.infrastructureRef: DockerMachine default/m1: is controlled by "
                  "Machine other already: let this Machine name an object of its own"));
}

// Of two that label, each would fight a third one that labels otherwise.
TEST(Claim, LabelsAnObjectUnlessALivingMachineSetDoes) {
  const auto labels = [](const api::MachineSet& set) {
    api::Machine machine = a_machine("m1").in_set("ms1");
    machine.metadata.owner_references = api::OwnerReferences({builders::controller_of("MachineSet", "ms1")});
    auto seen = seen_of(machine);
    seen.infra = changed(seen.infra, [](auto& object) { object.metadata.labels = {}; });
    seen.machine_set = std::make_shared<const api::MachineSet>(set);
    const auto plan = plan_for(seen);
    return plan.infra.claim && plan.infra.claim->label;
  };
  const api::MachineSet living = builders::a_machine_set("ms1").build();
  api::MachineSet paused = living;
  paused.metadata.annotations.set(Text(api::annotation::kPaused), Text());
  api::MachineSet going = living;
  going.metadata.deletion_timestamp = noon();
  api::MachineSet namesake = living;
  namesake.metadata.uid = uid_of("MachineSet", "made later under the name");

  EXPECT_FALSE(labels(living));
  EXPECT_TRUE(labels(paused));
  EXPECT_TRUE(labels(going));
  EXPECT_TRUE(labels(namesake));
}

// Seen: its owner references were taken off, a copy of the Machine came first and took it along when it went.
TEST(Claim, LeavesAnObjectThatNothingControlsToTheMachineWithTheBetterRight) {
  auto seen = seen_of(a_machine("copy"));
  bootstrap_done(seen);
  seen.bootstrap = changed(seen.bootstrap, [](auto& object) { object.metadata.owner_references = {}; });
  seen.bootstrap.right_of = "m1";

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.bootstrap.claim, std::nullopt);
  EXPECT_EQ(plan.wanted.spec.bootstrap.data_secret_name, std::nullopt);
  EXPECT_THAT(
      messages(plan.notes),
      ElementsAre("InvalidReference: spec.bootstrap.configRef: KubeadmConfig default/copy: has no "
                  "controller, and Machine m1 names it with the better right: let this Machine name an "
                  "object of its own"));
}

TEST(Claim, TakesNoStrangerThatOnlyHasTheNameOfAMachineOfASet) {
  const auto claim_of = [](const api::Machine& machine, bool cloned) {
    auto seen = seen_of(machine);
    infra_done(seen);
    seen.infra = changed(seen.infra, [&](auto& object) {
      object.metadata.owner_references = {};
      if (!cloned) object.metadata.annotations = {};
    });
    return plan_for(seen);
  };
  api::Machine of_set = a_machine("m1").in_set("ms1");
  of_set.metadata.owner_references = api::OwnerReferences({builders::controller_of("MachineSet", "ms1")});
  api::Machine ready = of_set;
  ready.status.initialization.infrastructure_provisioned = true;

  const auto stranger = claim_of(of_set, false);
  EXPECT_EQ(stranger.infra.claim, std::nullopt);
  EXPECT_TRUE(stranger.wanted.spec.provider_id.empty());
  EXPECT_THAT(
      messages(stranger.notes),
      testing::Contains("InvalidReference: spec.infrastructureRef: DockerMachine default/m1: was not made "
                        "from a template for this Machine, it only has its name: delete one of the two"));
  EXPECT_TRUE(claim_of(of_set, true).infra.claim);
  EXPECT_TRUE(claim_of(ready, false).infra.claim) << "it was made ready with it";
  EXPECT_TRUE(claim_of(a_machine("m1"), false).infra.claim) << "a user made both";
}

// An infrastructure pool may own the objects of its Machines, but must not control them: the Machine does.
TEST(Claim, SaysSoWhenAPoolControlsTheObjectOfItsMachine) {
  const auto owned_by_pool = [](bool controls) {
    auto seen = seen_of(a_machine("m1").in_pool("mp1"));
    infra_done(seen);
    auto pool = builders::controller_of("DockerMachinePool", "mp1");
    pool.api_version = "infrastructure.cluster.x-k8s.io/v1beta2"_text;
    if (!controls) pool.controller.reset();
    seen.infra = changed(
        seen.infra, [&](auto& object) { object.metadata.owner_references = api::OwnerReferences({pool}); });
    return plan_for(seen);
  };

  const auto controlled = owned_by_pool(true);
  const auto owned = owned_by_pool(false);

  EXPECT_TRUE(controlled.wanted.spec.provider_id.empty());
  EXPECT_EQ(controlled.infra.claim, std::nullopt);
  EXPECT_THAT(messages(controlled.notes),
              testing::Contains(
                  "InvalidReference: spec.infrastructureRef: DockerMachine default/m1: is controlled by "
                  "DockerMachinePool mp1 already: let this Machine name an object of its own"));
  ASSERT_TRUE(owned.infra.claim);
  EXPECT_THAT(owners(owned.infra.claim->owners), ElementsAre("DockerMachinePool mp1", "Machine m1 controls"));
}

TEST(Claim, LeavesAnObjectThatGoes) {
  auto seen = seen_of(m1());
  seen.infra = changed(seen.infra, [](auto& object) {
    object.metadata.owner_references = {};
    object.metadata.deletion_timestamp = noon();
  });

  EXPECT_EQ(plan_for(seen).infra.claim, std::nullopt);
}

// --- bootstrap ---

TEST(Bootstrap, WaitsForTheConfig) {
  const auto plan = plan_for(seen_of(m1()));

  EXPECT_FALSE(plan.wanted.spec.bootstrap.data_secret_name);
  EXPECT_FALSE(plan.wanted.status.initialization.bootstrap_data_secret_created);
}

TEST(Bootstrap, CopiesTheSecretOfContractV1Beta2) {
  auto seen = seen_of(m1());
  bootstrap_done(seen);

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.bootstrap.data_secret_name, Text("m1-data"));
  EXPECT_EQ(plan.wanted.status.initialization.bootstrap_data_secret_created, true);
}

TEST(Bootstrap, CopiesTheSecretOfContractV1Beta1) {
  auto seen = seen_of(m1());
  bootstrap_says(seen, {{"ready", true}, {"dataSecretName", "m1-data"}});
  seen.bootstrap.contract = api::contract::ContractVersion::V1Beta1;

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.bootstrap.data_secret_name, Text("m1-data"));
  EXPECT_EQ(plan.bootstrap.mismatch, "");
}

TEST(Bootstrap, TakesASecretThatTheUserGave) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").with(
      [](api::Machine& machine) { machine.spec.bootstrap.data_secret_name = "mine"_text; }));

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.bootstrap.data_secret_name, Text("mine"));
  EXPECT_EQ(plan.wanted.status.initialization.bootstrap_data_secret_created, true);
}

TEST(Bootstrap, SetsNoFlagWithoutAConfig) {
  auto seen = seen_of(a_machine("m1").in_pool("mp"));
  seen.bootstrap = {};

  EXPECT_FALSE(plan_for(seen).wanted.status.initialization.bootstrap_data_secret_created);
}

TEST(Bootstrap, NamesTheFieldThatShouldHoldTheSecret) {
  auto seen = seen_of(m1());
  bootstrap_says(seen, {{"initialization", {{"dataSecretCreated", true}}}});

  const auto plan = plan_for(seen);

  EXPECT_FALSE(plan.wanted.spec.bootstrap.data_secret_name);
  EXPECT_THAT(
      plan.troubles,
      ElementsAre("spec.bootstrap.configRef: KubeadmConfig default/m1: status.dataSecretName is empty "
                  "although the data Secret was created"));
}

TEST(Bootstrap, SaysWhenOnlyTheOlderContractIsFilled) {
  auto seen = seen_of(m1());
  bootstrap_says(seen, {{"ready", true}, {"dataSecretName", "m1-data"}});

  const auto plan = plan_for(seen);

  EXPECT_FALSE(plan.wanted.spec.bootstrap.data_secret_name);
  EXPECT_EQ(plan.bootstrap.mismatch,
            "KubeadmConfig fills only status.ready of contract v1beta1, but its CRD has the label "
            "cluster.x-k8s.io/v1beta2, under which status.initialization.dataSecretCreated counts: fix the "
            "provider "
            "or remove that label");
}

TEST(Bootstrap, ReadsNothingFromAConfigThatGoes) {
  auto seen = seen_of(m1());
  bootstrap_done(seen);
  seen.bootstrap = changed(seen.bootstrap, [](auto& object) { object.metadata.deletion_timestamp = noon(); });

  EXPECT_FALSE(plan_for(seen).wanted.spec.bootstrap.data_secret_name);
}

// --- infrastructure ---

TEST(Infrastructure, CopiesWhatTheObjectSaysOnceItIsProvisioned) {
  auto seen = seen_of(m1());
  infra_says(seen, {{"providerID", "docker:////m1"}, {"failureDomain", "asked"}},
             {{"initialization", {{"provisioned", true}}},
              {"failureDomain", "got"},
              {"addresses", json::array{{{"type", "InternalIP"}, {"address", "10.0.0.1"}}}}});

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.provider_id, "docker:////m1");
  EXPECT_EQ(plan.wanted.spec.failure_domain, "asked");
  EXPECT_EQ(plan.wanted.status.failure_domain, "got");
  EXPECT_EQ(plan.wanted.status.initialization.infrastructure_provisioned, true);
  ASSERT_THAT(plan.wanted.status.addresses, SizeIs(1));
  EXPECT_EQ(plan.wanted.status.addresses.front().address, "10.0.0.1");
}

TEST(Infrastructure, ReadsContractV1Beta1) {
  auto seen = seen_of(m1());
  infra_says(seen, {{"providerID", "docker:////m1"}}, {{"ready", true}});
  seen.infra.contract = api::contract::ContractVersion::V1Beta1;

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.provider_id, "docker:////m1");
}

TEST(Infrastructure, TakesNoProviderIdBeforeItIsProvisioned) {
  auto seen = seen_of(m1());
  infra_says(seen, {{"providerID", "docker:////m1"}}, {});

  EXPECT_TRUE(plan_for(seen).wanted.spec.provider_id.empty());
}

TEST(Infrastructure, WaitsForTheProviderId) {
  auto seen = seen_of(m1());
  infra_says(seen, {}, {{"initialization", {{"provisioned", true}}}});

  const auto plan = plan_for(seen);

  EXPECT_FALSE(plan.wanted.status.initialization.infrastructure_provisioned);
  EXPECT_EQ(plan.recheck, std::nullopt);
}

TEST(Infrastructure, StaysProvisionedAndFollowsAProviderIdThatChanges) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned());
  infra_says(seen, {{"providerID", "docker:////new"}}, {{"initialization", {{"provisioned", false}}}});

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.spec.provider_id, "docker:////new");
  EXPECT_EQ(plan.wanted.status.initialization.infrastructure_provisioned, true);
}

TEST(Infrastructure, KeepsAddressesThatTheObjectDropped) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned().with([](api::Machine& machine) {
    machine.status.addresses = {{.type = "InternalIP"_text, .address = "10.0.0.1"_text}};
  }));
  infra_done(seen);

  EXPECT_THAT(plan_for(seen).wanted.status.addresses, SizeIs(1));
}

TEST(Infrastructure, OldFailureDomainOverwritesEvenWithNothing) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").in_failure_domain("wished"));
  infra_says(seen, {{"providerID", "x"}, {"failureDomain", ""}},
             {{"initialization", {{"provisioned", true}}}});

  EXPECT_TRUE(plan_for(seen).wanted.spec.failure_domain.empty());
}

TEST(Infrastructure, SaysWhenOnlyTheOlderContractIsFilled) {
  auto seen = seen_of(m1());
  infra_says(seen, {{"providerID", "x"}}, {{"ready", true}});

  const auto plan = plan_for(seen);

  EXPECT_TRUE(plan.wanted.spec.provider_id.empty());
  EXPECT_THAT(messages(plan.notes), ElementsAre(HasSubstr("DockerMachine fills only status.ready")));
}

TEST(Infrastructure, DoesNotScoldAProviderThatFillsBothContracts) {
  auto seen = seen_of(m1());
  infra_says(seen, {}, {{"ready", true}, {"initialization", {{"provisioned", false}}}});

  EXPECT_EQ(plan_for(seen).infra.mismatch, "");
}

TEST(Infrastructure, NamesAFieldOfTheWrongType) {
  auto seen = seen_of(m1());
  infra_says(seen, {{"providerID", 7}}, {{"initialization", {{"provisioned", true}}}});

  const auto plan = plan_for(seen);

  EXPECT_THAT(plan.troubles, ElementsAre("spec.infrastructureRef: DockerMachine default/m1: spec.providerID: "
                                         "expected string, found number"));
}

TEST(Infrastructure, LooksForAMissingObjectEveryHalfMinute) {
  auto seen = seen_of(m1());
  seen.infra = in_state(State::Missing);

  EXPECT_EQ(plan_for(seen).recheck, Seconds(30));
}

TEST(Infrastructure, DoesNotLookAgainForWhatIsGoneForGood) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned());
  seen.infra = in_state(State::Missing);

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.recheck, std::nullopt);
  EXPECT_THAT(plan.troubles, ElementsAre("the infrastructure object is gone"));
}

TEST(Infrastructure, LooksAgainForAKindThatIsNotInstalled) {
  auto seen = seen_of(m1());
  seen.infra = in_state(State::Unreadable, "CustomResourceDefinition x does not exist");

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.recheck, Seconds(30));
  EXPECT_THAT(
      messages(plan.notes),
      ElementsAre("InvalidReference: spec.infrastructureRef: CustomResourceDefinition x does not exist"));
}

// --- too early ---

TEST(TooEarly, SaysNothingWhileACacheIsBeingFilled) {
  auto seen = seen_of(m1());
  seen.infra = in_state(State::CacheBehind, "not yet");
  seen.now = noon() + Seconds(59);

  EXPECT_TRUE(plan_for(seen).too_early);
}

TEST(TooEarly, TellsOfACacheThatNeverComes) {
  auto seen = seen_of(m1());
  seen.infra = in_state(State::CacheBehind, "not yet");
  seen.now = noon() + Seconds(61);

  EXPECT_FALSE(plan_for(seen).too_early);
}

TEST(TooEarly, SaysNothingNewOfAKnownMachineAfterARestart) {
  auto seen = seen_of(a_machine("m1").running());
  seen.infra = in_state(State::CacheBehind, "not yet");

  EXPECT_TRUE(plan_for(seen).too_early);
}

// A hundred thousand Machines of a kind we may not list any more must not keep the processor busy: those that
// are known wait for its list, which wakes them.
TEST(TooEarly, AsksRarelyForACacheWhoseListFails) {
  auto known = seen_of(a_machine("m1").running());
  known.infra = in_state(State::CacheBehind, "not yet");
  const auto soon = plan_for(known).too_early;
  known.infra.listed_soon = false;
  auto young = seen_of(m1());
  young.infra = known.infra;
  young.now = noon() + Seconds(1);

  EXPECT_EQ(soon, std::chrono::milliseconds(500));
  EXPECT_EQ(plan_for(known).recheck, std::nullopt);
  EXPECT_EQ(plan_for(young).too_early, std::chrono::seconds(30));
}

// Else each restart would write the Machine's status twice: NodeHealthy Unknown, and then as it was before.
TEST(TooEarly, WaitsForTheListThatTellsWhoseItsNodeIs) {
  auto known = seen_of(a_machine("m1").running());
  known.node.whose = {.whose = claims::Verdict::Whose::Unknown, .listed_soon = true};
  auto in_vain = known;
  in_vain.node.whose.listed_soon = false;

  EXPECT_EQ(plan_for(known).too_early, std::chrono::milliseconds(500));
  EXPECT_FALSE(plan_for(in_vain).too_early);
}

// Its objects were made before it and name it nowhere: no list of theirs wakes it.
TEST(TooEarly, AMachineThatOwnsNothingYetLooksForItself) {
  auto reported_before = seen_of(reported(seen_of(m1())).machine);
  reported_before.infra = in_state(State::CacheBehind, "forbidden");
  reported_before.infra.listed_soon = false;

  EXPECT_FALSE(plan_for(reported_before).too_early);
  EXPECT_EQ(plan_for(reported_before).recheck, Seconds(30));
}

// A provider's list fails for as long as its webhook is down, and Nodes die meanwhile.
TEST(TooEarly, AFailingListHidesNoNode) {
  auto seen = seen_of(a_machine("m1").running());
  seen.infra = in_state(State::CacheBehind, "its webhook does not answer");
  seen.infra.listed_soon = false;
  on_node(seen, a_node("m1").kubelet_version("v1.36.4"));

  const auto plan = plan_for(seen);

  EXPECT_FALSE(plan.too_early);
  EXPECT_EQ(plan.wanted.status.node_info->kubelet_version, "v1.36.4");
}

TEST(TooEarly, ADeletionThatAFailingListHoldsUpIsToldAbout) {
  auto seen = seen_of(a_machine("m1").running().deleting());
  seen.infra = in_state(State::CacheBehind, "forbidden");
  const auto soon = plan_for(seen).too_early;
  seen.infra.listed_soon = false;

  EXPECT_TRUE(soon);
  EXPECT_FALSE(plan_for(seen).too_early);
}

TEST(TooEarly, GivesClonesAMomentToAppear) {
  auto seen = seen_of(m1());
  seen.bootstrap = in_state(State::Missing);

  seen.now = noon() + Seconds(4);
  const auto young = plan_for(seen);
  seen.now = noon() + Seconds(5);
  const auto old = plan_for(seen);

  EXPECT_TRUE(young.too_early);
  EXPECT_FALSE(old.too_early);
}

// --- the Node ---

TEST(Node, IsTakenByItsProviderId) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned());
  infra_done(seen);
  on_node(seen, a_node("n1").kubelet_version("v1.36.3"));

  const auto plan = plan_for(seen);

  ASSERT_TRUE(plan.wanted.status.node_ref);
  EXPECT_EQ(plan.wanted.status.node_ref->name, "n1");
  EXPECT_EQ(plan.wanted.status.node_info->kubelet_version, "v1.36.3");
  EXPECT_TRUE(node_change_in(plan));
  EXPECT_THAT(messages(plan.notes), ElementsAre("SuccessfulSetNodeRef: n1"));
}

TEST(Node, ReferenceIsNeverChanged) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned().on_node("first"));
  infra_done(seen);
  on_node(seen, a_node("second"));

  const auto plan = plan_for(seen);

  EXPECT_EQ(plan.wanted.status.node_ref->name, "first");
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Node, IsNeverGuessedAmongTwo) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned());
  infra_done(seen);
  seen.node.lookup = NodeSeen::Lookup::Many;
  seen.node.names = {"n1", "n2"};

  const auto plan = plan_for(seen);

  EXPECT_FALSE(plan.wanted.status.node_ref);
  EXPECT_FALSE(node_change_in(plan));
  EXPECT_THAT(messages(plan.notes),
              ElementsAre("Failed to retrieve Node by ProviderID: Nodes n1, n2 have the same spec.providerID "
                          "docker:////m1: delete those that are not this Machine's"));
}

TEST(Node, IsLeftAloneWhileItsMachineGoes) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned().deleting());
  on_node(seen, a_node("n1"));

  const auto plan = plan_for(seen);

  EXPECT_FALSE(node_change_in(plan));
  EXPECT_EQ(plan.wanted.status.node_ref->name, "n1");
}

TEST(Node, KeepsItsInterruptibleLabelWhileTheInfrastructureCannotBeRead) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").provisioned());
  infra_says(seen, {{"providerID", "docker:////m1"}},
             {{"initialization", {{"provisioned", true}}}, {"interruptible", true}});
  on_node(seen, a_node("n1"));
  const auto first = plan_for(seen);
  auto labelled = a_node("n1").labelled("cluster.x-k8s.io/interruptible");
  for (const auto& [key, value] : node_change_in(first)->annotations) labelled.annotated(key, *value);
  on_node(seen, labelled);
  seen.infra = in_state(State::Missing);

  const auto later = plan_for(seen);

  EXPECT_THAT(messages(first.notes),
              ElementsAre("SuccessfulSetNodeRef: n1", "SuccessfulSetInterruptibleNodeLabel: n1"));
  EXPECT_FALSE(node_change_in(later));
}

// --- the actions ---

std::string described(const PatchMachine& patch) {
  return std::string("patch the Machine") + (patch.may_be_refused ? ", or go on without" : "");
}
std::string described(const ConfirmMachine&) { return "confirm the Machine"; }
std::string described(const ClaimObject& claim) {
  return claim.which == ClaimObject::Which::Bootstrap ? "claim bootstrap" : "claim infrastructure";
}
std::string described(const ChangeNode&) { return "change the Node"; }

std::vector<std::string> actions(const Plan& plan) {
  std::vector<std::string> all;
  for (const Action& action : plan.actions) {
    all.push_back(std::visit([](const auto& each) { return described(each); }, action));
  }
  return all;
}

// As its set made them; both have done their work.
void not_taken_over(Observation& seen) {
  const auto by_set = [](auto& object) { object = made_by_set(object); };
  bootstrap_done(seen);
  infra_done(seen);
  seen.bootstrap = changed(seen.bootstrap, by_set);
  seen.infra = changed(seen.infra, by_set);
}

TEST(Actions, BeginWithTheMachineItself) {
  auto seen = seen_of(a_machine("m1").in_set("ms1"));
  not_taken_over(seen);
  on_node(seen, a_node("n1"));

  const auto plan = plan_for(seen);

  ASSERT_THAT(actions(plan),
              ElementsAre("patch the Machine", "claim bootstrap", "claim infrastructure", "change the Node"));
  const auto& patch = std::get<PatchMachine>(plan.actions.front());
  EXPECT_TRUE(patch.to.metadata.has_finalizer("machine.cluster.x-k8s.io"));
  EXPECT_EQ(patch.to.spec.provider_id, "docker:////m1");
  EXPECT_EQ(std::get<ClaimObject>(plan.actions[2]).claim, plan.infra.claim);
}

TEST(Actions, AreNoneForAMachineThatIsAsWanted) { EXPECT_THAT(plan_for(seen_of(m1())).actions, IsEmpty()); }

TEST(Actions, ConfirmAMachineThatGoesBeforeItTakesObjectsOver) {
  auto seen = seen_of(a_machine("m1").in_set("ms1").finalized_by(api::finalizer::kMachine).deleting());
  const auto owner = seen;
  not_taken_over(seen);

  EXPECT_THAT(actions(plan_for(seen)),
              ElementsAre("confirm the Machine", "patch the Machine, or go on without", "claim bootstrap",
                          "claim infrastructure"));
  EXPECT_THAT(actions(plan_for(owner)), IsEmpty());
}

TEST(Actions, ChangeNoNodeTwiceBeforeItsCacheShowsTheFirstChange) {
  auto seen = seen_of(m1());
  infra_done(seen);
  on_node(seen, a_node("n1"));
  seen.node.behind = true;

  EXPECT_EQ(node_change_in(plan_for(seen)), nullptr);
}

TEST(Actions, MakePlansThatCanBeCompared) {
  auto seen = seen_of(m1());
  infra_done(seen);
  on_node(seen, a_node("n1"));
  auto other = seen;
  other.settings.node_sync.taints = true;

  EXPECT_EQ(plan_for(seen), plan_for(seen));
  EXPECT_NE(plan_for(seen), plan_for(other));
}

// --- certificates ---

TEST(Certificates, MachinesOwnAnnotationWins) {
  auto seen = seen_of(a_machine("m1").control_plane().annotated(
      "machine.cluster.x-k8s.io/certificates-expiry", "2030-01-01T00:00:00Z"));
  seen.bootstrap = changed(seen.bootstrap, [](auto& object) {
    object.metadata.annotations.set("machine.cluster.x-k8s.io/certificates-expiry", "2029-01-01T00:00:00Z");
  });

  EXPECT_EQ(plan_for(seen).wanted.status.certificates_expiry_date.to_string(), "2030-01-01T00:00:00Z");
}

TEST(Certificates, AreReadFromTheBootstrapObjectToo) {
  auto seen = seen_of(a_machine("m1").control_plane());
  seen.bootstrap = changed(seen.bootstrap, [](auto& object) {
    object.metadata.annotations.set("machine.cluster.x-k8s.io/certificates-expiry", "2029-01-01T00:00:00Z");
  });

  EXPECT_EQ(plan_for(seen).wanted.status.certificates_expiry_date.to_string(), "2029-01-01T00:00:00Z");
}

TEST(Certificates, OfAWorkerAreNobodysBusiness) {
  const auto seen = seen_of(
      a_machine("m1").annotated("machine.cluster.x-k8s.io/certificates-expiry", "2030-01-01T00:00:00Z"));

  EXPECT_FALSE(plan_for(seen).wanted.status.certificates_expiry_date.is_set());
}

TEST(Certificates, ExpiryGoesWithTheAnnotationAndGarbageIsTrouble) {
  const auto gone = seen_of(a_machine("m1").control_plane().with(
      [](api::Machine& machine) { machine.status.certificates_expiry_date = noon(); }));
  const auto garbage = seen_of(
      a_machine("m1").control_plane().annotated("machine.cluster.x-k8s.io/certificates-expiry", "soon"));

  EXPECT_FALSE(plan_for(gone).wanted.status.certificates_expiry_date.is_set());
  EXPECT_THAT(plan_for(garbage).troubles,
              ElementsAre(HasSubstr("annotation machine.cluster.x-k8s.io/certificates-expiry")));
}

TEST(Certificates, ExpiryStaysWhileNobodyCanLook) {
  auto seen = seen_of(a_machine("m1").control_plane().running().with(
      [](api::Machine& machine) { machine.status.certificates_expiry_date = noon(); }));
  seen.bootstrap = in_state(State::CacheBehind, "its webhook does not answer");
  seen.bootstrap.listed_soon = false;

  EXPECT_TRUE(plan_for(seen).wanted.status.certificates_expiry_date.is_set());
}

// --- keys of machine-controller-manager beside ours ---

TEST(KeysAtOdds, AreToldOfTheMachineAndOfItsNode) {
  lifecycle::accept_mcm_aliases(true);
  auto seen = seen_of(a_machine("m1")
                          .in_set("ms1")
                          .running()
                          .annotated("capstan.dev/deletion-priority", "7")
                          .annotated("machinepriority.machine.sapcloud.io", "1"));
  on_node(seen, a_node("n1")
                    .labelled("capstan.dev/update-result", "successful")
                    .labelled("node.machine.sapcloud.io/update-result", "failed"));

  const auto said = messages(plan_for(seen).notes);
  lifecycle::accept_mcm_aliases(false);

  EXPECT_THAT(said,
              testing::IsSupersetOf(
                  {HasSubstr("AliasOverruled: capstan.dev/deletion-priority says \"7\" and wins over "),
                   HasSubstr("AliasOverruled: capstan.dev/update-result says \"successful\" and wins over "
                             "node.machine.sapcloud.io/update-result")}));
}

}  // namespace
}  // namespace capstan::controllers::machine
