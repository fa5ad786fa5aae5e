#include "controllers/machinehealthcheck/governance.h"

#include <fmt/format.h>

#include "api/names.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

std::string pool_name(std::string_view kind, const api::ObjectMeta& metadata) {
  return fmt::format("{} {}", kind, metadata.name.view());
}

}  // namespace

Governance::Governance(const Caches& caches, std::string_view where)
    : caches_(caches), where_(where), policies_(caches.policies_in(where)) {}

void Governance::assign_policies(Observation& seen) {
  if (policies_.empty()) return;
  for (Target& target : seen.targets) {
    const auto* owner = target.machine->metadata.controller();
    if (owner == nullptr) continue;
    const Membership& membership = of_owner(*owner);
    target.pool = membership.pool;
    target.policy = membership.choice.policy;
    if (!membership.choice.conflicting.empty()) seen.rival_policies = membership.choice.conflicting;
  }
}

const Governance::Membership& Governance::of_owner(const api::OwnerReference& owner) {
  const auto [at, is_new] = known_.try_emplace(owner.uid.str());
  if (is_new) at->second = look_up(owner);
  return at->second;
}

Governance::Membership Governance::look_up(const api::OwnerReference& owner) const {
  const kube::ObjectKey key{.namespace_ = where_, .name = owner.name.str()};
  if (owner.kind == api::kind::kMachineSet) {
    const auto set = caches_.machine_sets.get(key);
    if (set && set->metadata.uid == owner.uid) return of_set(*set);
  }
  if (owner.kind == api::kind::kMachinePool) {
    const auto pool = caches_.machine_pools.get(key);
    if (pool && pool->metadata.uid == owner.uid)
      return {.pool = pool_name(api::kind::kMachinePool, pool->metadata),
              .choice = policy_for(pool->metadata, policies_)};
  }
  return {};
}

Governance::Membership Governance::of_set(const api::MachineSet& set) const {
  const auto deployment = deployment_of(caches_, set);
  return {.pool = deployment ? pool_name(api::kind::kMachineDeployment, deployment->metadata)
                             : pool_name(api::kind::kMachineSet, set.metadata),
          .choice = policy_for(caches_, set)};
}

}  // namespace capstan::controllers::machinehealthcheck
