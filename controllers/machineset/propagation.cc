#include "controllers/machineset/propagation.h"

#include <boost/json.hpp>

#include "controllers/machineset/wanted.h"
#include "controllers/shared/lost_managers.h"
#include "kube/apply.h"

namespace capstan::controllers::machineset {
namespace {

void update_clone(const api::MachineSet& set, const Snapshot<api::Machine>& machine, const CloneSeen& clone,
                  Plan& plan) {
  if (has_lost_keeper(*clone.object))
    plan.actions.push_back(RepairCloneManagers{.machine = machine, .clone = clone});
  const CloneStep step = clone_step(set, *machine, *clone.object);
  if (step == CloneStep::Nothing) return;
  const auto& present = clone.object->metadata;
  plan.actions.push_back(UpdateClone{.machine = machine,
                                     .clone = clone,
                                     .hand_over = step == CloneStep::HandOverAndApply,
                                     .from = {.labels = present.labels, .annotations = present.annotations},
                                     .to = wanted_metadata(set)});
}

void update_deleting(const api::MachineSet& set, const Snapshot<api::Machine>& machine, Plan& plan) {
  auto after = updated_deleting_machine(set, *machine);
  if (after != *machine) plan.actions.push_back(UpdateMachine{.machine = machine, .to = std::move(after)});
}

bool needs_apply(const api::Machine& machine, const api::Machine& wanted) {
  return kube::needed_intent(api::type_of<api::Machine>, &wanted,
                             {.object = &machine,
                              .uid = machine.metadata.uid.str(),
                              .managed = machine.metadata.managed_fields},
                             api::field_manager::kMachineSet)
      .has_value();
}

void update_in_place(const api::MachineSet& set, const Snapshot<api::Machine>& machine, Plan& plan) {
  if (has_lost_managers(machine->metadata.managed_fields))
    return plan.actions.push_back(RepairManagers{.machine = machine});
  auto wanted = updated_machine(set, *machine);
  if (needs_apply(*machine, wanted))
    plan.actions.push_back(UpdateMachine{.machine = machine, .to = std::move(wanted)});
}

}  // namespace

void update_machine(const api::MachineSet& set, const UnsettledMachine& unsettled, Plan& plan) {
  const auto& machine = unsettled.machine;
  for (const CloneSeen& clone : unsettled.clones) update_clone(set, machine, clone, plan);
  if (machine->metadata.deleting()) {
    update_deleting(set, machine, plan);
  } else {
    update_in_place(set, machine, plan);
  }
  if (unsettled.complete && !unsettled.unfinished())
    plan.settled.push_back({.uid = machine->metadata.uid, .version = machine->metadata.resource_version});
}

}  // namespace capstan::controllers::machineset
