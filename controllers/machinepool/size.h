// How many instances a MachinePool is to have: what its user says, or a default that never shrinks it. Pure;
// used by decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/v1beta2/machine_pool.h"

namespace capstan::controllers::machinepool {

struct Size {
  std::optional<std::int32_t> replicas = {};  // nothing: it is left out, and there is no default
  std::string problem = {};                   // what is wrong with it, and what would help
  bool operator==(const Size&) const = default;
};
Size size_of(const api::MachinePool& pool);

}  // namespace capstan::controllers::machinepool
