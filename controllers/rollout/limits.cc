#include "controllers/rollout/limits.h"

#include "base/try.h"

namespace capstan::controllers::rollout {
namespace {

Result<Count> resolved(const std::optional<IntOrString>& value, std::int32_t total, Rounding rounding,
                       std::string_view field) {
  if (!value) return 0;
  const auto number = scaled_value(*value, total, rounding);
  if (!number) return fail(number.error().context(field));
  return std::max<Count>(*number, 0);
}

}  // namespace

bool is_on_delete(const api::MachineDeployment& deployment) {
  const auto& strategy = deployment.spec.rollout.strategy;
  return strategy && strategy->type == api::rollout_strategy::kOnDelete;
}

Result<Limits> limits_of(const api::MachineDeployment& deployment) {
  const std::int32_t desired = deployment.spec.replicas.value_or(0);
  Limits limits{.desired = desired};
  if (is_on_delete(deployment) || !deployment.spec.rollout.strategy) return limits;
  const api::RollingUpdate& given = deployment.spec.rollout.strategy->rolling_update;
  limits.surge =
      TRY(resolved(given.max_surge, desired, Rounding::Up, "spec.rollout.strategy.rollingUpdate.maxSurge"));
  limits.unavailable = TRY(resolved(given.max_unavailable, desired, Rounding::Down,
                                    "spec.rollout.strategy.rollingUpdate.maxUnavailable"));
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  limits.unavailable = std::min(limits.unavailable, limits.desired);
  return limits;
}

}  // namespace capstan::controllers::rollout
