#include "controllers/shared/policy_members.h"

#include <iterator>
#include <map>

#include "api/names.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/policies.h"

namespace capstan::controllers {
namespace {

using lifecycle::PreservationMember;

std::string_view revision_of(const api::ObjectMeta& object) {
  return object.annotations.value_or_empty(api::annotation::kRevision);
}

std::vector<PreservationMember> members_of(const Caches& caches, const api::MachineLifecyclePolicy& policy) {
  std::map<std::pair<std::string, bool>, PreservationMember> members;  // a set may have a deployment's name
  for (const auto& set : caches.machine_sets_in(policy.metadata.namespace_.view())) {
    const auto governing = policy_for(caches, *set).policy;
    if (!governing || governing->metadata.uid != policy.metadata.uid) continue;
    const auto deployment = deployment_of(caches, *set);
    const std::string name = deployment ? deployment->metadata.name.str() : set->metadata.name.str();
    auto& member = members[{name, deployment == nullptr}];
    member.name = name;
    const bool goes = deployment && revision_of(deployment->metadata) != revision_of(set->metadata);
    std::ranges::move(caches.machines_owned_by(set->metadata.uid),
                      std::back_inserter(goes ? member.rolled_away : member.machines));
  }
  std::vector<PreservationMember> list;
  for (auto& [key, member] : members) list.push_back(std::move(member));
  return list;
}

}  // namespace

std::int32_t most_preserved_unasked(const api::MachineLifecyclePolicy& policy) {
  return policy.spec.preservation ? policy.spec.preservation->auto_max.value_or(0) : 0;
}

std::vector<PreservationMember> preservation_members(const Caches& caches,
                                                     const api::MachineLifecyclePolicy& policy,
                                                     std::string_view watch_filter) {
  if (!policy.spec.reports_lifecycle()) return {};
  if (policy.metadata.deleting() || !in_scope(policy.metadata, watch_filter)) return {};
  return members_of(caches, policy);
}

lifecycle::AutoPreservation auto_preservation_under(const Caches& caches,
                                                    const api::MachineLifecyclePolicy& policy,
                                                    std::string_view watch_filter) {
  return lifecycle::auto_preservation(most_preserved_unasked(policy),
                                      preservation_members(caches, policy, watch_filter));
}

}  // namespace capstan::controllers
