// What spec.nodeTemplate of a policy changes of a Node: a merge of what it wants, what it gave before
// (node_template_memory.h) and what is there. Everything else on the Node is left alone, and what the Machine
// or MachinePool itself says of its Node wins. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/core/node.h"
#include "api/policy/lifecycle.h"
#include "controllers/lifecycle/node_template_rules.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::lifecycle {

struct NodeTemplateMerge {
  // "label team", which the Machine keeps; what every Node is refused stands on the policy.
  std::vector<std::string> kept = {};
  bool forgotten = false;  // what was remembered can't be read: what was given before stays
  bool operator==(const NodeTemplateMerge&) const = default;
};

// Adds to `change`, which holds what the Machine or MachinePool wants. Null: nothing is wanted any more.
NodeTemplateMerge merge_node_template(const api::Node& node, const api::PolicyNodeTemplate* wanted,
                                      NodeChange& change, const TaintsToLose& to_lose = {});

}  // namespace capstan::controllers::lifecycle
