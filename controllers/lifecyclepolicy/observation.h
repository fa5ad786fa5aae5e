// All that a turn of a MachineLifecyclePolicy looks at: the policy, the objects that it selects and the other
// policies that select them. Gathered by observe.h, judged by report.h. A plain value.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "base/time.h"

namespace capstan::controllers::lifecyclepolicy {

// One object the policy selects.
struct Selected {
  std::string_view kind = {};
  std::string name = {};
  // All policies that select it, this one included; empty: only this one.
  std::vector<std::string> rivals = {};
};

struct Observation {
  Time now = {};
  std::shared_ptr<const api::MachineLifecyclePolicy> policy = {};  // never null
  std::string selector_problem = {};                               // why it selects nothing at all
  std::vector<Selected> selected = {};                             // by kind and name
};

}  // namespace capstan::controllers::lifecyclepolicy
