#include "infrastructure/controller/machine/plan.h"

#include <fmt/core.h>

#include "runtime/plan_text.h"

namespace capstan::infrastructure::machine {
namespace {

std::string words(const VmId& vm) {
  return fmt::format("{} (key {})", vm.provider_id.empty() ? "without ID" : vm.provider_id,
                     vm.instance_key.empty() ? "none" : vm.instance_key);
}

}  // namespace

std::string describe(const SignOn& action) {
  return fmt::format("sign on: {}finalizers {} -> {}", action.mint_key ? "mint an instance key, " : "",
                     runtime::describe(action.from), runtime::describe(action.to));
}

std::string describe(const RestoreFinalizer& action) {
  return fmt::format("put the finalizer back: {} -> {}", runtime::describe(action.from),
                     runtime::describe(action.to));
}

std::string describe(const ProvideVm& action) {
  const std::string_view find = action.held.empty() ? "find or make" : "find";
  return fmt::format("{} VM {} of class \"{}\", version \"{}\", in \"{}\", with Secret {}",
                     action.look_first ? find : "make", action.name, action.vm_class,
                     action.kubernetes_version, action.failure_domain, action.data_secret.describe());
}

std::string describe(const VerifyVm& action) { return "ask about VM " + words(action.vm); }

std::string describe(const AdoptVm& action) { return "write down the account of VM " + words(action.vm); }

std::string describe(const RemoveVm& action) {
  return fmt::format("remove VM {}{}", words(action.vm), action.surely_ours ? "" : " if it is ours");
}

std::string describe(const DropFinalizer&) { return "drop the finalizer"; }

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::infrastructure::machine
