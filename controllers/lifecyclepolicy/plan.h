// What a turn of a MachineLifecyclePolicy is going to do: which failed Machines get or lose the mark that
// preserves them unasked. Made by decide.h, carried out by act.h. A plain value.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controllers/lifecyclepolicy/observation.h"

namespace capstan::controllers::lifecyclepolicy {

// The annotation of a failed Machine begins to name the policy. Bound to the version that was seen.
struct MarkPreserved {
  lifecycle::MachineSnapshot machine = {};
  std::string from = {};
  std::string to = {};
  bool operator==(const MarkPreserved&) const = default;
};
// The annotation goes. Bound to the version that was seen.
struct ReleasePreserved {
  lifecycle::MachineSnapshot machine = {};
  std::string from = {};
  bool operator==(const ReleasePreserved&) const = default;
};
using Action = std::variant<ReleasePreserved, MarkPreserved>;

struct Plan {
  std::vector<Action> actions = {};  // what is released first: it makes room
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::lifecyclepolicy
