// All that a turn of a MachineLifecyclePolicy looks at: the policy, the objects that it selects and the other
// policies that select them. Gathered by observe.h, judged by decide.h and report.h. A plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"
#include "base/time.h"
#include "controllers/lifecycle/auto_preservation.h"

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
  std::vector<std::string> window_problems = {};                   // of windows that never open
  std::string selector_problem = {};                               // why it selects nothing at all
  std::vector<Selected> selected = {};                             // by kind and name
  std::vector<std::string> frozen =
      {};  // "MachineSet web": those of them that it governs and that are frozen
  // The rest only where it asks for a life cycle, and of what no other policy selects.
  std::vector<std::shared_ptr<const api::Machine>> machines = {};
  std::int32_t missing = 0;  // Machines that its MachineSets want and do not have
  // Whose failed Machines it may preserve unasked, and how many in all. No members while caches lag behind
  // what was written: then none is marked or released.
  std::vector<lifecycle::PreservationMember> members = {};
  std::int32_t most_preserved = 0;
  std::vector<std::string> overlapping_checks = {};  // that look at Nodes of some of its Machines, by name
};

}  // namespace capstan::controllers::lifecyclepolicy
