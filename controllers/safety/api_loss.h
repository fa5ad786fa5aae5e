// The loss of an API server, of a workload cluster or of the management cluster: what is known of the way to
// it, and what may not happen while that is too little. docs/safety.md has the table. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace capstan::controllers::safety {

struct ApiHealth {
  bool failing = false;      // what was asked last got no answer
  Time last_heard = {};      // unset: never since this process began
  std::string problem = {};  // while failing
};

enum class ApiLoss {
  None,
  OneProbeFailed,  // heard of within the grace
  Down,            // for longer than that
  NoEvidence,      // not heard of since this process began
};

struct ApiLimits {
  Time now = {};
  Seconds grace{30};
};
ApiLoss api_loss(const ApiHealth& health, const ApiLimits& limits);

// Whether that holds what a brake is asked about: creation, remediation, scaling down, rollouts, evictions,
// the sweep of orphans. Status and what a user deletes are not asked about.
bool holds(ApiLoss loss);

// For a condition: since when, and what opens it. `server`: "the API server of Cluster default/c1".
std::string words_for(ApiLoss loss, const ApiHealth& health, std::string_view server);

}  // namespace capstan::controllers::safety
