#include "controllers/machinepool/size.h"

#include <fmt/core.h>

#include "controllers/machinepool/providers.h"
#include "controllers/shared/replicas.h"

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
  const auto chosen = replicas_when_left_out(api::kind::kMachinePool, pool.metadata, pool.status.replicas);
  if (!chosen) return {.problem = chosen.error().message + ": correct it, or set spec.replicas"};
  return {.replicas = *chosen};
}

}  // namespace capstan::controllers::machinepool
