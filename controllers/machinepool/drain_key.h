// In whose name the drain of a pool's Node cordons it, and the marks of when what began. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/meta/object_key.h"
#include "api/v1beta2/machine_pool.h"

namespace capstan::controllers::machinepool {

// On Nodes that are emptied because their instance has left the pool: since when.
inline constexpr std::string_view kDrainStarted = "capstan.dev/drain-started";
// On those that are empty, and whose volumes are to be detached: since when. The drain is over.
inline constexpr std::string_view kVolumeWaitStarted = "capstan.dev/volume-wait-started";

// "<pool>/<node>" of the pool's namespace.
inline api::ObjectKey drain_key(const api::MachinePool& pool, std::string_view node) {
  return {.namespace_ = pool.metadata.namespace_.str(),
          .name = pool.metadata.name.str() + "/" + std::string(node)};
}

}  // namespace capstan::controllers::machinepool
