#include "controllers/machinepool/size.h"

#include <fmt/core.h>

#include "api/v1beta2/rules.h"
#include "controllers/machinepool/providers.h"

namespace capstan::controllers::machinepool {
namespace {

std::string wrong_with(std::int32_t replicas) {
  if (replicas < 0) return fmt::format("spec.replicas is {}: set it to 0 or more", replicas);
  if (static_cast<std::size_t>(replicas) <= kMostInstances) return {};
  return fmt::format(
      "spec.replicas is {}: a MachinePool has {} instances at most, set it lower and make another pool",
      replicas, kMostInstances);
}

}  // namespace

// Left out, the size is the one there is, within the autoscaler's limits.
Size size_of(const api::MachinePool& pool) {
  if (pool.spec.replicas) return {.replicas = pool.spec.replicas, .problem = wrong_with(*pool.spec.replicas)};
  const auto& present = pool.status.replicas;
  const auto chosen = api::rules::default_replicas(
      {.kind = api::kind::kMachinePool, .metadata = &pool.metadata, .before = present});
  if (!chosen) return {.problem = chosen.error().message + ": correct it, or set spec.replicas"};
  const auto& annotations = pool.metadata.annotations;
  const bool limited = annotations.contains(api::annotation::kAutoscalerMinSize) &&
                       annotations.contains(api::annotation::kAutoscalerMaxSize);
  return {.replicas = limited ? *chosen : present.value_or(*chosen)};
}

}  // namespace capstan::controllers::machinepool
