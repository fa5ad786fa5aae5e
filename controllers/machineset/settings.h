// Flags of the MachineSet controller. Filled by wiring, kept by memory.h; a plain value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/instant.h"

namespace capstan::controllers::machineset {

struct Settings {
  // --machineset-preflight-checks: names of checks, "All", or nothing at all.
  std::vector<std::string> preflight_checks = {"All"};
  bool cluster_topology = false;  // gate ClusterTopology: two more things to check before creating
  std::size_t creators = 16;      // Machines of one set that are made at the same time
  // How long one turn goes on creating before it reports and lets the next turn continue.
  Nanoseconds create_span = std::chrono::seconds(10);
};

}  // namespace capstan::controllers::machineset
