#include "controllers/inplace/update_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::inplace {
namespace {

using api::policy::annotation::kInPlaceUpdate;

constexpr std::array kSteps = {UpdateStep::Draining, UpdateStep::Updating, UpdateStep::Updated,
                               UpdateStep::Failed, UpdateStep::TimedOut};

// The word before the next blank; what is left stays in `text`.
std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::string what_is_done(const UpdateMark& mark) {
  switch (mark.step) {
    case UpdateStep::Draining: return "its Node is drained";
    case UpdateStep::Updating: return "the agent on its Node makes the update";
    case UpdateStep::Updated: return "its Node is updated, and gets work again";
    case UpdateStep::Failed:
    case UpdateStep::TimedOut: break;
  }
  return mark.why;
}

}  // namespace

std::string_view to_string(UpdateStep step) {
  switch (step) {
    case UpdateStep::Draining: return "Draining";
    case UpdateStep::Updating: return "Updating";
    case UpdateStep::Updated: return "Updated";
    case UpdateStep::Failed: return "Failed";
    case UpdateStep::TimedOut: return "TimedOut";
  }
  return {};
}

std::string to_text(const UpdateMark& mark) {
  return fmt::format("{} {} {}{}{}", mark.set, to_string(mark.step), mark.since.to_string(),
                     mark.why.empty() ? "" : " ", mark.why);
}

std::optional<UpdateMark> update_mark_of(const api::Machine& machine) {
  std::string_view text = machine.metadata.annotations.value_or_empty(kInPlaceUpdate);
  const std::string_view set = next_word(text);
  const std::string_view word = next_word(text);
  const auto step = std::ranges::find(kSteps, word, to_string);
  const auto since = Time::parse(next_word(text));
  if (set.empty() || step == kSteps.end() || !since) return std::nullopt;
  return UpdateMark{.set = std::string(set), .step = *step, .since = *since, .why = std::string(text)};
}

bool is_marked(const api::Machine& machine) { return machine.metadata.annotations.contains(kInPlaceUpdate); }

std::optional<api::Condition> updating_condition(const api::Machine& machine) {
  const auto mark = update_mark_of(machine);
  if (!mark) return std::nullopt;
  const auto reason = mark->in_vain() ? api::reason::kInPlaceUpdateFailed : api::reason::kInPlaceUpdating;
  return api::conditions::make(
      api::condition::kUpdating, api::status::kTrue, reason,
      fmt::format("In-place update to MachineSet {} {}: {}, since {}", mark->set,
                  mark->in_vain() ? "failed" : "in progress", what_is_done(*mark), mark->since.to_string()));
}

}  // namespace capstan::controllers::inplace
