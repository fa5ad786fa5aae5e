#include "controllers/cluster/plan.h"

#include <fmt/format.h>

#include "api/schema/changes.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::cluster {
namespace {

std::string_view to_string(Role role) {
  return role == Role::Infrastructure ? "infrastructure object" : "control plane object";
}

std::string_view to_string(ChildKind kind) {
  switch (kind) {
    case ChildKind::MachinePool: return "MachinePool";
    case ChildKind::MachineDeployment: return "MachineDeployment";
    case ChildKind::MachineSet: return "MachineSet";
    case ChildKind::Machine: return "Machine";
  }
  return {};
}

struct InWords {
  std::string operator()(const AddFinalizer&) const { return "add the finalizer"; }
  std::string operator()(const WriteEndpoint& action) const {
    return "write spec.controlPlaneEndpoint: " + api::changes(action.from, action.to);
  }
  std::string operator()(const OwnProvider& action) const {
    return fmt::format("own the {}: {}", to_string(action.role), api::changes(action.from, action.to));
  }
  std::string operator()(const KeepKubeconfig&) const { return "look after the kubeconfig"; }
  std::string operator()(const DeleteChild& action) const {
    return fmt::format("delete {} {}", to_string(action.kind), action.key.name);
  }
  std::string operator()(const DeleteProvider& action) const {
    return fmt::format("delete the {}", to_string(action.role));
  }
  std::string operator()(const DropFinalizer&) const { return "drop the finalizer"; }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::cluster
