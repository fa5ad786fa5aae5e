#include "controllers/lifecycle/wellness.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"

namespace capstan::controllers::lifecycle {
namespace {

constexpr std::string_view kNodeMissing = "NodeMissing";
constexpr std::string_view kNodeNotReady = "NodeNotReady";
constexpr std::string_view kNodeConditionsBad = "NodeConditionsBad";

void look_at_ready(const api::Node& node, Wellness& found) {
  const auto* ready = node.condition(api::condition::kReady);
  if (ready != nullptr && ready->status == api::status::kTrue) return;
  found.code = kNodeNotReady;
  found.troubles.push_back(
      fmt::format("Ready is {}", ready == nullptr ? std::string_view("not reported") : ready->status.view()));
}

void look_at_conditions(const api::Node& node, const Rules& rules, Wellness& found) {
  for (const auto& bad : rules.bad_conditions) {
    const auto* condition = node.condition(bad.type.view());
    if (condition == nullptr ||
        std::ranges::find(bad.bad_statuses, condition->status) == bad.bad_statuses.end())
      continue;
    if (found.code.empty()) found.code = kNodeConditionsBad;
    found.troubles.push_back(fmt::format("{} is {}", bad.type.view(), condition->status.view()));
  }
}

void look_at_taints(const api::Node& node, const Rules& rules, Wellness& found) {
  for (const auto& taint : rules.blocking_taints) {
    const bool there = std::ranges::any_of(node.spec.taints, [&](const api::NodeTaint& each) {
      return each.same_taint(taint.key.view(), taint.effect.view());
    });
    if (there)
      found.blocking_taints.push_back(
          fmt::format("taint {}:{} is still there", taint.key.view(), taint.effect.view()));
  }
}

}  // namespace

Wellness wellness_of(const api::Node* node, const Rules& rules) {
  if (node == nullptr) return {.code = kNodeMissing, .troubles = {"there is no Node"}};
  Wellness found;
  look_at_ready(*node, found);
  look_at_conditions(*node, rules, found);
  look_at_taints(*node, rules, found);
  return found;
}

}  // namespace capstan::controllers::lifecycle
