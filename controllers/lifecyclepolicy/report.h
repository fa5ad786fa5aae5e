// The status of a MachineLifecyclePolicy: what it selects, and with which other policies it shares that.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "base/time.h"
#include "runtime/store.h"

namespace capstan::controllers::lifecyclepolicy {

// One object the policy selects.
struct Selected {
  std::string_view kind = {};
  std::string name = {};
  std::vector<std::string> rivals =
      {};  // all policies that select it, this one included; empty: only this one
};

struct Observation {
  Time now = {};
  runtime::Snapshot<api::MachineLifecyclePolicy> policy = {};  // never null
  std::string selector_problem = {};                           // why it selects nothing at all
  std::vector<Selected> selected = {};                         // by kind and name
};

api::MachineLifecyclePolicy report(const Observation& seen);

}  // namespace capstan::controllers::lifecyclepolicy
