// What the policy of a MachineSet or MachineDeployment says of deletions that can wait: when they begin, and
// how many at once. A plain value; gathered by see_deletion_rules.h.
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
  std::optional<std::int32_t> guard_percent = {};
  // Machines that the policy governs and that are not being deleted; counted only with a guard.
  std::size_t governed = 0;
};

}  // namespace capstan::controllers::safety
