// What spec.nodeTemplate of its policy (controllers/lifecycle/node_template.h) changes of the Machine's Node,
// and the condition capstan.dev/NodeTemplate, which is there while keys of the Machine are in the way. Pure
// functions.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

// After what the Machine itself wants of its Node.
void template_node(const Observation& seen, std::optional<NodeChange>& change, Plan& plan);

struct NodeTemplateReport {
  bool keep = false;                             // what was said before still holds
  std::optional<api::Condition> condition = {};  // nothing, unless kept: all of it was given
};
NodeTemplateReport node_template_report(const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machine
