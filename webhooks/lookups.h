// What a verdict takes into account besides the review: other objects. Used by the hooks of
// admission_kinds.h. Implementations are safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta/object_key.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/common.h"
#include "base/result.h"

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
  // What this policy and another one would both select, as the manager's caches show it. Empty while they are
  // not filled.
  virtual std::vector<ContestedObject> contested_by(const api::MachineLifecyclePolicy& policy) const = 0;
  // Which pool this claim asks, read from the API server now; nothing when there is no such claim.
  virtual Result<std::optional<api::ContractRef>> pool_asked_by(const api::ObjectKey& claim) const = 0;
};

}  // namespace capstan::webhooks
