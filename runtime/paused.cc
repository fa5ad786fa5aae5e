#include "runtime/paused.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::runtime {

namespace condition = api::condition;
namespace reason = api::reason;
namespace status = api::status;

namespace {

bool says_the_same(api::ConditionPlace known, const api::Condition& wanted) {
  return known != nullptr && known->status == wanted.status && known->reason == wanted.reason &&
         known->message == wanted.message;
}

}  // namespace

Paused paused(bool cluster_paused, const api::ObjectMeta& object, std::string_view kind) {
  Paused verdict;
  if (cluster_paused) verdict.message = "Cluster spec.paused is set to true";
  if (object.annotations.contains(api::annotation::kPaused)) {
    if (!verdict.message.empty()) verdict.message += ", ";
    verdict.message +=
        std::string(kind) + " has the " + std::string(api::annotation::kPaused) + " annotation";
  }
  verdict.paused = !verdict.message.empty();
  return verdict;
}

api::Condition paused_condition(const Paused& pause) {
  if (pause.paused)
    return api::conditions::make(condition::kPaused, status::kTrue, reason::kPaused, pause.message);
  return api::conditions::make(condition::kPaused, status::kFalse, reason::kNotPaused);
}

PauseVerdict judge_pause(const Paused& pause, const api::Conditions& conditions, std::int64_t generation,
                         Time now) {
  const api::Condition wanted = paused_condition(pause);
  PauseVerdict verdict{.conditions = conditions};
  const bool known = says_the_same(api::conditions::find(conditions, condition::kPaused), wanted);
  if (known && pause.paused) {
    verdict.step = PauseStep::Stop;
    return verdict;
  }
  api::conditions::set(verdict.conditions, wanted, generation, now);
  verdict.step = known ? PauseStep::GoOn : PauseStep::Write;
  return verdict;
}

}  // namespace capstan::runtime
