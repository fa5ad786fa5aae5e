// What keeps caches from being complete, in words: for probes, and for a start that waits for them. Safe from
// any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/informer.h"

namespace capstan::runtime {

// Nothing once the cache is complete. "not synced yet", or what keeps it from that.
std::optional<std::string> why_not_synced(const InformerState& informer);
// The same of the first one that is not: "Machine is not synced yet".
std::optional<std::string> not_synced(const std::vector<InformerState*>& informers);

}  // namespace capstan::runtime
