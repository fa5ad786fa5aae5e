#include "api/v1beta2/machine_drain_rule_rules.h"

#include <fmt/core.h>

#include "api/schema/validate.h"

namespace capstan::api {
namespace {

void check_optional_selector(const std::string& at, const std::optional<LabelSelector>& selector,
                             Causes& causes) {
  if (selector) rules::check_selector(at, *selector, causes);
}

}  // namespace

Causes validate(const MachineDrainRule& now, const MachineDrainRule* /*before*/, const Gates& /*gates*/) {
  Causes causes;
  const auto& drain = now.spec.drain;
  const bool ordered =
      drain.behavior != drain_behavior::kSkip && drain.behavior != drain_behavior::kWaitCompleted;
  if (drain.order && !ordered) {
    causes.push_back(
        field_invalid("spec.drain.order", std::to_string(*drain.order),
                      "order must not be set if drain behavior is \"Skip\" or \"WaitCompleted\""));
  }
  for (std::size_t i = 0; i < now.spec.machines.size(); ++i) {
    const std::string at = fmt::format("spec.machines[{}]", i);
    check_optional_selector(at + ".selector", now.spec.machines[i].selector, causes);
    check_optional_selector(at + ".clusterSelector", now.spec.machines[i].cluster_selector, causes);
  }
  for (std::size_t i = 0; i < now.spec.pods.size(); ++i) {
    const std::string at = fmt::format("spec.pods[{}]", i);
    check_optional_selector(at + ".selector", now.spec.pods[i].selector, causes);
    check_optional_selector(at + ".namespaceSelector", now.spec.pods[i].namespace_selector, causes);
  }
  return causes;
}

}  // namespace capstan::api
