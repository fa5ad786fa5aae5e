// Drains by force: Pods are deleted without grace, budgets are not asked, the next stage does not wait for
// them. When that is called for, and which Pods it concerns. Pure; used by the round of a drain.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/core/node.h"
#include "base/time.h"
#include "controllers/drain/drain_plan.h"

namespace capstan::controllers::drain {

struct ForceRules {
  std::string why = {};                       // from the start; empty: not
  std::optional<Seconds> not_ready_for = {};  // once the Node has not been ready for so long
  Time reached_since = {};  // the cluster; unset: not known, then no Node is held to have been so for long
};

// The Node is not ready, or can't be written to, and since when. Of two troubles the one that began first.
struct NodeTrouble {
  std::string what = {};  // "Ready is False since ..."
  Time since = {};
};
std::optional<NodeTrouble> trouble_of(const api::Node& node);

// When a drain of the Node turns into one by force because of that trouble; nothing: it does not.
std::optional<Time> force_begins(const std::optional<NodeTrouble>& trouble, const ForceRules& rules);

// All but those that stay where they are, in no order of groups: of that Node, whatever a list has brought.
DrainPlan::Pods to_be_deleted(const DrainPlan& plan, std::string_view node);

}  // namespace capstan::controllers::drain
