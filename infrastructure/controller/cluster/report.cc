#include "infrastructure/controller/cluster/report.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace condition = api::condition;
namespace status = api::status;

std::optional<api::Condition> ready_condition(const Plan& plan, const Effects& effects) {
  const auto no = [](std::string_view why, std::string_view message) {
    return api::conditions::make(condition::kReady, status::kFalse, why, message);
  };
  if (effects.trouble) return no(effects.trouble->reason, effects.trouble->message);
  if (effects.provided)
    return api::conditions::make(condition::kReady, status::kTrue, api::driver::reason::kReady);
  if (plan.step == Step::Wait) return no(plan.reason, plan.message);
  return std::nullopt;
}

api::Condition paused_condition(const runtime::Paused& paused) {
  if (paused.paused)
    return api::conditions::make(condition::kPaused, status::kTrue, api::reason::kPaused, paused.message);
  return api::conditions::make(condition::kPaused, status::kFalse, api::reason::kNotPaused);
}

}  // namespace

api::DriverCluster report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::DriverCluster after = effects.object ? *effects.object : *seen.object;
  const api::DriverClusterStatus before = after.status;
  auto& conditions = after.status.conditions;
  if (effects.provided) after.status.initialization.provisioned = true;
  if (after.status.initialization.provisioned.value_or(false)) {
    after.status.failure_domains = after.spec.failure_domains;
    std::ranges::sort(after.status.failure_domains, {}, &api::FailureDomain::name);
  }
  if (auto ready = ready_condition(plan, effects))
    api::conditions::set(conditions, std::move(*ready), after.metadata.generation, seen.now);
  const bool says_paused = api::conditions::is_true(before.conditions, condition::kPaused);
  if (plan.paused.paused || says_paused || !(after.status == before))
    api::conditions::set(conditions, paused_condition(plan.paused), after.metadata.generation, seen.now);
  api::conditions::sort(conditions);
  if (!(after.status == before)) after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::infrastructure::cluster
