#include "bootstrap/controller/plan.h"

#include <fmt/core.h>

#include "runtime/plan_text.h"

namespace capstan::bootstrap::controller {

std::string describe(const CreateToken& action) {
  return fmt::format("create bootstrap token {} in Cluster {}, until {}", action.token.id,
                     action.cluster.describe(), action.token.expires.to_string());
}

std::string describe(const ExtendToken& action) {
  return fmt::format("extend bootstrap token {} in Cluster {} until {}", action.id, action.cluster.describe(),
                     action.expires.to_string());
}

std::string describe(const RemoveToken& action) {
  return fmt::format("remove bootstrap token {} from Cluster {}", action.id, action.cluster.describe());
}

std::string describe(const CreateSecret& action) {
  return fmt::format("create Secret {} with {} bytes for a {} of Cluster {}", action.key.describe(),
                     action.content.value.reveal().size(), action.for_kind, action.cluster);
}

std::string describe(const RenewSecret& action) {
  return fmt::format("renew Secret {}, with bootstrap token {}", action.key.describe(),
                     action.content.token_id);
}

std::string describe(const RestoreStatus& action) {
  return "restore the status: the data are in Secret " + action.secret_name;
}

std::string describe(const NoteRemoval&) { return "say that there is no token any more"; }

std::string describe(const Release&) { return "take the finalizer off"; }

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::bootstrap::controller
