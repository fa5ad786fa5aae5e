#include "bootstrap/access/plan.h"

#include <fmt/core.h>

#include "runtime/plan_text.h"

namespace capstan::bootstrap::access {

std::string describe(const CreateBinding& action) {
  return fmt::format("bind {} to {}", action.binding.group, action.binding.role);
}

std::string describe(const RepairBinding& action) {
  return fmt::format("put labels and subjects of {} right", action.binding.name);
}

std::string describe(const RemoveBinding& action) { return "remove " + action.name; }

std::string describe(const RemoveOrphan& action) {
  return "remove bootstrap token " + action.token_id + ", whose CloudConfig is gone";
}

std::string describe(const Plan& plan) { return runtime::plan_text({}, plan.actions, {}); }

}  // namespace capstan::bootstrap::access
