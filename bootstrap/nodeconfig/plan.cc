#include "bootstrap/nodeconfig/plan.h"

#include "runtime/plan_text.h"

namespace capstan::bootstrap::nodeconfig {

std::string describe(const PutFinalizer&) { return "put the finalizer on"; }

std::string describe(const CreateSecret& action) {
  return "create the Secret, released: " + action.release.text;
}

std::string describe(const ChangeSecret& action) {
  return "change the Secret, released: " + action.release.text;
}

std::string describe(const ReleaseWave& action) { return "release the next wave: " + action.release.text; }

std::string describe(const CreateRight& action) { return "create " + action.right.resource.kind; }

std::string describe(const RepairRight& action) { return "repair " + action.right.resource.kind; }

std::string describe(const RemoveRight& action) { return "remove " + action.right.resource.kind; }

std::string describe(const RemoveSecret&) { return "remove the Secret"; }

std::string describe(const TakeFinalizer&) { return "take the finalizer off"; }

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::bootstrap::nodeconfig
