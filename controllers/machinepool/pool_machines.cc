#include "controllers/machinepool/pool_machines.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "api/conditions/conditions.h"
#include "api/contract/infra_machine.h"
#include "api/v1beta2/machine_rules.h"
#include "api/v1beta2/syntax.h"
#include "base/safeguards.h"
#include "controllers/machinepool/pool_victims.h"
#include "controllers/safety/template_annotations.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

namespace conditions = api::conditions;
using api::Machine;
using api::contract::ContractObject;

// So many Machines a turn creates; the rest follows in the next.
constexpr std::size_t kMachinesPerTurn = 200;

std::string version_of_node(const Observation& seen, const ContractObject& object) {
  const api::contract::InfraMachine infra(api::contract::Foreign(object),
                                          api::contract::ContractVersion::V1Beta2);
  const auto id = infra.provider_id().value_or(std::nullopt);
  if (!id || id->empty()) return {};
  const auto found = std::ranges::find_if(
      seen.instances, [&](const Instance& each) { return each.provider_id == std::string_view(*id); });
  if (found == seen.instances.end() || !found->node) return {};
  return found->node->status.node_info->kubelet_version.str();
}

api::Labels labels_of(const api::MachinePool& pool) {
  api::Labels labels = pool.spec.machine_template.metadata.labels;
  labels.set(Text(api::label::kPoolName), Text(api::label_value(pool.metadata.name)));
  labels.set(Text(api::label::kClusterName), pool.spec.cluster_name);
  return labels;
}

// The fields of the pool and no others: another writer keeps the rest.
Machine wanted_machine(const Observation& seen, const ContractObject& object, const Machine* present) {
  const api::MachinePool& pool = *seen.pool;
  Machine wanted;
  wanted.metadata.name = present != nullptr ? present->metadata.name : object.metadata.name;
  wanted.metadata.namespace_ = pool.metadata.namespace_;
  wanted.metadata.labels = labels_of(pool);
  wanted.metadata.annotations = safety::annotations_from(pool.spec.machine_template.metadata.annotations);
  wanted.metadata.finalizers = api::Finalizers(std::vector<Text>{Text(api::finalizer::kMachine)});
  wanted.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
      runtime::controller_reference(kube::resource_of<api::MachinePool>(), pool.metadata)});
  wanted.spec.cluster_name = pool.spec.cluster_name;
  wanted.spec.bootstrap.data_secret_name = Text();  // the pool has the data
  wanted.spec.infrastructure_ref = {.api_group = Text(seen.machines.resource.group),
                                    .kind = Text(seen.machines.resource.kind),
                                    .name = object.metadata.name};
  const std::string version = version_of_node(seen, object);
  wanted.spec.version = !version.empty() || present == nullptr ? Text(version) : present->spec.version;
  wanted.spec.deletion = pool.spec.machine_template.spec.deletion;
  Machine defaulted = wanted;  // the one default that would come and go otherwise
  if (api::apply_defaults(defaulted, nullptr)) wanted.spec.deletion = defaulted.spec.deletion;
  return wanted;
}

void write_up_to_date(const Observation& seen, const Snapshot<Machine>& machine, MachinesPlan& plan) {
  const auto condition =
      machine->metadata.deleting()
          ? conditions::make(api::condition::kUpToDate, api::status::kFalse, api::reason::kNotUpToDate,
                             "Machine is being deleted")
          : conditions::make(api::condition::kUpToDate, api::status::kTrue, api::reason::kUpToDate);
  Machine after = *machine;
  if (!conditions::set(after.status.conditions, condition, after.metadata.generation, seen.now)) return;
  plan.actions.push_back(WriteUpToDate{.from = machine, .to = std::move(after)});
}

bool refers_to(const Machine& machine, const kube::Resource& resource) {
  const auto& ref = machine.spec.infrastructure_ref;
  return ref.kind == std::string_view(resource.kind) && ref.api_group == std::string_view(resource.group);
}

// A Machine that can't be read and may be the one of that object.
const runtime::Unreadable* in_its_place(const Observation& seen, std::string_view object) {
  if (is_off(Safeguard::UnreadableCounts)) return nullptr;
  const auto found = std::ranges::find_if(seen.machines.unreadable, [&](const runtime::Unreadable& machine) {
    return machine.key.name == object || machine.may_be_owned_by(seen.pool->metadata.uid);
  });
  return found == seen.machines.unreadable.end() ? nullptr : &*found;
}

void note_once(const std::string& problem, MachinesPlan& plan) {
  std::string trouble = "no Machine is made: " + problem;
  if (std::ranges::find(plan.troubles, trouble) == plan.troubles.end()) {
    plan.troubles.push_back(std::move(trouble));
  }
}

bool has_unreadable_object(const Observation& seen, std::string_view name) {
  return std::ranges::any_of(seen.machines.unreadable_objects, [&](const runtime::Unreadable& object) {
    return object.key.name.empty() || object.key.name == name;
  });
}

// One that goes is what it is, and none is made of an object that goes.
bool is_left_alone(const ContractObject& object, const Machine* present) {
  return present != nullptr ? present->metadata.deleting() : object.metadata.deleting();
}

struct MachineOfObject {
  const ContractObject& object;
  const Snapshot<Machine>& machine;
};

void apply(const Observation& seen, const lifecycle::Victims& named, const MachineOfObject& present,
           MachinesPlan& plan) {
  const auto& machine = present.machine;
  if (std::ranges::find(seen.machines.unmanaged, machine) != seen.machines.unmanaged.end()) {
    plan.actions.push_back(RepairManagers{.machine = machine});
    return;
  }
  Machine wanted = wanted_machine(seen, present.object, machine.get());
  mark_victim(named, *machine, wanted);
  plan.actions.push_back(ApplyMachine{.from = machine, .to = std::move(wanted)});
}

using ByObject = std::map<std::string_view, Snapshot<Machine>>;  // by the name of the provider's object

// What is left of `machines` afterwards has no object.
void create_and_apply(const Observation& seen, ByObject& machines, MachinesPlan& plan) {
  const lifecycle::Victims named = named_victims(seen);
  std::size_t created = 0;
  bool complete = true;
  for (const auto& object : seen.machines.objects) {
    const auto node = machines.extract(object->metadata.name.view());
    const Snapshot<Machine> present = node.empty() ? nullptr : node.mapped();
    if (is_left_alone(*object, present.get())) continue;
    const auto* doubt = present ? nullptr : in_its_place(seen, object->metadata.name);
    if (doubt != nullptr) {
      note_once(doubt->problem, plan);
    } else if (!complete) {
      continue;
    } else if (present) {
      apply(seen, named, {.object = *object, .machine = present}, plan);
    } else if (!seen.fresh) {
      continue;
    } else if (++created > kMachinesPerTurn) {
      complete = false;
    } else {
      plan.actions.push_back(CreateMachine{.machine = wanted_machine(seen, *object, nullptr)});
    }
  }
  plan.unfinished = !complete;
}

void delete_without_object(const Observation& seen, const ByObject& machines, MachinesPlan& plan) {
  if (!seen.fresh) return;
  for (const auto& [name, machine] : machines) {
    const bool ours = machine->metadata.controller() != nullptr;
    if (!ours || machine->metadata.deleting() || has_unreadable_object(seen, name)) continue;
    if (seen.may_delete.open) {
      plan.actions.push_back(DeleteMachine{.machine = machine});
    } else {
      ++plan.held;
    }
  }
}

}  // namespace

MachinesPlan plan_machines(const Observation& seen) {
  MachinesPlan plan;
  const bool known = seen.machines.state == MachinesSeen::State::Known;
  ByObject machines;
  for (const auto& machine : seen.machines.machines) {
    if (refers_to(*machine, seen.machines.resource)) {
      machines.emplace(machine->spec.infrastructure_ref.name.view(), machine);
    }
  }
  if (known) create_and_apply(seen, machines, plan);
  for (const auto& machine : seen.machines.machines) {
    if (machine->metadata.controller() != nullptr) write_up_to_date(seen, machine, plan);
  }
  if (known) delete_without_object(seen, machines, plan);
  return plan;
}

}  // namespace capstan::controllers::machinepool
