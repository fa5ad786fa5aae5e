// Instances that are Machines: the pool makes a DriverMachine, the core a Machine for it. One that has to go
// goes by its Machine, which is drained first.
#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/schema/encode.h"
#include "api/v1beta2/naming.h"
#include "api/v1beta2/syntax.h"
#include "base/names.h"
#include "infrastructure/controller/pool/work.h"
#include "runtime/ownership.h"

namespace capstan::infrastructure::pool {
namespace {

const api::OwnerReference* machine_of(const api::DriverMachine& object) {
  for (const auto& owner : *object.metadata.owner_references) {
    if (owner.kind == api::kind::kMachine && owner.group() == api::group::kCluster) return &owner;
  }
  return nullptr;
}

bool refers_to(const api::Machine& machine, const api::DriverMachine& object) {
  const auto& ref = machine.spec.infrastructure_ref;
  return ref.api_group == api::group::kInfrastructure && ref.kind == api::driver::kind::kDriverMachine &&
         ref.name == object.metadata.name;
}

// A Machine that the pool does not control may refer to the object, too.
bool is_of_pool(const api::Machine& machine, const api::DriverMachinePool& pool) {
  return std::ranges::any_of(*pool.metadata.owner_references, [&](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kMachinePool && owner.group() == api::group::kCluster &&
           runtime::is_controlled_by(machine.metadata, owner.uid);
  });
}

}  // namespace

bool Work::perform(const RemoveMember& action) {
  const api::DriverMachine& object = *action.member.object;
  const auto* machine = machine_of(object);
  if (machine == nullptr) return remove_unowned(object);
  const auto has_machine = is_there(action.member, *machine);
  if (!has_machine) return fail_with(has_machine.error());
  return *has_machine ? remove_machine(machine->name, machine->uid) : remove_object(object);
}

// The core makes a Machine of the object's name, and gives the object that owner in a later turn.
bool Work::remove_unowned(const api::DriverMachine& object) {
  const auto live = kube::get<api::Machine>(with_.deps.client, kube::key_of(object), deadline());
  if (!live && live.error().code != Code::NotFound) return fail_with(live.error());
  if (!live || !refers_to(*live, object) || !is_of_pool(*live, object_)) return remove_object(object);
  return live->metadata.deleting() || remove_machine(live->metadata.name, live->metadata.uid);
}

// A cache that does not know the Machine may only lag behind.
Result<bool> Work::is_there(const Member& member, const api::OwnerReference& machine) const {
  if (member.machine) return true;
  const ObjectKey key{.namespace_ = object_.metadata.namespace_.str(), .name = machine.name.str()};
  const auto live = kube::get<api::Machine>(with_.deps.client, key, deadline());
  if (live) return live->metadata.uid == machine.uid;
  if (live.error().code == Code::NotFound) return false;
  return fail(live.error());
}

bool Work::remove_machine(const Text& name, const api::Uid& uid) {
  const ObjectKey key{.namespace_ = object_.metadata.namespace_.str(), .name = name.str()};
  const auto removed = with_.consistency.remove(
      with_.deps.client, kube::key_of(object_),
      {.cache = with_.deps.caches.machines, .resource = kube::resource_of<api::Machine>(), .key = key}, uid,
      {.propagation = kube::Propagation::Background}, deadline());
  if (!removed) return fail_with(removed.error());
  with_.context.log.info("machine deleted", {{"machine", key.name}});
  return true;
}

// In the version that was seen: a Machine may be made for it while the request is on its way.
bool Work::remove_object(const api::DriverMachine& object) {
  const auto removed = with_.consistency.remove(
      with_.deps.client, kube::key_of(object_),
      {.cache = with_.deps.caches.driver_machines,
       .resource = kube::resource_of<api::DriverMachine>(),
       .key = kube::key_of(object)},
      object.metadata.uid, {.resource_version = object.metadata.resource_version.str()}, deadline());
  return removed ? true : fail_with(removed.error());
}

// A health check takes its marks back when the Machine is well again, or when it is not the Machine that
// broke: the server has the last word, and the Machine must not have been written since.
bool Work::perform(const ReplaceMember& action) {
  const api::Machine& seen = *action.member.machine;
  const auto live = kube::get<api::Machine>(with_.deps.client, kube::key_of(seen), deadline());
  if (!live && live.error().code == Code::NotFound) return true;
  if (!live) return fail_with(live.error());
  if (live->metadata.uid != seen.metadata.uid || live->metadata.deleting() || !is_handed_over(*live))
    return true;
  const auto removed = with_.consistency.remove(with_.deps.client, kube::key_of(object_),
                                                {.cache = with_.deps.caches.machines,
                                                 .resource = kube::resource_of<api::Machine>(),
                                                 .key = kube::key_of(*live)},
                                                live->metadata.uid,
                                                {.resource_version = live->metadata.resource_version.str(),
                                                 .propagation = kube::Propagation::Background},
                                                deadline());
  if (!removed) return fail_with(removed.error());
  with_.context.log.info("machine deleted, a health check handed it over",
                         {{"machine", live->metadata.name.view()}});
  return perform(CreateMember{.failure_domain = action.failure_domain});
}

bool Work::perform(const CreateMember& action) {
  const api::DriverMachine wanted = new_member(action.failure_domain);
  const auto made = with_.consistency.create(with_.deps.client, kube::key_of(object_),
                                             {.cache = with_.deps.caches.driver_machines,
                                              .resource = kube::resource_of<api::DriverMachine>(),
                                              .key = kube::key_of(wanted)},
                                             object_.metadata.uid, api::to_json(wanted), {}, deadline());
  if (!made) return fail_with(made.error());
  with_.context.log.info("instance made", {{"driverMachine", wanted.metadata.name}});
  return true;
}

// Names are never used again: a Machine that still goes away would take the new instance of its name along.
api::DriverMachine Work::new_member(const std::string& failure_domain) const {
  const api::MachinePool& owner = *seen_.owner;
  RandomNames names(with_.deps.randomness);
  const std::string suffix = names.suffix(kNameSuffixLength);
  std::string name = fmt::format("{}-{}", object_.metadata.name.view(), suffix);
  if (name.size() > kMaxNameLength) name = api::fitting_name(std::move(name), suffix);
  api::DriverMachine member;
  api::ObjectMeta& metadata = member.metadata;
  metadata.name = Text(name);
  metadata.namespace_ = object_.metadata.namespace_;
  metadata.labels.set(Text(api::label::kClusterName), owner.spec.cluster_name);
  metadata.labels.set(Text(api::label::kPoolName), Text(api::label_value(owner.metadata.name)));
  if (!failure_domain.empty())
    metadata.annotations.set(api::driver::annotation::kFailureDomain, failure_domain);
  metadata.owner_references = api::OwnerReferences(
      {runtime::owner_reference(kube::resource_of<api::DriverMachinePool>(), object_.metadata)});
  member.spec.driver = object_.spec.driver;
  member.spec.vm_class = object_.spec.vm_class;
  member.spec.credentials_ref = object_.spec.credentials_ref;
  member.spec.provider_spec = object_.spec.provider_spec;
  return member;
}

// Left behind, it would hand the Machine over the next time that it is sick, whatever limits there are then.
bool Work::perform(const DropMark& action) {
  const api::Machine& machine = *action.machine;
  api::Machine well = machine;
  api::conditions::remove(well.status.conditions, api::condition::kOwnerRemediated);
  const auto& deprecated = machine.status.deprecated;
  if (deprecated && deprecated->v1beta1)
    api::conditions::v1beta1::remove(well.status.deprecated.ensure().v1beta1.ensure().conditions,
                                     api::v1beta1_condition::kOwnerRemediated);
  const auto written = kube::patch_status(with_.deps.client, machine, well, deadline());
  if (!written) return fail_with(written.error());
  if (!*written) return true;
  with_.consistency.wrote(kube::key_of(object_), with_.deps.caches.machines,
                          (*written)->metadata.resource_version);
  return true;
}

}  // namespace capstan::infrastructure::pool
