// What a MachinePool writes on the Nodes of its instances: whose they are, and that they are initialized.
// Everything else on a Node is left alone. Pure functions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "api/core/node.h"
#include "api/v1beta2/machine_pool.h"

namespace capstan::controllers::machinepool {

struct NodeChange {
  std::vector<std::pair<Text, Text>> annotations = {};
  std::optional<api::List<api::NodeTaint>> taints = {};  // the whole list
  bool uncordon = false;                                 // it was to be emptied, and its instance is back
  bool unmark = false;                                   // the same: its marks of when go
  bool operator==(const NodeChange&) const = default;
};

// Nothing when the Node is as wanted.
std::optional<NodeChange> node_change(const api::MachinePool& pool, const api::Node& node);

}  // namespace capstan::controllers::machinepool
