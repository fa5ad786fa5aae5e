#include "controllers/lifecyclepolicy/plan.h"

#include <fmt/format.h>

#include "controllers/shared/plan_words.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

struct InWords {
  std::string operator()(const ReleasePreserved& action) const {
    return fmt::format("release Machine {}, which {} preserves unasked", action.machine->metadata.name,
                       action.from);
  }
  std::string operator()(const MarkPreserved& action) const {
    return fmt::format("preserve Machine {}: the mark {:?} becomes {:?}", action.machine->metadata.name,
                       action.from, action.to);
  }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::lifecyclepolicy
