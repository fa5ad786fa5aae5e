#include "controllers/machinedeployment/conditions_v1beta1.h"

#include <fmt/format.h>

#include "api/conditions/v1beta1.h"
#include "api/names.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace condition = api::v1beta1_condition;
namespace reason = api::v1beta1_reason;
namespace v1beta1 = api::conditions::v1beta1;

api::V1Beta1Condition available(const Observation& seen, const api::V1Beta1MachineDeploymentStatus& old) {
  const auto limits = rollout::limits_of(seen.deployment)
                          .value_or(rollout::Limits{.desired = seen.deployment.spec.replicas.value_or(0)});
  if (old.available_replicas >= limits.least_available()) return v1beta1::yes(condition::kAvailable);
  return v1beta1::no(condition::kAvailable, reason::kWaitingForAvailableMachines, api::severity::kWarning,
                     fmt::format("Minimum availability requires {} replicas, current {} available",
                                 limits.least_available(), old.available_replicas));
}

std::optional<api::V1Beta1Condition> machine_set_ready(const Plan& plan) {
  if (!plan.newest) {
    return v1beta1::no(condition::kMachineSetReady, reason::kWaitingForMachineSet, api::severity::kInfo,
                       "MachineSet not found");
  }
  const auto& status = plan.newest->status.deprecated;
  const api::V1Beta1ConditionPlace ready =
      status && status->v1beta1 ? v1beta1::find(status->v1beta1->conditions, condition::kReady) : nullptr;
  return v1beta1::mirror(
      ready, condition::kMachineSetReady,
      v1beta1::Fallback{
          .value = false, .reason = reason::kWaitingForMachineSet, .severity = api::severity::kInfo});
}

}  // namespace

void set_v1beta1_conditions(const Observation& seen, const Plan& plan,
                            api::V1Beta1MachineDeploymentStatus& old) {
  auto& list = old.conditions;
  v1beta1::set(list, available(seen, old), seen.now);
  if (auto ready = machine_set_ready(plan)) v1beta1::set(list, std::move(*ready), seen.now);
  auto summary = v1beta1::summary(list, {.types = {condition::kAvailable, condition::kMachineSetReady}});
  if (summary) v1beta1::set(list, std::move(*summary), seen.now);
}

}  // namespace capstan::controllers::machinedeployment
