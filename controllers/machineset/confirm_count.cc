#include "controllers/machineset/confirm_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/contract_object.h"
#include "api/meta/label_selector.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/rollout/revision.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machineset {
namespace {

bool has_no_machines(const api::MachineSet& set) {
  const bool is_acted_upon = set.status.observed_generation == set.metadata.generation;
  return is_acted_upon && set.spec.replicas == 0 && set.status.replicas == 0;
}

// Machines move to the newest set alone: none has gone to one that was newest before `self` was made, and
// never since.
bool was_newest_before(const api::MachineSet& set, const api::MachineSet& self) {
  const auto earlier = rollout::revision_of(set);
  const auto own = rollout::revision_of(self);
  return earlier && own && *earlier < *own &&
         !self.metadata.annotations.contains(api::annotation::kRevisionHistory);
}

// Machines that have moved are in another set of the MachineDeployment, in one that this has released since,
// or gone. One cache shows the sets as they were at one moment: with none that may have them none has moved,
// however far the cache of Machines is behind.
bool may_have_moved(const Caches& caches, const Observation& seen) {
  const api::MachineSet& self = *seen.stored;
  const std::string space = self.metadata.namespace_.str();
  if (!caches.machine_sets.synced() || !caches.machine_sets.unreadable_in(space).empty()) return true;
  const api::ObjectMeta& deployment = seen.deployment->metadata;
  const auto may_have_some = [&](const auto& set) {
    return set->metadata.uid != self.metadata.uid &&
           !(has_no_machines(*set) && was_newest_before(*set, self));
  };
  const auto may_be_its_own = [&](const auto& set) {
    return set->metadata.controller() == nullptr ||
           set->metadata.labels.value_or_empty(api::label::kDeploymentName) == deployment.name.view();
  };
  const ObjectKey cluster{.namespace_ = space, .name = self.spec.cluster_name.str()};
  return std::ranges::any_of(caches.machine_sets_owned_by(deployment.uid), may_have_some) ||
         std::ranges::any_of(caches.machine_sets_of(cluster),
                             [&](const auto& set) { return may_be_its_own(set) && may_have_some(set); });
}

Result<void> confirm_set(const ActContext& with, const api::MachineSet& seen) {
  const auto live =
      TRY(kube::get<api::MachineSet>(with.deps.client, runtime::key_of(seen), with.context.deadline));
  if (live.metadata.resource_version == seen.metadata.resource_version) return {};
  return fail(Code::Conflict, "this MachineSet has changed");
}

// By what the server lists, Machines that can't be decoded included.
Result<std::unordered_set<api::Uid>> list_own(const ActContext& with, const Observation& seen) {
  const auto selector = TRY(api::Selector::from(seen.set.spec.selector));
  const kube::ListOptions options{.namespace_ = seen.set.metadata.namespace_.str(),
                                  .label_selector = selector.str()};
  const auto listed =
      TRY(with.deps.client.list(kube::resource_of<api::Machine>(), options, with.context.deadline));
  std::unordered_set<api::Uid> own;
  for (const auto& item : listed.at("items").as_array()) {
    const auto metadata = TRY(api::from_json<api::contract::ContractObject>(item)).metadata;
    if (runtime::is_controlled_by(metadata, seen.stored->metadata.uid)) own.insert(metadata.uid);
  }
  return own;
}

}  // namespace

Result<void> confirm_count(const ActContext& with, const Observation& seen) {
  if (is_off(Safeguard::LiveMoves) || !may_have_moved(with.deps.caches, seen)) return {};
  TRY(confirm_set(with, *seen.stored));
  const auto own = TRY(list_own(with, seen));
  for (const auto& machine : seen.machines)
    if (!own.contains(machine->metadata.uid))
      return fail(Code::Conflict, fmt::format("Machine {} does not belong to this MachineSet any more",
                                              machine->metadata.name.view()));
  return {};
}

}  // namespace capstan::controllers::machineset
