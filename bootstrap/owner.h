// Whose bootstrap data it is. A plain value.
#pragma once

#include <string>
#include <vector>

namespace capstan::bootstrap {

// A Machine, or a MachinePool, whose Machines all share the data.
struct Owner {
  std::string kind = {};
  std::string name = {};
  std::string cluster = {};
  std::string version = {};
  std::string data_secret = {};  // empty: none yet
  bool control_plane = false;
  bool deleting = false;
  bool has_vm = false;                  // of a Machine: a VM may have read the data
  bool nodes_missing = true;            // of a Machine: it has no Node yet; of a pool: not all are there
  std::vector<std::string> nodes = {};  // those that are there

  bool is_pool() const;
  bool operator==(const Owner&) const = default;
};

}  // namespace capstan::bootstrap
