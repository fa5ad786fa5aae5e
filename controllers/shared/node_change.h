// What is to be changed of a Node of a workload cluster: decided for Machines and MachinePools, sent by
// node_writes.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/core/node.h"

namespace capstan::controllers {

struct NodeChange {
  using Entry = std::pair<Text, std::optional<Text>>;  // an absent value takes the key away
  std::vector<Entry> labels = {};
  std::vector<Entry> annotations = {};
  std::vector<Text> marks_off = {};  // annotations that only Capstan writes: they go without delay
  std::optional<api::List<api::NodeTaint>> taints = {};  // the whole list
  bool uncordon = false;                                 // never waits for another writer
  std::vector<Entry> capacity = {};                      // of status.capacity
  std::optional<api::NodeCondition> condition = {};      // beside those that kubelets report

  bool operator==(const NodeChange&) const = default;
};

// "labels.tier: none -> a, taints: [x:NoSchedule] -> []", of the Node as it was seen.
std::string describe(const NodeChange& change, const api::Node& node);

}  // namespace capstan::controllers
