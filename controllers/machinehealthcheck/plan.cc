#include "controllers/machinehealthcheck/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/schema/changes.h"
#include "base/text_fmt.h"
#include "controllers/shared/plan_words.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

std::string in_words(const std::optional<api::Condition>& mark) {
  return mark ? fmt::format("{}({})", mark->status, mark->reason) : "none";
}

// The older conditions say the same.
std::string mark_changes(const Marks& from, const Marks& to) {
  std::vector<std::string> changes;
  for (const auto mark : {&Marks::health, &Marks::owner, &Marks::external}) {
    const auto& was = from.*mark;
    const auto& is = to.*mark;
    if (was == is) continue;
    changes.push_back(fmt::format("{}: {} -> {}", (is ? is : was)->type, in_words(was), in_words(is)));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

template <typename MarkingAction>
std::string marked(std::string_view what, const MarkingAction& action) {
  return fmt::format("{} Machine {}: {}", what, action.machine->metadata.name,
                     mark_changes(action.from, action.to));
}

struct InWords {
  std::string operator()(const OwnCheck& action) const {
    return "own the check: " + api::changes(action.from, action.to);
  }
  std::string operator()(const MarkMachine& action) const {
    return marked(action.handed_over ? "hand over" : "mark", action);
  }
  std::string operator()(const RequestRemediation& action) const {
    return marked("request the remediation of", action);
  }
  std::string operator()(const WithdrawRequest& action) const {
    return marked("withdraw the request for", action);
  }
};

}  // namespace

std::vector<std::string> describe(const Plan& plan) { return lines_of(plan.actions, InWords()); }

}  // namespace capstan::controllers::machinehealthcheck
