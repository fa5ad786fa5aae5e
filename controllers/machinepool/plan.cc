#include "controllers/machinepool/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/changes.h"
#include "base/text_fmt.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::machinepool {
namespace {

std::string_view to_string(Provider which) {
  return which == Provider::Infrastructure ? "infrastructure object" : "bootstrap object";
}

struct InWords {
  // --- the pool and the provider's objects ---
  std::string operator()(const WritePool& action) const {
    return "write the pool: " + api::changes(*action.from, action.to);
  }
  std::string operator()(const ClaimProvider& action) const {
    return fmt::format("claim the {}: {}", to_string(action.which), describe(action.to));
  }
  std::string operator()(const ConfirmList&) const { return "confirm the list of instances"; }
  std::string operator()(const DeleteProvider& action) const {
    return fmt::format("delete the {}", to_string(action.which));
  }
  std::string operator()(const ConfirmGone&) const { return "confirm that the provider's objects are gone"; }
  std::string operator()(const DropFinalizer&) const { return "drop the finalizer"; }

  // --- Machines ---
  std::string operator()(const CreateMachine& action) const {
    return fmt::format("create Machine {}", action.machine.metadata.name);
  }
  std::string operator()(const ApplyMachine& action) const {
    const std::string changes = api::changes_by_apply(*action.from, action.to);
    return fmt::format("apply Machine {}: {}", action.from->metadata.name,
                       changes.empty() ? "as it is" : changes);
  }
  std::string operator()(const RepairManagers& action) const {
    return fmt::format("repair the field managers of Machine {}", action.machine->metadata.name);
  }
  std::string operator()(const WriteUpToDate& action) const {
    return fmt::format("mark Machine {}: {}", action.from->metadata.name,
                       api::changes(*action.from, action.to));
  }
  std::string operator()(const DeleteMachine& action) const {
    return fmt::format("delete Machine {}", action.machine->metadata.name);
  }
  std::string operator()(const GrantReplacement& action) const {
    return fmt::format("let Machine {} be replaced", action.machine->metadata.name);
  }
  std::string operator()(const ReplaceMachine& action) const {
    return fmt::format("delete Machine {}, which {}", action.machine->metadata.name,
                       action.named ? "is named" : "has failed");
  }
  std::string operator()(const AskFleet& action) const { return safety::describe(action); }
  std::string operator()(const UseConfirmation&) const { return "take off the confirmation that was used"; }
  std::string operator()(const WriteVictims& action) const {
    return fmt::format("victims: {} -> {}", action.from, action.to);
  }

  // --- Nodes ---
  std::string operator()(const WriteNode& action) const {
    return fmt::format("change Node {}: {}", action.node->metadata.name,
                       describe(action.change, *action.node));
  }
  std::string operator()(const RetireNodes& action) const {
    return fmt::format("{}delete Nodes {}", action.drain ? "drain and " : "", names_of(action.nodes));
  }
  std::string operator()(const DrainNodes& action) const { return "drain Nodes " + names_of(action.nodes); }
  std::string operator()(const DeleteNodes& action) const {
    return (action.once ? "try once to delete Nodes " : "delete Nodes ") + names_of(action.nodes);
  }
};

}  // namespace

bool deletes(const Plan& plan, const api::Machine& machine) {
  return std::ranges::any_of(plan.actions, [&](const Action& action) {
    const auto* without_instance = std::get_if<DeleteMachine>(&action);
    const auto* replaced = std::get_if<ReplaceMachine>(&action);
    return (without_instance != nullptr && without_instance->machine->metadata.uid == machine.metadata.uid) ||
           (replaced != nullptr && replaced->machine->metadata.uid == machine.metadata.uid);
  });
}

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::machinepool
