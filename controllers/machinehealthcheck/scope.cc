#include "controllers/machinehealthcheck/scope.h"

#include <algorithm>

#include "controllers/machinehealthcheck/targets.h"
#include "controllers/shared/deps.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

bool is_unlabelled_of_topology(const api::ObjectMeta& check) {
  return check.labels.contains(api::label::kTopologyOwned) &&
         !check.labels.contains(api::label::kWatchFilter);
}

}  // namespace

bool is_ours(const api::MachineHealthCheck& check, const Caches& caches, std::string_view watch_filter) {
  if (in_scope(check.metadata, watch_filter)) return true;
  if (!is_unlabelled_of_topology(check.metadata)) return false;
  const auto selector = selector_of(check);
  if (!selector) return false;
  auto machines = caches.machines_of({check.metadata.namespace_.str(), check.spec.cluster_name.str()});
  std::erase_if(machines, [&](const auto& machine) { return !selector->matches(machine->metadata.labels); });
  return !machines.empty() && std::ranges::all_of(machines, [&](const auto& machine) {
    return in_scope(machine->metadata, watch_filter);
  });
}

}  // namespace capstan::controllers::machinehealthcheck
