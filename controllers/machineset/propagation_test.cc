#include "controllers/machineset/propagation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "controllers/machineset/decide.h"
#include "controllers/machineset/wanted.h"
#include "kube/apply.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machineset {
namespace {

using builders::a_machine;
using builders::a_machine_set;
using testing::IsEmpty;
using testing::SizeIs;

// As the set made it, with what the server notes about that.
api::Machine made_by(const api::MachineSet& set, std::string_view name) {
  api::Machine machine = *new_machine(set, name);
  machine.metadata.uid = builders::uid_of("Machine", name);
  const auto claims = kube::claims_of(kube::apply_intent(api::to_json(updated_machine(set, machine))),
                                      &api::type_of<api::Machine>);
  api::ManagedEntry entry{.manager = Text(api::field_manager::kMachineSet), .operation = "Apply"_text};
  for (const auto& label : claims.labels) entry.labels.emplace_back(label);
  for (const auto& annotation : claims.annotations) entry.annotations.emplace_back(annotation);
  for (const auto& path : claims.paths) entry.paths.emplace_back(path);
  machine.metadata.managed_fields = api::ManagedFields({entry});
  return machine;
}

Snapshot<api::contract::ContractObject> object_of(const api::MachineSet& set, std::string_view manager) {
  api::contract::ContractObject object;
  object.metadata.name = "a"_text;
  object.metadata.labels = machine_labels(set);
  object.metadata.annotations.set(api::annotation::kClonedFromName, "t");
  if (!manager.empty()) {
    api::ManagedEntry entry{.manager = Text(manager), .operation = "Apply"_text};
    for (const auto& label : object.metadata.labels) entry.labels.push_back(label.first);
    object.metadata.managed_fields = api::ManagedFields({entry});
  }
  return std::make_shared<const api::contract::ContractObject>(object);
}

UnsettledMachine unsettled(const api::Machine& machine) {
  return {.machine = std::make_shared<const api::Machine>(machine)};
}

Plan plan_for(const api::MachineSet& set, const UnsettledMachine& machine) {
  Plan plan;
  update_machine(set, machine, plan);
  return plan;
}

TEST(Propagation, AMachineThatIsAsWantedIsSettledWithoutAWrite) {
  const api::MachineSet set = a_machine_set();

  const auto plan = plan_for(set, unsettled(made_by(set, "a")));

  EXPECT_THAT(plan.actions, IsEmpty());
  EXPECT_THAT(plan.settled, SizeIs(1));
}

TEST(Propagation, ALabelOfTheTemplateGoesToTheMachineAndItsObjects) {
  const auto machine = made_by(a_machine_set(), "a");
  const api::MachineSet labelled = a_machine_set().template_label("new", "x");
  auto seen = unsettled(machine);
  seen.clones.push_back({.object = object_of(a_machine_set(), api::field_manager::kMachineSet)});

  const auto plan = plan_for(labelled, seen);

  ASSERT_THAT(plan.actions, SizeIs(2));
  const auto& clone = std::get<UpdateClone>(plan.actions.front());
  EXPECT_TRUE(clone.hand_over);
  EXPECT_FALSE(clone.from.labels.contains("new"));
  EXPECT_EQ(clone.to.labels.value_or_empty("new"), "x");
  const auto& update = std::get<UpdateMachine>(plan.actions.back());
  EXPECT_FALSE(update.machine->metadata.labels.contains("new"));
  EXPECT_EQ(update.to.metadata.labels.value_or_empty("new"), "x");
  EXPECT_THAT(plan.settled, SizeIs(1));
}

TEST(Propagation, ATimeoutChangesInPlace) {
  const auto machine = made_by(a_machine_set(), "a");
  api::MachineSet patient = a_machine_set();
  patient.spec.machine_template.spec.deletion.node_drain_timeout_seconds = 5;

  const auto plan = plan_for(patient, unsettled(machine));

  ASSERT_THAT(plan.actions, SizeIs(1));
  const auto& update = std::get<UpdateMachine>(plan.actions.front());
  EXPECT_FALSE(update.machine->spec.deletion.node_drain_timeout_seconds);
  EXPECT_EQ(update.to.spec.deletion.node_drain_timeout_seconds, 5);
}

TEST(Propagation, OfAMachineThatIsBeingDeletedOnlyItsPatienceChanges) {
  auto machine = made_by(a_machine_set(), "a");
  machine.metadata.deletion_timestamp = builders::noon();
  api::MachineSet changed = a_machine_set().template_label("new", "x");
  const auto before = plan_for(changed, unsettled(machine));
  changed.spec.machine_template.spec.deletion.node_drain_timeout_seconds = 5;

  const auto plan = plan_for(changed, unsettled(machine));

  EXPECT_THAT(before.actions, IsEmpty());
  ASSERT_THAT(plan.actions, SizeIs(1));
  const auto& update = std::get<UpdateMachine>(plan.actions.front());
  EXPECT_EQ(update.to.spec.deletion.node_drain_timeout_seconds, 5);
  EXPECT_EQ(update.to.metadata.labels, machine.metadata.labels);
}

TEST(Propagation, AMachineWithoutFieldManagersGetsThemBackFirst) {
  auto machine = made_by(a_machine_set(), "a");
  machine.metadata.managed_fields = {};
  const api::MachineSet labelled = a_machine_set().template_label("new", "x");

  const auto plan = plan_for(labelled, unsettled(machine));

  ASSERT_THAT(plan.actions, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<RepairManagers>(plan.actions.front()));
}

TEST(Propagation, AnObjectWithoutFieldManagersGetsThemBackBeforeItsMachineIsWritten) {
  const api::MachineSet set = a_machine_set();
  auto seen = unsettled(made_by(set, "a"));
  seen.clones.push_back({.object = object_of(set, {})});

  const auto plan = plan_for(a_machine_set().template_label("new", "x"), seen);

  ASSERT_THAT(plan.actions, SizeIs(3));
  EXPECT_TRUE(std::holds_alternative<RepairCloneManagers>(plan.actions[0]));
  EXPECT_TRUE(std::holds_alternative<UpdateClone>(plan.actions[1]));
  EXPECT_TRUE(std::holds_alternative<UpdateMachine>(plan.actions[2]));
}

TEST(Propagation, AMachineThatLacksAnObjectOrWhoseObjectsAreNotListedIsNotSettled) {
  const api::MachineSet set = a_machine_set();
  auto lacking = unsettled(made_by(set, "a"));
  lacking.lacks_infrastructure = true;
  auto unlisted = unsettled(made_by(set, "a"));
  unlisted.complete = false;

  EXPECT_THAT(plan_for(set, lacking).settled, IsEmpty());
  EXPECT_THAT(plan_for(set, unlisted).settled, IsEmpty());
}

// --- owners, as decide() changes them ---

std::vector<std::string> owners(const api::OwnerReferences& references) {
  std::vector<std::string> names;
  for (const auto& owner : *references) names.push_back(owner.kind.str());
  return names;
}

Observation a_look(const api::MachineSet& set) {
  Observation seen{
      .now = builders::noon(), .stored = std::make_shared<const api::MachineSet>(set), .set = set};
  seen.cluster = builders::a_cluster().without_control_plane_ref().shared();
  return seen;
}

TEST(Owners, AnOrphanGetsTheSetAsItsController) {
  auto seen = a_look(a_machine_set().replicas(1));
  seen.orphans = {a_machine("stray").shared()};

  const auto plan = decide(seen);

  ASSERT_THAT(plan.actions, SizeIs(1));
  const auto& adoption = std::get<AdoptMachine>(plan.actions.front());
  EXPECT_EQ(adoption.from, seen.orphans.front()->metadata.owner_references);
  EXPECT_EQ(adoption.to->back().uid, seen.stored->metadata.uid);
  EXPECT_TRUE(adoption.to->back().is_controller());
}

TEST(Owners, AStrayGetsTheClusterInPlaceOfTheSet) {
  const api::MachineSet set = a_machine_set().replicas(0);
  auto seen = a_look(set);
  seen.strays = {std::make_shared<const api::Machine>(made_by(set, "stray"))};

  const auto plan = decide(seen);

  ASSERT_THAT(plan.actions, SizeIs(1));
  const auto& release = std::get<ReleaseMachine>(plan.actions.front());
  EXPECT_THAT(owners(release.from), testing::ElementsAre("MachineSet"));
  EXPECT_THAT(owners(release.to), testing::ElementsAre("Cluster"));
}

}  // namespace
}  // namespace capstan::controllers::machineset
