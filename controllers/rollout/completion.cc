#include "controllers/rollout/completion.h"

#include <algorithm>
#include <tuple>

#include "controllers/rollout/revision.h"

namespace capstan::controllers::rollout {
namespace {

bool has_machines(const api::MachineSet& set, std::span<const MachineSnapshot> owned) {
  return std::ranges::any_of(owned, [&](const MachineSnapshot& machine) {
    return std::ranges::any_of(*machine->metadata.owner_references,
                               [&](const auto& owner) { return owner.uid == set.metadata.uid; });
  });
}

bool is_empty(const api::MachineSet& set, std::span<const MachineSnapshot> owned) {
  return set.spec.replicas == 0 && set.status.replicas.value_or(0) == 0 &&
         set.status.observed_generation >= set.metadata.generation && !has_machines(set, owned);
}

// Of sets whose revision can't be read, the youngest.
void leave_out_history(std::vector<SetSnapshot>& sets, std::size_t kept) {
  std::ranges::sort(sets, std::ranges::greater(), [](const SetSnapshot& set) {
    return std::tuple(revision_of(*set).value_or(0), set->metadata.creation_timestamp,
                      set->metadata.name.view());
  });
  sets.erase(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(std::min(kept, sets.size())));
}

}  // namespace

bool is_complete(const api::MachineDeployment& deployment, const Choice& choice) {
  if (!choice.newest || deployment.status.observed_generation < deployment.metadata.generation) return false;
  std::int64_t replicas = 0;
  std::int64_t available = 0;
  std::int64_t up_to_date = 0;
  const auto add = [&](const api::MachineSet& set) {
    replicas += set.status.replicas.value_or(0);
    available += set.status.available_replicas.value_or(0);
    up_to_date += set.status.up_to_date_replicas.value_or(0);
  };
  add(*choice.newest);
  for (const SetSnapshot& set : choice.old) add(*set);
  const std::int64_t desired = deployment.spec.replicas.value_or(0);
  return up_to_date == desired && replicas == desired && available == desired;
}

std::vector<SetSnapshot> finished_sets(const api::MachineDeployment& deployment, const Choice& choice,
                                       std::span<const MachineSnapshot> owned, std::size_t kept) {
  std::vector<SetSnapshot> finished;
  if (choice.old.empty() || !is_complete(deployment, choice)) return finished;
  std::ranges::copy_if(choice.old, std::back_inserter(finished), [&](const SetSnapshot& set) {
    return !set->metadata.deleting() && is_empty(*set, owned);
  });
  leave_out_history(finished, kept);
  std::ranges::sort(finished, {}, [](const SetSnapshot& set) {
    return std::tuple(set->metadata.creation_timestamp, set->metadata.name.view());
  });
  return finished;
}

}  // namespace capstan::controllers::rollout
