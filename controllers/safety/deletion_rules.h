// What the policy of a MachineSet or MachineDeployment, and the FleetPolicy, say of deletions that can wait:
// when they begin, and how many at once. A plain value; gathered by see_deletion_rules.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/safety/windows.h"

namespace capstan::controllers::safety {

struct DeletionRules {
  std::string policy = {};            // its name; empty: none governs them
  std::vector<Windows> windows = {};  // of that policy, or of those that conflict
  Windows fleet_windows = {};         // of the FleetPolicy, which governs all
  std::optional<std::int32_t> guard_percent = {};
  // The same policy, or none, governs the MachineDeployment of a set: it asks before it makes an old set
  // smaller, and what follows is not asked about again.
  bool rollouts_asked_above = true;
  // Machines that the policy governs and that are not being deleted. Nothing: not counted yet, which is only
  // done where a guard is asked about several Machines.
  std::optional<std::size_t> governed = {};

  bool are_there() const {
    return !windows.empty() || !fleet_windows.list.empty() || guard_percent.has_value();
  }
};

// Where several have windows for a cause all have to be open: `why` names those that are shut and when all
// are open at once, and `opens_in` is when that has to be said anew.
WindowVerdict ask_windows(const DeletionRules& rules, Cause cause, Time now);

}  // namespace capstan::controllers::safety
