#include "api/policy/machine_lifecycle_policy_rules.h"

namespace capstan::api {

Causes validate(const MachineLifecyclePolicy& now, const MachineLifecyclePolicy* /*before*/,
                const Gates& /*gates*/) {
  Causes causes;
  (void)rules::check_selector("spec.selector", now.spec.selector, causes);
  return causes;
}

}  // namespace capstan::api
