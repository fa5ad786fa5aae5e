#include "runtime/readiness.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::runtime {
namespace {

constexpr Seconds kPatience{10};

api::Condition ready_condition(const Readiness& readiness) {
  if (!readiness.obstacle)
    return api::conditions::make(api::condition::kReady, api::status::kTrue, api::reason::kReady);
  return api::conditions::make(api::condition::kReady, api::status::kFalse,
                               api::reason_of(*readiness.obstacle), readiness.message);
}

}  // namespace

Seconds age_of(const api::ObjectMeta& object, Time now) {
  const Time created = object.creation_timestamp;
  return created.is_set() && now > created ? now - created : Seconds(0);
}

std::optional<Seconds> until_shown(const api::ObjectMeta& object, Time now) {
  const Seconds age = age_of(object, now);
  if (age >= kPatience) return std::nullopt;
  return kPatience - age;
}

std::vector<Note> set_ready(api::Conditions& conditions, const Conclusion& conclusion,
                            std::int64_t generation) {
  if (!conclusion.readiness) return {};
  const Readiness& readiness = *conclusion.readiness;
  const auto before = api::conditions::find(conditions, api::condition::kReady);
  const std::string known = before == nullptr ? std::string() : before->reason.str();
  api::conditions::set(conditions, ready_condition(readiness), generation, conclusion.now);
  const auto ready = api::conditions::find(conditions, api::condition::kReady);
  if (!readiness.obstacle || readiness.silent || ready->reason == known) return {};
  return {{.code = *readiness.obstacle, .text = ready->message.str()}};
}

// "Not paused" is no news: it is said along with other news, or to take back that it was paused.
void set_paused(api::Conditions& conditions, const Conclusion& conclusion, bool changed,
                std::int64_t generation) {
  const bool was = api::conditions::is_true(conditions, api::condition::kPaused);
  if (conclusion.paused.paused || was || changed)
    api::conditions::set(conditions, paused_condition(conclusion.paused), generation, conclusion.now);
  api::conditions::sort(conditions);
}

}  // namespace capstan::runtime
