#include "infrastructure/controller/cluster/plan.h"

#include <fmt/core.h>

#include "runtime/plan_text.h"

namespace capstan::infrastructure::cluster {

std::string describe(const MintKey&) { return "mint the key of the cluster"; }

std::string describe(const SignOn& action) {
  return fmt::format("sign on: finalizers {} -> {}", runtime::describe(action.from),
                     runtime::describe(action.to));
}

std::string describe(const ProvideControlPlane& action) {
  return fmt::format("provide the control plane of {}{}", action.cluster.describe(),
                     action.write_authority ? " and the Secret of its authority" : "");
}

std::string describe(const TakeEndpoint& action) {
  if (!action.endpoint.valid()) return "take the cluster without endpoint as it is";
  return fmt::format("take the endpoint {}:{} as it is", action.endpoint.host.view(), *action.endpoint.port);
}

std::string describe(const RemoveControlPlane& action) {
  return "remove the control plane of " + action.cluster.describe();
}

std::string describe(const DropFinalizer&) { return "drop the finalizer"; }

std::string describe(const MarkOrphan& action) { return "mark orphan " + action.vm.provider_id; }

std::string describe(const UnmarkVm& action) { return "take the mark off VM " + action.vm.provider_id; }

std::string describe(const RemoveOrphan& action) { return "remove orphan " + action.vm.provider_id; }

std::string describe(const GiveUpPlace&) { return "ask for no place for an orphan any more"; }

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::infrastructure::cluster
