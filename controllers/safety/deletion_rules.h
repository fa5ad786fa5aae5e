// What the policy of a MachineSet or MachineDeployment, and the FleetPolicy, say of deletions that can wait:
// when they begin, and how many at once. A plain value; gathered by see_deletion_rules.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "controllers/safety/windows.h"

namespace capstan::controllers::safety {

struct DeletionRules {
  std::string policy = {};  // its name; empty: none governs them
  Windows windows = {};
  Windows fleet_windows = {};  // of the FleetPolicy, which governs all
  std::optional<std::int32_t> guard_percent = {};
  // The same policy, or none, governs the MachineDeployment of a set: it asks before it makes an old set
  // smaller, and what follows is not asked about again.
  bool rollouts_asked_above = true;
  // Machines that the policy governs and that are not being deleted. Nothing: not counted yet, which is only
  // done where a guard is asked about several Machines.
  std::optional<std::size_t> governed = {};
};

// Where both have windows for a cause both have to be open.
inline WindowVerdict ask_windows(const DeletionRules& rules, Cause cause, Time now) {
  auto own = ask_windows(rules.windows, cause, now);
  return own.open ? ask_windows(rules.fleet_windows, cause, now) : own;
}

}  // namespace capstan::controllers::safety
