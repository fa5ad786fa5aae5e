// Where a NodeConfig stands by what the caches say: what observe.h reads live follows from it, and what
// decide.h does. Pure.
#pragma once

#include <optional>

#include "bootstrap/nodeconfig/observation.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::bootstrap::nodeconfig {

enum class Standing {
  Waits,   // something has to be there first; obstacle() says what
  Begins,  // it has no finalizer yet
  Stands,  // Secret and rights are kept right
  Used,    // it is to go, and CloudConfigs refer to it
  Leaves,  // Secret and rights go
  Ends,    // it is to go, and nothing of it is left that could be reached
};
Standing standing_of(const Observation& seen);

runtime::Paused paused_by(const Observation& seen);

// Of a NodeConfig that waits.
runtime::Waiting obstacle(const Observation& seen);

}  // namespace capstan::bootstrap::nodeconfig
