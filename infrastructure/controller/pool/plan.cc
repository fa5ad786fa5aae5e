#include "infrastructure/controller/pool/plan.h"

#include <fmt/format.h>

#include "runtime/plan_text.h"

namespace capstan::infrastructure::pool {
namespace {

std::string name_of(const Member& member) { return member.object->metadata.name.str(); }

std::string in_domain(const std::string& failure_domain) {
  return failure_domain.empty() ? "" : " in " + failure_domain;
}

std::string listed(const std::set<std::string>& ids) {
  return ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace

std::string describe(const SignOn& action) {
  return fmt::format("sign on: {}finalizers {} -> {}", action.mint_key ? "mint a group key, " : "",
                     runtime::describe(action.from), runtime::describe(action.to));
}

std::string describe(const SetReplicas& action) {
  return fmt::format("set spec.replicas of MachinePool {}: {} -> {}", action.owner->metadata.name.view(),
                     action.from ? std::to_string(*action.from) : "none", action.to);
}

std::string describe(const SizeGroup& action) {
  return (action.wanted ? fmt::format("size the group to {}", *action.wanted)
                        : "keep the size of the group") +
         (action.brakes.creations.empty() && !action.refusal ? "" : ", make none") +
         (action.brakes.deletions.empty() ? "" : ", remove none");
}

std::string describe(const RemoveGroup&) { return "remove all VMs of the group"; }

std::string describe(const RemoveMember& action) { return "remove instance " + name_of(action.member); }

std::string describe(const ReplaceMember& action) {
  return "replace instance " + name_of(action.member) + in_domain(action.failure_domain);
}

std::string describe(const CreateMember& action) {
  return "create an instance" + in_domain(action.failure_domain);
}

std::string describe(const WriteList& action) {
  std::string text = fmt::format("list provider IDs: {} -> {}", listed(action.from), listed(action.to));
  if (!action.victims_gone.empty())
    text += fmt::format(", forget victims {}", fmt::join(action.victims_gone, ", "));
  return text;
}

std::string describe(const DropMark& action) {
  return "drop the mark of Machine " + action.machine->metadata.name.str();
}

std::string describe(const DropFinalizer&) { return "drop the finalizer"; }

runtime::Readiness resizing(std::string message) {
  return {.obstacle = api::NoteCode::Resizing, .message = std::move(message), .silent = true};
}

std::string describe(const Plan& plan) { return runtime::plan_text(plan.paused, plan.actions, plan.waiting); }

}  // namespace capstan::infrastructure::pool
