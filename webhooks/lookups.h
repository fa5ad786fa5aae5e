// What a verdict takes into account besides the review: other objects, as the manager's caches show them.
// Used by the hooks of admission_kinds.h. Implementations are safe from any thread and don't wait.
#pragma once

#include <string>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"

namespace capstan::webhooks {

// An object of which no policy would apply any more, since several select it.
struct ContestedObject {
  std::string object = {};                 // "MachineDeployment md1"
  std::vector<std::string> policies = {};  // the others that select it, sorted
  bool operator==(const ContestedObject&) const = default;
};

class Lookups {
 public:
  virtual ~Lookups() = default;
  // What this policy and another one would both select. Empty while the caches are not filled.
  virtual std::vector<ContestedObject> contested_by(const api::MachineLifecyclePolicy& policy) const = 0;
};

}  // namespace capstan::webhooks
