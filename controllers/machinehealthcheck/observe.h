// Gathers what a turn of a MachineHealthCheck looks at. From caches: visits the Machines of one Cluster. One
// live read for each Node that the cache lacks, until its Machine says that it is gone. Blocks as the client
// does.
#pragma once

#include <optional>

#include "controllers/machinehealthcheck/memory.h"
#include "controllers/machinehealthcheck/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machinehealthcheck {

// Nothing when the check is gone or another shard's.
std::optional<Observation> observe(const ObserveContext& with, const Memory& memory,
                                   const kube::ObjectKey& key);

}  // namespace capstan::controllers::machinehealthcheck
