#include "infrastructure/controller/pool/observe.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {

std::optional<Observation> observe(const Caches& caches, const Clock& clock, const ObjectKey& key) {
  Observation seen{.now = Time::from(clock.now()), .object = caches.driver_machine_pools.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_machine_pool(seen.object->metadata);
  const std::string_view named = seen.owner ? seen.owner->spec.cluster_name.view() : std::string_view();
  seen.cluster = caches.clusters.get(cluster_key(seen.object->metadata, named));
  if (!seen.with_machines()) return seen;
  for (auto& object : caches.members_of(*seen.object)) {
    auto machine = caches.owner_machine(object->metadata);
    seen.members.push_back({.object = std::move(object), .machine = std::move(machine)});
  }
  std::ranges::sort(seen.members, {}, [](const Member& each) { return each.object->metadata.name; });
  return seen;
}

bool leaves(const Member& member) {
  return member.object->metadata.deleting() || (member.machine && member.machine->metadata.deleting());
}

bool has_lost_its_vm(const Member& member) {
  const auto ready = api::conditions::find(member.object->status.conditions, api::condition::kReady);
  return ready != nullptr && ready->status == api::status::kFalse &&
         ready->reason == api::driver::reason::kVmGone;
}

bool is_handed_over(const api::Machine& machine) {
  const auto& conditions = machine.status.conditions;
  return api::conditions::is_false(conditions, api::condition::kHealthCheckSucceeded) &&
         api::conditions::is_false(conditions, api::condition::kOwnerRemediated);
}

bool is_well_again(const api::Machine& machine) {
  const auto& conditions = machine.status.conditions;
  return api::conditions::is_true(conditions, api::condition::kHealthCheckSucceeded) &&
         api::conditions::is_false(conditions, api::condition::kOwnerRemediated);
}

bool is_handed_over(const Member& member) { return member.machine && is_handed_over(*member.machine); }

}  // namespace capstan::infrastructure::pool
