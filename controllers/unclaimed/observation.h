// What is looked at to find the Nodes of a Cluster that nothing claims. Gathered by observe.h, judged by
// decide.h. A plain value.
#pragma once

#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/v1beta2/cluster.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::unclaimed {

struct NodeSeen {
  runtime::Snapshot<api::Node> node = {};
  bool claimed = false;       // a Machine or MachinePool of the Cluster has its providerID
  std::string namesake = {};  // "Machine m1", which goes by the Node's name and has another providerID
};

struct Observation {
  Time now = {};
  Seconds patience = {};  // how old a Node without a claim may get
  runtime::Snapshot<api::Cluster> cluster = {};
  bool governed = false;  // a policy governs something of the Cluster; otherwise no Node keeps a mark
  std::vector<NodeSeen> nodes = {};
};

}  // namespace capstan::controllers::unclaimed
