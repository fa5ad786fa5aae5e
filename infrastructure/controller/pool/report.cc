#include "infrastructure/controller/pool/report.h"

#include <fmt/core.h>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {
namespace {

namespace condition = api::condition;
namespace reason = api::driver::reason;
namespace status = api::status;

// Some troubles come and go within seconds; people hear of them when they stay.
constexpr Seconds kPatience{60};

bool is_old(const Observation& seen) {
  const Time since = seen.object->metadata.deleting() ? seen.object->metadata.deletion_timestamp
                                                      : seen.object->metadata.creation_timestamp;
  return since.is_set() && seen.now > since && seen.now - since >= kPatience;
}

// What became true stays true: a group that lost all its instances is no new group.
void count(const Observation& seen, const Plan& plan, const api::DriverMachinePoolSpec& spec,
           api::DriverMachinePoolStatus& to) {
  to.replicas = static_cast<std::int32_t>(spec.provider_id_list.size());
  if (seen.with_machines()) to.infrastructure_machine_kind = Text(api::driver::kind::kDriverMachine);
  if (spec.provider_id_list.empty() && plan.wanted != 0U) return;
  to.initialization.provisioned = true;
  to.ready = true;
}

std::optional<api::Condition> ready_condition(const Observation& seen, const Plan& plan,
                                              const Effects& effects) {
  const auto no = [](std::string_view why, std::string_view message) {
    return api::conditions::make(condition::kReady, status::kFalse, why, message);
  };
  if (effects.trouble && (!effects.trouble->quiet || is_old(seen)))
    return no(effects.trouble->reason, effects.trouble->message);
  if (plan.step == Step::Wait && plan.report_wait) return no(plan.reason, plan.message);
  if (plan.step != Step::Size || !effects.there) return std::nullopt;
  if (!plan.wanted) return no(plan.reason, plan.message);
  const std::size_t listed = effects.object->spec.provider_id_list.size();
  if (*effects.there < *plan.wanted)
    return no(reason::kResizing, fmt::format("{} of {} instances are there", *effects.there, *plan.wanted));
  if (*effects.there > *plan.wanted || listed > *plan.wanted)
    return no(reason::kResizing, fmt::format("{} instances are there, {} are wanted",
                                             std::max(listed, *effects.there), *plan.wanted));
  return api::conditions::make(condition::kReady, status::kTrue, reason::kReady);
}

api::Condition paused_condition(const runtime::Paused& paused) {
  if (paused.paused)
    return api::conditions::make(condition::kPaused, status::kTrue, api::reason::kPaused, paused.message);
  return api::conditions::make(condition::kPaused, status::kFalse, api::reason::kNotPaused);
}

}  // namespace

api::DriverMachinePool report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::DriverMachinePool after = effects.object ? *effects.object : *seen.object;
  auto& conditions = after.status.conditions;
  const api::DriverMachinePoolStatus before = after.status;
  if (effects.there) count(seen, plan, after.spec, after.status);
  if (auto ready = ready_condition(seen, plan, effects))
    api::conditions::set(conditions, std::move(*ready), after.metadata.generation, seen.now);
  // "Not paused" is no news: it is said along with other news, or to take back that it was paused.
  const bool says_paused = api::conditions::is_true(before.conditions, condition::kPaused);
  if (plan.paused.paused || says_paused || !(after.status == before))
    api::conditions::set(conditions, paused_condition(plan.paused), after.metadata.generation, seen.now);
  api::conditions::sort(conditions);
  if (!(after.status == before)) after.status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::infrastructure::pool
