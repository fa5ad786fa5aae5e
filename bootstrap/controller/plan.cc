#include "bootstrap/controller/plan.h"

#include <fmt/core.h>

#include <tuple>

#include "runtime/plan_text.h"

namespace capstan::bootstrap::controller {

bool CreateSecret::operator==(const CreateSecret& other) const {
  const auto parts = [](const CreateSecret& action) {
    return std::tie(action.key, action.cluster, action.owner, action.for_kind, action.value.reveal());
  };
  return parts(*this) == parts(other);
}

std::string describe(const CreateSecret& action) {
  return fmt::format("create Secret {} with {} bytes for a {} of Cluster {}", action.key.describe(),
                     action.value.reveal().size(), action.for_kind, action.cluster);
}

std::string describe(const RestoreStatus& action) {
  return "restore the status: the data are in Secret " + action.secret_name;
}

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::bootstrap::controller
