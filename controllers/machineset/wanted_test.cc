#include "controllers/machineset/wanted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/machineset/clone_metadata.h"
#include "kube/apply.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machineset {
namespace {

namespace json = boost::json;
using builders::a_cluster;
using builders::a_machine_set;
using testing::SizeIs;

// --- the set ---

TEST(Adjusted, GivesASetTheLabelsAndTheOwnerEverySetHas) {
  auto set = a_machine_set().build();
  set.metadata.labels = {};
  const api::Cluster cluster = a_cluster();

  const auto after = adjusted(set, &cluster.metadata);

  EXPECT_EQ(after.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
  EXPECT_EQ(after.spec.selector.match_labels.value_or_empty("cluster.x-k8s.io/cluster-name"), "c1");
  EXPECT_EQ(after.spec.machine_template.metadata.labels.value_or_empty("cluster.x-k8s.io/cluster-name"),
            "c1");
  ASSERT_THAT(*after.metadata.owner_references, SizeIs(1));
  EXPECT_EQ((*after.metadata.owner_references)[0].kind, "Cluster");
  EXPECT_FALSE((*after.metadata.owner_references)[0].controller);
}

TEST(Adjusted, AChildOfADeploymentIsNotTheClusters) {
  const api::Cluster cluster = a_cluster();
  const api::MachineSet set = a_machine_set().in_deployment("md1");

  EXPECT_THAT(*adjusted(set, &cluster.metadata).metadata.owner_references, SizeIs(1));
}

TEST(Adjusted, AnEmptySelectorNeverSelectsTheWholeCluster) {
  auto set = a_machine_set().build();
  set.spec.selector = {};

  const auto after = adjusted(set, nullptr);

  EXPECT_EQ(after.spec.selector.match_labels.value_or_empty("cluster.x-k8s.io/set-name"), "ms1");
}

TEST(Adjusted, ChangesNothingTheSecondTime) {
  const api::Cluster cluster = a_cluster();
  const auto once = adjusted(a_machine_set().build(), &cluster.metadata);

  EXPECT_EQ(adjusted(once, &cluster.metadata), once);
}

// --- Machines ---

TEST(NewMachine, LongSetNamesBecomeShortLabels) {
  const std::string name(70, 's');

  const auto machine = new_machine(a_machine_set(name), "m");

  EXPECT_EQ(machine->metadata.labels.value_or_empty("cluster.x-k8s.io/set-name"), "hash_hY_ydw_z");
}

TEST(NewMachine, TakesAnnotationsFromTheTemplateAndNotFromTheSet) {
  auto set = a_machine_set().annotated("own", "1").build();
  set.spec.machine_template.metadata.annotations.set("of-template", "2");

  const auto machine = new_machine(set, "m");

  EXPECT_EQ(machine->metadata.annotations, (api::Labels{{"of-template", "2"}}));
}

// Each Machine that is made in the place of another would be replaced in turn.
TEST(NewMachine, IsNotToBeReplacedBecauseItsTemplateSaysSo) {
  auto set = a_machine_set().build();
  set.spec.machine_template.metadata.annotations.set(api::policy::annotation::kReplace, "true");
  set.spec.machine_template.metadata.annotations.set("other", "1");

  const auto annotations = new_machine(set, "m")->metadata.annotations;

  EXPECT_FALSE(annotations.contains(api::policy::annotation::kReplace));
  EXPECT_TRUE(annotations.contains("other"));
}

// What is made must be what is wanted, or every Machine would be written again right after its birth.
TEST(UpdatedMachine, WantsOfANewMachineExactlyWhatItWasMadeWith) {
  const auto set = adjusted(a_machine_set().in_deployment("md1").version("v1.30.0").build(), nullptr);
  const api::Machine made = *new_machine(set, "m");

  const auto created = kube::claims_of(kube::apply_intent(api::to_json(made)), &api::type_of<api::Machine>);
  const auto updated = kube::claims_of(kube::apply_intent(api::to_json(updated_machine(set, made))),
                                       &api::type_of<api::Machine>);

  EXPECT_EQ(created, updated);
}

TEST(UpdatedMachine, KeepsWhatBelongsToOneMachineForLife) {
  api::MachineSet set = a_machine_set().version("v1.31.0");
  set.spec.machine_template.spec.failure_domain = "b"_text;
  set.spec.machine_template.spec.min_ready_seconds = 9;
  const api::Machine machine =
      builders::a_machine("m").version("v1.30.0").in_failure_domain("a").provider_id("x://1");

  const auto wanted = updated_machine(set, machine);

  EXPECT_EQ(wanted.spec.version, "v1.30.0");
  EXPECT_EQ(wanted.spec.failure_domain, "a");
  EXPECT_EQ(wanted.spec.infrastructure_ref, machine.spec.infrastructure_ref);
  EXPECT_EQ(wanted.spec.bootstrap.config_ref, machine.spec.bootstrap.config_ref);
  EXPECT_TRUE(wanted.spec.provider_id.empty());
  EXPECT_EQ(wanted.spec.min_ready_seconds, 9);
}

TEST(UpdatedMachine, KeepsForeignFinalizers) {
  const api::Machine machine = builders::a_machine("m").finalized_by("x/y");

  const auto wanted = updated_machine(a_machine_set(), machine);

  EXPECT_TRUE(wanted.metadata.has_finalizer("x/y"));
  EXPECT_TRUE(wanted.metadata.has_finalizer("machine.cluster.x-k8s.io"));
  EXPECT_EQ(wanted.metadata.resource_version, machine.metadata.resource_version) << "as they were then";
}

TEST(UpdatedDeletingMachine, ChangesPatienceAndNoLabel) {
  api::MachineSet set = a_machine_set().template_label("new", "x");
  set.spec.machine_template.spec.deletion.node_drain_timeout_seconds = 5;
  const api::Machine machine = builders::a_machine("m").deleting();

  const auto after = updated_deleting_machine(set, machine);

  EXPECT_EQ(after.spec.deletion.node_drain_timeout_seconds, 5);
  EXPECT_EQ(after.spec.deletion.node_deletion_timeout_seconds, 10);
  EXPECT_EQ(after.metadata.labels, machine.metadata.labels);
}

// --- their objects ---

api::ManagedFields applied(std::string_view manager, const std::vector<std::string_view>& labels) {
  api::ManagedEntry entry{.manager = Text(manager), .operation = "Apply"_text};
  for (const auto label : labels) entry.labels.emplace_back(label);
  return api::ManagedFields({entry});
}

struct Pair {
  api::MachineSet set = a_machine_set();
  api::Machine machine = builders::a_machine("m");
  api::contract::ContractObject clone = {};

  Pair() {
    clone.metadata.name = "m"_text;
    clone.metadata.labels = machine_labels(set);
    clone.metadata.labels.set("of", "template");
  }
};

TEST(CloneStep, NothingAsLongAsTheLabelsAreThere) {
  Pair pair;
  pair.machine.metadata.managed_fields = applied("capi-machineset", {"cluster.x-k8s.io/set-name"});
  pair.clone.metadata.managed_fields = applied("capi-machineset", {"cluster.x-k8s.io/set-name", "of"});

  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Nothing);
}

TEST(CloneStep, WhatItsMakerStillOwnsIsHandedOverFirst) {
  Pair pair;
  pair.clone.metadata.managed_fields = applied("capi-machineset", {"cluster.x-k8s.io/set-name"});
  pair.clone.metadata.labels.erase("cluster.x-k8s.io/set-name");

  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::HandOverAndApply);
}

TEST(CloneStep, ALabelTheMachineHadFromUsLeaves) {
  Pair pair;
  pair.clone.metadata.labels.set("old", "x");
  pair.clone.metadata.managed_fields = applied("capi-machineset", {"old"});
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Nothing);  // the provider's own

  pair.machine.metadata.managed_fields = applied("capi-machineset", {"old"});
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::HandOverAndApply);
}

TEST(CloneStep, WhatUpstreamMadeIsKeptByItsKeeper) {
  Pair pair;
  pair.clone.metadata.managed_fields = applied("capi-machineset-metadata", {"cluster.x-k8s.io/set-name"});
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Nothing);

  pair.clone.metadata.managed_fields =
      applied("capi-machineset-metadata", {"cluster.x-k8s.io/set-name", "old"});
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Apply);
}

TEST(CloneStep, TheCopyThatKubectlMakesIsNotMissedBecauseNoCacheHasIt) {
  Pair pair;
  pair.set.spec.machine_template.metadata.annotations.set(api::annotation::kLastAppliedConfiguration, "{}");
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Nothing);

  pair.set.spec.machine_template.metadata.annotations.set("other", "1");
  EXPECT_EQ(clone_step(pair.set, pair.machine, pair.clone), CloneStep::Apply);
}

TEST(HandOverPatch, LeavesWithoutOwnerWhatCameFromTheProvidersTemplate) {
  Pair pair;
  const json::value live = json::parse(R"({"metadata":{"resourceVersion":"7","managedFields":[
    {"manager":"capi-machineset","operation":"Apply","apiVersion":"x/v1","fieldsV1":{
      "f:metadata":{"f:labels":{"f:cluster.x-k8s.io/set-name":{},"f:of":{}},"f:ownerReferences":{}},
      "f:spec":{"f:size":{}}}}]}})");

  const auto patch = hand_over_patch(pair.set, pair.machine, live);

  ASSERT_TRUE(patch) << patch.error().describe();
  EXPECT_EQ(*patch, json::parse(R"({"metadata":{"resourceVersion":"7","managedFields":[
    {"manager":"capi-machineset","operation":"Apply","apiVersion":"x/v1","fieldsV1":{
      "f:metadata":{"f:ownerReferences":{}},"f:spec":{"f:size":{}}}},
    {"manager":"capi-machineset-metadata","operation":"Apply","apiVersion":"x/v1","fieldsV1":{
      "f:metadata":{"f:labels":{"f:cluster.x-k8s.io/set-name":{}}}}}]}})"));
}

TEST(HandOverPatch, RefusesWhatHasNothingToHandOver) {
  Pair pair;

  EXPECT_FALSE(
      hand_over_patch(pair.set, pair.machine, json::parse(R"({"metadata":{"resourceVersion":"7"}})")));
  EXPECT_FALSE(hand_over_patch(pair.set, pair.machine, json::parse("[]")));
}

// --- names ---

TEST(CouldHaveNamed, KnowsTheNamesOfASet) {
  const auto set = a_machine_set("workers").build();

  EXPECT_TRUE(could_have_named(set, *machine_name(set, "bcdfg", "bcdfg")));
  EXPECT_TRUE(could_have_named(set, "workers-x2k4z"));
  EXPECT_FALSE(could_have_named(set, "workers-mine1")) << "no vowels are among random letters";
  EXPECT_FALSE(could_have_named(set, "workers-x2k4"));
  EXPECT_FALSE(could_have_named(set, "others-x2k4z"));
}

TEST(CouldHaveNamed, GoesByTheNamingOfTheSet) {
  auto set = a_machine_set("workers").build();
  set.spec.machine_naming.name_template = Text("{{ .random }}-of-{{ .machineSet.name }}");

  EXPECT_TRUE(could_have_named(set, "x2k4z-of-workers"));
  EXPECT_FALSE(could_have_named(set, "workers-x2k4z"));
}

TEST(CouldHaveNamed, KnowsNamesThatWereTooLong) {
  const auto set = a_machine_set(std::string(60, 'w')).build();

  EXPECT_TRUE(could_have_named(set, *machine_name(set, "bcdfg", "zzzzz")));
}

}  // namespace
}  // namespace capstan::controllers::machineset
