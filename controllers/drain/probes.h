// What drains count for /metrics. To count one more thing: a member here, its family in probes.cc, and one
// line where it happens. Safe from any thread.
#pragma once

#include <string_view>

#include "base/metrics.h"

namespace capstan::controllers::drain {

enum class EvictionResult {
  Accepted,
  RefusedByBudget,
  Failed,      // another refusal, or no answer
  CrowdedOut,  // not sent: too many requests of ours to that cluster
};
std::string_view to_string(EvictionResult result);

struct Probes {
  explicit Probes(Metrics* metrics);  // null: nothing is counted

  PerEnum<Counter, EvictionResult, 4> evictions = {};  // one per request
};

}  // namespace capstan::controllers::drain
