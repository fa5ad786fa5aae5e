#include "controllers/safety/frozen_condition.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::safety {

namespace conditions = api::conditions;
using api::policy::condition::kFrozen;

void show_frozen(const Frozen& frozen, api::Conditions& list, std::int64_t generation, Time now) {
  if (frozen.holds()) {
    conditions::set(list, conditions::make(kFrozen, api::status::kTrue, frozen.reason, frozen.why),
                    generation, now);
  } else if (conditions::find(list, kFrozen) != nullptr) {
    conditions::set(list, conditions::make(kFrozen, api::status::kFalse, api::policy::reason::kNotFrozen),
                    generation, now);
  }
}

bool is_shown_frozen(const api::Conditions& list) { return conditions::is_true(list, kFrozen); }

std::optional<runtime::Note> freeze_news(const api::Conditions& before, const api::Conditions& after) {
  const bool is_frozen = is_shown_frozen(after);
  if (is_frozen == is_shown_frozen(before)) return std::nullopt;
  if (!is_frozen) return runtime::Note{.code = api::NoteCode::Unfrozen, .text = "not frozen any more"};
  return runtime::Note{.code = api::NoteCode::Frozen,
                       .text = conditions::find(after, kFrozen)->message.str()};
}

}  // namespace capstan::controllers::safety
