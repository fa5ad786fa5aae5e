#include "controllers/machine/node_template_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/lifecycle/node_template_rules.h"

namespace capstan::controllers::machine {
namespace {

const api::PolicyNodeTemplate* wanted_of_nodes(const Observation& seen) {
  if (!seen.governed_by || !seen.governed_by->spec.node_template) return nullptr;
  return &*seen.governed_by->spec.node_template;
}

lifecycle::TaintsToLose to_lose(const Observation& seen) {
  return seen.governed_by ? lifecycle::taints_to_lose(seen.governed_by->spec) : lifecycle::TaintsToLose();
}

}  // namespace

void template_node(const Observation& seen, std::optional<NodeChange>& change, Plan& plan) {
  if (!seen.policy_known) return;
  NodeChange fuller = change.value_or(NodeChange());
  plan.node_template =
      lifecycle::merge_node_template(*seen.node.node, wanted_of_nodes(seen), fuller, to_lose(seen));
  if (fuller != NodeChange()) change = std::move(fuller);
}

NodeTemplateReport node_template_report(const Observation& seen, const Plan& plan) {
  if (!plan.node_template) return {.keep = !seen.policy_known || wanted_of_nodes(seen) != nullptr};
  if (plan.node_template->kept.empty()) return {};
  return {.condition = api::conditions::make(
              lifecycle::kNodeTemplateCondition, api::status::kFalse, lifecycle::kKeysRefused,
              fmt::format(
                  "MachineLifecyclePolicy {} does not give the Node what the Machine itself keeps there: {}",
                  seen.governed_by->metadata.name.view(), fmt::join(plan.node_template->kept, ", ")))};
}

}  // namespace capstan::controllers::machine
