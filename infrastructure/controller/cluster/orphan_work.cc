#include "infrastructure/controller/cluster/orphan_work.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/driver/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/account.h"
#include "infrastructure/controller/cluster/orphan_place.h"
#include "infrastructure/controller/cluster/orphans.h"
#include "infrastructure/controller/driver_steps.h"
#include "infrastructure/controller/secrets.h"
#include "kube/typed.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace tag = api::driver::tag;

constexpr const char* kNamedByNow = "kept: an object names it by now";

bool runs(const Vm& vm) { return vm.state == VmState::Pending || vm.state == VmState::Running; }

}  // namespace

void OrphanWork::mark(const Finding& vm) {
  if (!set_tag(vm, seen_.now.to_string())) return;
  effects_.marked.emplace(vm.provider_id, seen_.now);
  with_.deps.orphans.set_mark(key(), vm.provider_id, seen_.now);
}

void OrphanWork::unmark(const Finding& vm) {
  if (!set_tag(vm, {})) return;
  with_.deps.orphans.settle(key(), vm.provider_id);
}

void OrphanWork::remove(const Finding& vm) {
  const auto credentials = credentials_for(vm);
  if (!credentials) return keep(vm, "kept: the credentials can't be read");
  if (const Reason why = reason_to_keep(vm, *credentials)) return keep(vm, *why);
  if (limits_ && !has_place(vm)) return;
  with_.deps.orphans.count_deletion(key());  // also one of which the answer is lost
  const auto removed = driver_of(vm).remove({.provider_id = vm.provider_id}, *credentials, deadline());
  if (!removed && reaction(Verb::Remove, removed.error()).next != Reaction::Next::Done)
    return keep(vm, fmt::format("the cloud did not delete it: {}", to_string(removed.error().code)));
  with_.context.log.info("orphan deleted", {{"providerID", vm.provider_id}, {"account", vm.account}});
  with_.deps.orphans.settle(key(), vm.provider_id);
  effects_.settled.insert(vm.provider_id);
  effects_.notes.push_back({.code = api::NoteCode::OrphanDeleted,
                            .text = fmt::format("deleted VM {} ({}), which was no object's since {}", vm.name,
                                                vm.provider_id, vm.since.value_or(Time()).to_string())});
}

// It is looked at again after the next list.
void OrphanWork::keep(const Finding& vm, const std::string& why) {
  effects_.kept.emplace(vm.provider_id, why);
  with_.deps.orphans.keep(key(), vm.provider_id, why);
}

OrphanWork::Reason OrphanWork::reason_to_keep(const Finding& vm, const Credentials& credentials) {
  if (is_off(Safeguard::OrphanChecks)) return std::nullopt;
  if (auto why = cluster_says()) return why;
  if (auto why = vm.standing == Standing::Second ? owner_of_first_says(vm, credentials) : objects_say(vm))
    return why;
  return cloud_says(vm, credentials);
}

OrphanWork::Reason OrphanWork::cluster_says() {
  const auto cluster =
      kube::get<api::Cluster>(with_.deps.client, runtime::key_of(*seen_.cluster), deadline());
  const auto object = kube::get<api::DriverCluster>(with_.deps.client, key(), deadline());
  if (!cluster || !object) return "kept: the Cluster can't be read";
  const bool same = object->metadata.uid == seen_.object->metadata.uid &&
                    object->spec.cluster_key == seen_.object->spec.cluster_key;
  if (!same || object->metadata.deleting() || cluster->metadata.deleting())
    return "kept: the cluster is another one by now, or goes";
  if (runtime::paused(cluster->spec.paused.value_or(false), object->metadata,
                      api::driver::kind::kDriverCluster)
          .paused)
    return "kept while the cluster is paused";
  return policy_says(*cluster);
}

// The search does not learn that a place is missing: with its grant the VM goes before the next list.
bool OrphanWork::has_place(const Finding& vm) {
  const auto taken = take_place(with_, runtime::key_of(*seen_.cluster), *limits_, seen_.now);
  if (taken && *taken) return true;
  effects_.kept.emplace(vm.provider_id, taken ? "kept until the FleetPolicy has a place in its limits, and a "
                                                "window is open"
                                              : "kept: the Cluster can't ask the FleetPolicy for a place");
  return false;
}

// It may be another one than at the beginning of the period.
OrphanWork::Reason OrphanWork::policy_says(const api::Cluster& cluster) {
  const auto settings = with_.deps.orphans.live_settings(deadline());
  if (!settings) return "kept: the FleetPolicy can't be read";
  if (settings->action != OrphanAction::Delete) return "only reported, as the FleetPolicy says";
  if (const std::string_view held = why_held(cluster, *settings); !held.empty()) return Reason(held);
  limits_ = settings->has_limits ? std::optional(*settings) : std::nullopt;
  return std::nullopt;
}

// By the names on its tags, and by its key in the caches: an object may have come since the list.
OrphanWork::Reason OrphanWork::objects_say(const Finding& vm) {
  if (auto why = unless_absent<api::DriverMachine>(vm.object)) return why;
  if (auto why = unless_absent<api::Machine>(vm.object)) return why;
  const ObjectKey pool{vm.object.namespace_, vm.pool};
  if (!vm.pool.empty()) {
    if (auto why = unless_absent<api::DriverMachinePool>(pool)) return why;
    if (auto why = unless_absent<api::MachinePool>(pool)) return why;
  }
  if (with_.deps.caches.is_vm_named(vm.instance_key) || with_.deps.caches.is_vm_named(vm.provider_id))
    return kNamedByNow;
  return std::nullopt;
}

OrphanWork::Reason OrphanWork::owner_of_first_says(const Finding& vm, const Credentials& credentials) {
  if (vm.named_instead.empty() || vm.named_instead == vm.provider_id || !names_the_first(vm))
    return fmt::format("kept: {} does not name the other VM", owner_of_key(vm));
  if (with_.deps.caches.is_vm_named(vm.provider_id)) return kNamedByNow;
  const auto first = look_at_vm(driver_of(vm), {.provider_id = vm.named_instead}, credentials, deadline());
  if (!first || !runs(*first)) return "kept: the other VM of its key does not run";
  if (!carries_the_keys_of(vm, *first)) return "kept: the other VM does not carry its keys";
  return std::nullopt;
}

// And not this one.
bool OrphanWork::names_the_first(const Finding& vm) {
  if (vm.pool.empty()) {
    const auto object = kube::get<api::DriverMachine>(with_.deps.client, vm.object, deadline());
    return object && object->spec.instance_key == vm.instance_key &&
           object->spec.provider_id == vm.named_instead;
  }
  const ObjectKey key{.namespace_ = vm.object.namespace_, .name = vm.pool};
  const auto pool = kube::get<api::DriverMachinePool>(with_.deps.client, key, deadline());
  if (!pool || pool->spec.group_key.empty()) return false;
  const auto names = [&](const std::string& id) {
    return std::ranges::find(pool->spec.provider_id_list, Text(id)) != pool->spec.provider_id_list.end();
  };
  return vm.instance_key.starts_with(pool->spec.group_key.str() + "-") && names(vm.named_instead) &&
         !names(vm.provider_id);
}

OrphanWork::Reason OrphanWork::cloud_says(const Finding& vm, const Credentials& credentials) {
  if (ask_account(driver_of(vm), credentials, deadline()) != vm.account)
    return "kept: the credentials do not lead to its account";
  const auto live = look_at_vm(driver_of(vm), {.provider_id = vm.provider_id}, credentials, deadline());
  if (!live && live.error().code == DriverCode::NotFound)
    return std::nullopt;  // remove() says that it is gone
  if (!live) return "kept: the cloud does not say how it is";
  if (!carries_the_keys_of(vm, *live) || tag_of(*live, tag::kOrphanSince).empty())
    return "kept: its tags are others by now";
  return std::nullopt;
}

bool OrphanWork::carries_the_keys_of(const Finding& vm, const Vm& live) const {
  return tag_of(live, tag::kClusterKey) == seen_.object->spec.cluster_key.view() &&
         tag_of(live, tag::kInstanceKey) == vm.instance_key;
}

template <typename T>
OrphanWork::Reason OrphanWork::unless_absent(const ObjectKey& object) {
  const auto found = kube::get<T>(with_.deps.client, object, deadline());
  if (!found && found.error().code == Code::NotFound) return std::nullopt;
  return fmt::format("kept: {} {} {}", api::resource<T>.kind, object.describe(),
                     found ? "is there" : "can't be read");
}

std::optional<Credentials> OrphanWork::credentials_for(const Finding& vm) {
  std::optional<api::CredentialsRef> ref;
  if (!vm.credentials.empty()) ref = api::CredentialsRef{.name = Text(vm.credentials)};
  auto read = read_credentials(with_.deps.client, vm.credentials_namespace, ref, deadline());
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

// In its own account only: another one may have a VM of that name.
bool OrphanWork::set_tag(const Finding& vm, const std::string& value) {
  const auto credentials = credentials_for(vm);
  if (!credentials || ask_account(driver_of(vm), *credentials, deadline()) != vm.account) return false;
  const auto set = driver_of(vm).tag({.provider_id = vm.provider_id},
                                     {{std::string(tag::kOrphanSince), value}}, *credentials, deadline());
  if (!set)
    with_.context.log.info("vm not tagged",
                           {{"providerID", vm.provider_id}, {"error", set.error().describe()}});
  return set.has_value();
}

}  // namespace capstan::infrastructure::cluster
