#include "controllers/machine/plan.h"

#include <fmt/format.h>

#include "api/schema/changes.h"
#include "base/text_fmt.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::machine {
namespace {

struct InWords {
  std::string operator()(const ConfirmMachine&) const { return "confirm that the Machine is still there"; }
  std::string operator()(const PatchMachine& action) const {
    return fmt::format("patch the Machine{}: {}", action.may_be_refused ? ", or go on without" : "",
                       api::changes(*action.from, action.to));
  }
  std::string operator()(const ClaimObject& action) const {
    const bool bootstrap = action.which == ClaimObject::Which::Bootstrap;
    return fmt::format("claim the {} object: {}", bootstrap ? "bootstrap" : "infrastructure",
                       describe(action.claim));
  }
  std::string operator()(const ChangeNode& action) const {
    return fmt::format("change Node {}: {}", action.node->metadata.name,
                       describe(action.change, *action.node));
  }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::machine
