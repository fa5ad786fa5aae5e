#include "controllers/drain/force.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "api/names.h"
#include "base/safeguards.h"

namespace capstan::controllers::drain {
namespace {

constexpr std::string_view kReadonlyFilesystem = "ReadonlyFilesystem";

// Null: it is as it should be, or has not been reported.
const api::NodeCondition* bad(const api::Node& node, std::string_view type) {
  const auto* condition = node.condition(type);
  if (condition == nullptr || !condition->last_transition_time.is_set()) return nullptr;
  const bool is_true = condition->status == api::status::kTrue;
  return is_true == (type == kReadonlyFilesystem) ? condition : nullptr;
}

}  // namespace

std::optional<NodeTrouble> trouble_of(const api::Node& node) {
  std::optional<NodeTrouble> found;
  for (const std::string_view type : {std::string_view(api::condition::kReady), kReadonlyFilesystem}) {
    const auto* condition = bad(node, type);
    if (condition == nullptr || (found && found->since <= condition->last_transition_time)) continue;
    const Time since = condition->last_transition_time;
    found = {.what = fmt::format("{} is {} since {}", type, condition->status.view(), since.to_string()),
             .since = since};
  }
  return found;
}

std::optional<Time> force_begins(const std::optional<NodeTrouble>& trouble, const ForceRules& rules) {
  if (!trouble || !rules.not_ready_for || !rules.reached_since.is_set()) return {};
  return std::max(trouble->since, rules.reached_since) + *rules.not_ready_for;
}

DrainPlan::Pods to_be_deleted(const DrainPlan& plan, std::string_view node) {
  DrainPlan::Pods pods;
  for (const auto* list : {&plan.evict, &plan.evict_later, &plan.wait_completed, &plan.wait_later,
                           &plan.terminating, &plan.overdue}) {
    std::ranges::copy_if(*list, std::back_inserter(pods), [&](const api::Pod* pod) {
      return pod->spec.node_name == node || is_off(Safeguard::ForcedPods);
    });
  }
  return pods;
}

}  // namespace capstan::controllers::drain
