#include "bootstrap/controller/report.h"

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::bootstrap::controller {
namespace {

namespace condition = api::condition;
namespace reason = api::bootstrap_reason;
namespace status = api::status;

std::optional<api::Condition> ready_condition(const Plan& plan, const Effects& effects) {
  if (effects.has_secret) return api::conditions::make(condition::kReady, status::kTrue, reason::kReady);
  if (!effects.taken.empty())
    return api::conditions::make(condition::kReady, status::kFalse, reason::kDataSecretTaken, effects.taken);
  if (plan.step == Step::Wait && plan.report_wait)
    return api::conditions::make(condition::kReady, status::kFalse, plan.reason, plan.message);
  return std::nullopt;
}

api::Condition paused_condition(const runtime::Paused& paused) {
  if (paused.paused)
    return api::conditions::make(condition::kPaused, status::kTrue, api::reason::kPaused, paused.message);
  return api::conditions::make(condition::kPaused, status::kFalse, api::reason::kNotPaused);
}

}  // namespace

api::CloudConfig report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::CloudConfig after = *seen.object;
  const api::CloudConfigStatus before = after.status;
  auto& conditions = after.status.conditions;
  if (effects.has_secret) {
    after.status.initialization.data_secret_created = true;
    after.status.data_secret_name = Text(plan.secret_name);
  }
  if (auto ready = ready_condition(plan, effects))
    api::conditions::set(conditions, std::move(*ready), after.metadata.generation, seen.now);
  // "Not paused" is no news: it is said along with other news, or to take back that it was paused.
  const bool says_paused = api::conditions::is_true(before.conditions, condition::kPaused);
  if (plan.paused.paused || says_paused || !(after.status == before))
    api::conditions::set(conditions, paused_condition(plan.paused), after.metadata.generation, seen.now);
  api::conditions::sort(conditions);
  if (!(after.status == before)) after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::bootstrap::controller
