#include "controllers/machinedeployment/report.h"

#include <fmt/format.h>

#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/meta/label_selector.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/machinedeployment/conditions_v1beta1.h"
#include "controllers/machinedeployment/counters.h"
#include "controllers/machinedeployment/deployment_conditions.h"
#include "controllers/machinedeployment/machine_conditions.h"
#include "controllers/machinedeployment/own_condition.h"
#include "controllers/machinedeployment/progress.h"
#include "controllers/rollout/new_set.h"
#include "controllers/safety/frozen_condition.h"
#include "controllers/shared/held_up.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace condition = api::condition;
namespace phase = api::machine_deployment_phase;

constexpr std::array kOwned = {condition::kPaused,
                               condition::kAvailable,
                               condition::kMachinesReady,
                               condition::kMachinesUpToDate,
                               condition::kRollingOut,
                               condition::kScalingDown,
                               condition::kScalingUp,
                               condition::kRemediating,
                               condition::kDeleting,
                               condition::kContested,
                               kAvailableUnderPolicy,
                               api::policy::condition::kProgressing,
                               api::policy::condition::kFrozen};
constexpr std::array kOwnedOld = {api::v1beta1_condition::kReady, api::v1beta1_condition::kAvailable,
                                  api::v1beta1_condition::kMachineSetReady};

// What a set reports of Machines that are judged anew one by one after a change of the template may speak of
// the last one for a while. Those of an old set are none.
std::optional<std::int32_t> up_to_date_of(const Observation& seen) {
  constexpr auto kCounter = &api::MachineSetStatus::up_to_date_replicas;
  if (!sum_of(seen.sets, kCounter)) return std::nullopt;
  std::vector<Snapshot<api::MachineSet>> sets = seen.sets;
  const bool begun = rollout::has_begun_rollout_after(seen.deployment, seen.sets, seen.now);
  std::erase_if(sets, [&](const auto& set) { return !rollout::is_up_to_date(seen.deployment, *set, begun); });
  return sum_of(sets, kCounter).value_or(0);
}

void count(const Observation& seen, api::MachineDeploymentStatus& status) {
  using Set = api::MachineSetStatus;
  status.replicas = sum_of(seen.sets, &Set::replicas);
  status.ready_replicas = sum_of(seen.sets, &Set::ready_replicas);
  status.available_replicas = sum_of(seen.sets, &Set::available_replicas);
  status.up_to_date_replicas = up_to_date_of(seen);
  status.versions = versions_of(seen.sets);
  const auto selector = api::Selector::from(seen.deployment.spec.selector);
  if (selector) status.selector = Text(selector->str());
}

// Where a user looks for why nothing moves: on the conditions that say what is under way.
void show_brake(const Plan& plan, api::MachineDeployment& after, Time now) {
  if (plan.brake.empty()) return;
  for (const std::string_view type :
       {condition::kRollingOut, condition::kScalingUp, condition::kScalingDown}) {
    const auto said = api::conditions::find(after.status.conditions, type);
    if (said == nullptr || said->status != api::status::kTrue) continue;
    api::Condition fuller = *said;
    fuller.message = FreeText(fmt::format("{}\n* {}", fuller.message.view(), plan.brake));
    api::conditions::set(after.status.conditions, std::move(fuller), after.metadata.generation, now);
  }
}

std::string_view phase_of(const Observation& seen, const api::MachineDeploymentStatus& status) {
  if (seen.stored->metadata.deleting()) return phase::kScalingDown;
  if (!seen.deployment.spec.replicas) return phase::kUnknown;
  const std::int32_t desired = *seen.deployment.spec.replicas;
  const std::int32_t present = status.replicas.value_or(0);
  if (present == desired) return phase::kRunning;
  return present < desired ? phase::kScalingUp : phase::kScalingDown;
}

// The sets are counted as they are about to be, so that the next turn has nothing to add.
Count planned_growth(const Plan& plan) {
  Count growth = 0;
  for (const Action& action : plan.actions) {
    if (const auto* create = std::get_if<CreateSet>(&action)) growth += create->set.spec.replicas.value_or(0);
    if (const auto* change = std::get_if<ApplySet>(&action)) growth += change->to - change->from;
  }
  return growth;
}

void count_v1beta1(const Observation& seen, const Plan& plan, api::V1Beta1MachineDeploymentStatus& old) {
  const V1Beta1Counters sums = v1beta1_counters(seen.sets);
  const Count spec = sums.spec + planned_growth(plan);
  old.updated_replicas = plan.newest ? plan.newest->status.replicas.value_or(0) : 0;
  old.ready_replicas = static_cast<std::int32_t>(sums.ready);
  old.available_replicas = static_cast<std::int32_t>(sums.available);
  old.unavailable_replicas = static_cast<std::int32_t>(std::max<Count>(spec - sums.available, 0));
}

}  // namespace

std::span<const std::string_view> owned_conditions() { return kOwned; }
std::span<const std::string_view> owned_v1beta1_conditions() { return kOwnedOld; }

api::MachineDeployment report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::MachineDeployment after = *effects.deployment;
  auto& status = after.status;
  count(seen, status);
  status.phase = Text(phase_of(seen, status));
  const auto set = [&](api::Condition wanted) {
    api::conditions::set(status.conditions, std::move(wanted), after.metadata.generation, seen.now);
  };
  set(api::conditions::make(condition::kPaused, api::status::kFalse, api::reason::kNotPaused));
  set(available(seen, status));
  if (auto lowered = available_under_policy(seen, status)) {
    set(std::move(*lowered));
  } else {
    api::conditions::remove(status.conditions, kAvailableUnderPolicy);
  }
  set(machines_ready(seen));
  set(machines_up_to_date(seen));
  set(rolling_out(seen, plan));
  set(scaling_up(seen, plan, status));
  set(scaling_down(seen, plan, status));
  set(remediating(seen, plan));
  set(deleting(seen));
  show_brake(plan, after, seen.now);
  if (seen.complete)
    safety::show_frozen(seen.census.frozen, status.conditions, after.metadata.generation, seen.now);
  report_progress(seen, plan, effects, after);
  show_held_up(status.conditions, seen.machines, after.metadata.generation, seen.now);
  auto& old = status.deprecated.ensure().v1beta1.ensure();
  count_v1beta1(seen, plan, old);
  set_v1beta1_conditions(seen, plan, old);
  if (!effects.failed() && !plan.stuck) status.observed_generation = after.metadata.generation;
  return after;
}

}  // namespace capstan::controllers::machinedeployment
