#include "controllers/machinepool/pool_machines.h"

#include <algorithm>
#include <map>

#include "api/conditions/conditions.h"
#include "api/contract/infra_machine.h"
#include "api/v1beta2/machine_rules.h"
#include "api/v1beta2/syntax.h"
#include "base/safeguards.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

namespace conditions = api::conditions;
using api::Machine;
using api::contract::ContractObject;

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

// The fields of ours and no others: whoever fills the rest keeps it.
Machine wanted_machine(const Observation& seen, const ContractObject& object, const Machine* present) {
  const api::MachinePool& pool = *seen.pool;
  Machine wanted;
  wanted.metadata.name = present != nullptr ? present->metadata.name : object.metadata.name;
  wanted.metadata.namespace_ = pool.metadata.namespace_;
  wanted.metadata.labels = labels_of(pool);
  wanted.metadata.annotations = pool.spec.machine_template.metadata.annotations;
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

void mark(const Observation& seen, const Snapshot<Machine>& machine, MachinesPlan& plan) {
  const auto condition =
      machine->metadata.deleting()
          ? conditions::make(api::condition::kUpToDate, api::status::kFalse, api::reason::kNotUpToDate,
                             "Machine is being deleted")
          : conditions::make(api::condition::kUpToDate, api::status::kTrue, api::reason::kUpToDate);
  Machine after = *machine;
  if (!conditions::set(after.status.conditions, condition, after.metadata.generation, seen.now)) return;
  plan.marks.push_back({.before = machine, .after = std::move(after)});
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

}  // namespace

MachinesPlan plan_machines(const Observation& seen) {
  MachinesPlan plan;
  for (const auto& machine : seen.machines.machines) {
    if (machine->metadata.controller() != nullptr) mark(seen, machine, plan);
  }
  if (seen.machines.state != MachinesSeen::State::Known) return plan;
  std::map<std::string_view, Snapshot<Machine>> by_object;
  for (const auto& machine : seen.machines.machines) {
    if (refers_to(*machine, seen.machines.resource)) {
      by_object.emplace(machine->spec.infrastructure_ref.name.view(), machine);
    }
  }
  for (const auto& object : seen.machines.objects) {
    const auto found = by_object.find(object->metadata.name.view());
    const bool there = found != by_object.end();
    const Snapshot<Machine> present = there ? found->second : nullptr;
    if (there) by_object.erase(found);
    if (there ? present->metadata.deleting() : object->metadata.deleting()) continue;
    const auto* doubt = there ? nullptr : in_its_place(seen, object->metadata.name);
    if (doubt != nullptr) {
      note_once(doubt->problem, plan);
      continue;
    }
    plan.wishes.push_back({.wanted = wanted_machine(seen, *object, present.get()), .present = present});
  }
  for (const auto& [name, machine] : by_object) {
    const bool ours = machine->metadata.controller() != nullptr;
    if (ours && !machine->metadata.deleting() && !has_unreadable_object(seen, name)) {
      plan.without_object.push_back(machine);
    }
  }
  return plan;
}

}  // namespace capstan::controllers::machinepool
