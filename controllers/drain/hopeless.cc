#include "controllers/drain/hopeless.h"

#include <fmt/format.h>

#include <algorithm>

namespace capstan::controllers::drain {
namespace {

std::string line(const api::PodDisruptionBudget& budget, std::string_view why_and_remedy) {
  return fmt::format("PodDisruptionBudget {}/{} never allows an eviction, {}",
                     budget.metadata.namespace_.view(), budget.metadata.name.view(), why_and_remedy);
}

// A share of it is rounded up, so that only nothing is nothing.
std::string by_max_unavailable(const api::PodDisruptionBudget& budget) {
  const auto& limit = *budget.spec.max_unavailable;
  const auto allowed = scaled_value(limit, std::max(budget.status.expected_pods, 1), Rounding::Up);
  if (!allowed || *allowed > 0) return {};
  return line(budget, fmt::format("spec.maxUnavailable is {}: raise it, or delete the budget while the "
                                  "Node is drained",
                                  limit.to_string()));
}

std::string by_min_available(const api::PodDisruptionBudget& budget) {
  const auto& limit = *budget.spec.min_available;
  const std::int32_t expected = budget.status.expected_pods;
  const bool counted = expected > 0 && budget.status.observed_generation >= budget.metadata.generation;
  const auto needed = scaled_value(limit, expected, Rounding::Up);
  if (!counted || !needed || *needed < expected) return {};
  return line(budget, fmt::format("spec.minAvailable is {} and {} {} expected: lower it, run more replicas, "
                                  "or delete the budget while the Node is drained",
                                  limit.to_string(), expected, expected == 1 ? "Pod is" : "Pods are"));
}

}  // namespace

std::string why_never(const api::PodDisruptionBudget& budget) {
  if (budget.spec.max_unavailable) return by_max_unavailable(budget);
  return budget.spec.min_available ? by_min_available(budget) : std::string();
}

}  // namespace capstan::controllers::drain
