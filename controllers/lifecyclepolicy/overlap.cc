#include "controllers/lifecyclepolicy/overlap.h"

#include <algorithm>
#include <set>

#include "api/meta/label_selector.h"
#include "api/names.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

bool selects_one(const api::MachineHealthCheck& check, std::span<const Snapshot<api::Machine>> machines) {
  const auto selector = api::Selector::from(check.spec.selector);
  if (!selector || selector->matches_everything()) return false;  // such a check selects nothing
  return std::ranges::any_of(machines, [&](const auto& machine) {
    return machine->spec.cluster_name == check.spec.cluster_name &&
           !machine->metadata.annotations.contains(api::annotation::kSkipRemediation) &&
           selector->matches(machine->metadata.labels);
  });
}

}  // namespace

std::vector<std::string> overlapping_checks(const Caches& caches, const api::MachineLifecyclePolicy& policy,
                                            std::span<const Snapshot<api::Machine>> machines) {
  if (!policy.spec.health.node_checks) return {};
  std::set<std::string> clusters;
  for (const auto& machine : machines) clusters.insert(machine->spec.cluster_name.str());
  std::set<std::string> names;
  for (const std::string& cluster : clusters) {
    const ObjectKey key{.namespace_ = policy.metadata.namespace_.str(), .name = cluster};
    for (const auto& check : caches.machine_health_checks_of(key)) {
      const bool looks_at_nodes = !check->spec.checks.unhealthy_node_conditions.empty();
      if (looks_at_nodes && selects_one(*check, machines)) names.insert(check->metadata.name.str());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace capstan::controllers::lifecyclepolicy
