// How many instances a DriverMachinePool is to have: its MachinePool says so, or the cloud's own autoscaler
// where the MachinePool leaves it to others. Pure.
#pragma once

#include <optional>

#include "infrastructure/controller/pool/observation.h"
#include "infrastructure/controller/pool/plan.h"

namespace capstan::infrastructure::pool {

inline constexpr std::size_t kMostInstances = 10000;  // what spec.providerIDList can hold

struct PoolSize {
  std::optional<std::size_t> wanted = {};          // nothing: the number can't be meant
  std::optional<runtime::Readiness> refused = {};  // why not
  std::optional<SetReplicas> set_replicas = {};
};
// Of a pool that has an owner.
PoolSize size_of(const Observation& seen);

}  // namespace capstan::infrastructure::pool
