// Instances that are Machines: the pool makes a DriverMachine, the core a Machine for it. One that has to go
// goes by its Machine, which is drained first.
#include <fmt/core.h>

#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/schema/encode.h"
#include "api/v1beta2/naming.h"
#include "api/v1beta2/syntax.h"
#include "infrastructure/controller/pool/work.h"
#include "runtime/ownership.h"

namespace capstan::infrastructure::pool {
namespace {

namespace reason = api::driver::reason;

constexpr std::size_t kPerTurn = 200;

const api::OwnerReference* machine_of(const api::DriverMachine& object) {
  for (const auto& owner : *object.metadata.owner_references) {
    if (owner.kind == api::kind::kMachine && owner.group() == api::group::kCluster) return &owner;
  }
  return nullptr;
}

bool works(const Member& member) {
  return !leaves(member) && !has_lost_its_vm(member) &&
         member.object->status.initialization.provisioned.value_or(false);
}

}  // namespace

void Work::size_members() {
  if (!sign_on() || !tell_owner()) return;
  std::vector<std::string> gone;
  for (const Member& victim : plan_.victims) {
    if (!remove_member(victim)) return;
    gone.push_back(victim.object->metadata.name.str());
  }
  const bool replaces = plan_.sick && remove_sick(*plan_.sick);
  if (effects_.error) return;
  make_members(plan_.missing + (replaces ? 1 : 0));
  if (effects_.error) return;
  // A Node whose instance is not listed any more is removed by the core, without a drain: who leaves stays
  // listed until it is gone.
  std::set<std::string> ids;
  for (const Member& member : seen_.members) {
    if (!member.object->spec.provider_id.empty()) ids.insert(member.object->spec.provider_id.str());
  }
  if (!write_list(ids, gone)) return;
  effects_.there = static_cast<std::size_t>(std::ranges::count_if(seen_.members, works));
  for (const Member& member : seen_.members) {
    const auto ready = api::conditions::find(member.object->status.conditions, api::condition::kReady);
    if (effects_.trouble || leaves(member) || ready == nullptr || ready->status != api::status::kFalse)
      continue;
    effects_.trouble =
        Trouble{.reason = reason::kInstanceNotReady,
                .message = fmt::format("{} {}: {}", api::driver::kind::kDriverMachine,
                                       member.object->metadata.name.view(), ready->message.view())};
  }
  for (const Member& member : plan_.well_again) {
    if (!drop_mark(*member.machine)) return;
  }
}

void Work::remove_members() {
  for (const Member& victim : plan_.victims) {
    if (!remove_member(victim)) return;
  }
  effects_.trouble =
      Trouble{.reason = reason::kDeleting,
              .message = fmt::format("waiting for {} instances to go, Machines first", seen_.members.size()),
              .quiet = true};
}

void Work::make_members(std::size_t missing) {
  if (missing == 0) return;
  std::vector<std::string> used;
  for (const Member& member : seen_.members) {
    if (leaves(member)) continue;
    used.emplace_back(
        member.object->metadata.annotations.value_or_empty(api::driver::annotation::kFailureDomain));
  }
  const std::size_t many = std::min(missing, kPerTurn);
  for (std::size_t i = 0; i < many; ++i) {
    if (!make_member(used)) return;
  }
}

// Names are never used again: a Machine that still goes away would take the new instance of its name along.
bool Work::make_member(std::vector<std::string>& used) {
  RandomNames names(deps_.randomness);
  const std::string suffix = names.suffix(kNameSuffixLength);
  std::string name = fmt::format("{}-{}", object_.metadata.name.view(), suffix);
  if (name.size() > kMaxNameLength) name = api::fitting_name(std::move(name), suffix);
  const std::string domain = emptiest(seen_.owner->spec.failure_domains, used);
  const api::OwnerReference owner =
      runtime::owner_reference(kube::resource_of<api::DriverMachinePool>(), object_.metadata);
  api::DriverMachine wanted;
  wanted.metadata.name = Text(name);
  wanted.metadata.namespace_ = object_.metadata.namespace_;
  wanted.metadata.labels.set(Text(api::label::kClusterName), seen_.owner->spec.cluster_name);
  wanted.metadata.labels.set(Text(api::label::kPoolName), Text(api::label_value(seen_.owner->metadata.name)));
  if (!domain.empty()) wanted.metadata.annotations.set(api::driver::annotation::kFailureDomain, domain);
  wanted.metadata.owner_references = api::OwnerReferences({owner});
  wanted.spec.vm_class = object_.spec.vm_class;
  wanted.spec.credentials_ref = object_.spec.credentials_ref;
  wanted.spec.provider_spec = object_.spec.provider_spec;
  const auto made = deps_.consistency.create(deps_.client, kube::key_of(object_),
                                             {.cache = deps_.caches.driver_machines,
                                              .resource = kube::resource_of<api::DriverMachine>(),
                                              .key = kube::key_of(wanted)},
                                             object_.metadata.uid, api::to_json(wanted), {}, deadline());
  if (!made) return fail_with(made.error());
  used.push_back(domain);
  context_.log.info("instance made", {{"driverMachine", name}});
  return true;
}

bool Work::remove_member(const Member& member) {
  const auto* owner = machine_of(*member.object);
  const auto has_machine = owner == nullptr ? Result<bool>(false) : is_there(member, *owner);
  if (!has_machine) return fail_with(has_machine.error());
  if (*has_machine) {
    const ObjectKey machine{.namespace_ = object_.metadata.namespace_.str(), .name = owner->name.str()};
    const auto removed = deps_.consistency.remove(
        deps_.client, kube::key_of(object_),
        {.cache = deps_.caches.machines, .resource = kube::resource_of<api::Machine>(), .key = machine},
        owner->uid, {.propagation = kube::Propagation::Background}, deadline());
    if (!removed) return fail_with(removed.error());
    context_.log.info("machine deleted", {{"machine", machine.name}});
    return true;
  }
  // In the version that was seen: a Machine may be made for it while the request is on its way.
  const auto removed = deps_.consistency.remove(
      deps_.client, kube::key_of(object_),
      {.cache = deps_.caches.driver_machines,
       .resource = kube::resource_of<api::DriverMachine>(),
       .key = runtime::key_of(*member.object)},
      member.object->metadata.uid, {.resource_version = member.object->metadata.resource_version.str()},
      deadline());
  return removed ? true : fail_with(removed.error());
}

// A health check takes its marks back when the Machine is well again, or when it is not the Machine that
// broke: the server has the last word, and the Machine must not have been written since.
bool Work::remove_sick(const Member& member) {
  const auto live = kube::get<api::Machine>(deps_.client, runtime::key_of(*member.machine), deadline());
  if (!live && live.error().code == Code::NotFound) return false;
  if (!live) return fail_with(live.error());
  if (live->metadata.uid != member.machine->metadata.uid || live->metadata.deleting() ||
      !is_handed_over(*live))
    return false;
  const auto removed = deps_.consistency.remove(deps_.client, kube::key_of(object_),
                                                {.cache = deps_.caches.machines,
                                                 .resource = kube::resource_of<api::Machine>(),
                                                 .key = runtime::key_of(*live)},
                                                live->metadata.uid,
                                                {.resource_version = live->metadata.resource_version.str(),
                                                 .propagation = kube::Propagation::Background},
                                                deadline());
  if (!removed) return fail_with(removed.error());
  context_.log.info("machine deleted, a health check handed it over",
                    {{"machine", live->metadata.name.view()}});
  return true;
}

// Left behind, it would hand the Machine over the next time that it is sick, whatever limits there are then.
bool Work::drop_mark(const api::Machine& machine) {
  api::Machine well = machine;
  api::conditions::remove(well.status.conditions, api::condition::kOwnerRemediated);
  const auto& deprecated = machine.status.deprecated;
  if (deprecated && deprecated->v1beta1)
    api::conditions::v1beta1::remove(well.status.deprecated.ensure().v1beta1.ensure().conditions,
                                     api::v1beta1_condition::kOwnerRemediated);
  const auto written = kube::patch_status(deps_.client, machine, well, deadline());
  if (!written) return fail_with(written.error());
  if (*written) {
    deps_.consistency.wrote(kube::key_of(object_), deps_.caches.machines,
                            (*written)->metadata.resource_version);
  }
  return true;
}

// A cache that does not know the Machine may only lag behind.
Result<bool> Work::is_there(const Member& member, const api::OwnerReference& owner) const {
  if (member.machine) return true;
  const ObjectKey key{.namespace_ = object_.metadata.namespace_.str(), .name = owner.name.str()};
  const auto live = kube::get<api::Machine>(deps_.client, key, deadline());
  if (live) return live->metadata.uid == owner.uid;
  if (live.error().code == Code::NotFound) return false;
  return fail(live.error());
}

}  // namespace capstan::infrastructure::pool
