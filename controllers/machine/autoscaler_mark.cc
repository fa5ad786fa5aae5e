#include "controllers/machine/autoscaler_mark.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::controllers::machine {
namespace {

namespace mark = api::policy::annotation;

constexpr std::string_view kDisabled = "true";

bool is_wanted_by(const api::MachineLifecyclePolicy& policy) {
  return policy.spec.rollout && policy.spec.rollout->scale_down_disabled.value_or(true);
}

// Of a MachineSet, or it may be.
bool may_roll(const Observation& seen) {
  if (seen.machine_set) return seen.machine_set->metadata.labels.contains(api::label::kDeploymentName);
  const auto* owner = seen.machine->metadata.controller();
  return owner != nullptr && owner->kind == api::kind::kMachineSet;
}

void disable_scale_down(const api::Node& node, NodeChange& change) {
  const auto& present = node.metadata.annotations;
  if (present.value_or_empty(mark::kScaleDownDisabled) == kDisabled) return;
  change.annotations.emplace_back(Text(mark::kScaleDownDisabled), Text(kDisabled));
  if (!present.contains(mark::kScaleDownDisabledByUs))
    change.annotations.emplace_back(Text(mark::kScaleDownDisabledByUs), Text(kDisabled));
}

void enable_scale_down(const api::Node& node, NodeChange& change) {
  const auto& present = node.metadata.annotations;
  if (!present.contains(mark::kScaleDownDisabledByUs)) return;
  if (present.contains(mark::kScaleDownDisabled))
    change.annotations.emplace_back(Text(mark::kScaleDownDisabled), std::nullopt);
  change.marks_off.emplace_back(mark::kScaleDownDisabledByUs);
}

}  // namespace

std::optional<bool> is_kept_for_rollout(const Observation& seen) {
  if (!seen.policy_known) return std::nullopt;
  if (!seen.governed_by || !is_wanted_by(*seen.governed_by) || !may_roll(seen)) return false;
  if (!seen.deployment) return std::nullopt;
  return api::conditions::is_true(seen.deployment->status.conditions, api::condition::kRollingOut);
}

// For a rollout what a user has said stays, also that the Node may go.
void mark_for_autoscaler(const AutoscalerWish& wish, const api::Node& node, NodeChange& change) {
  if (wish.preserved) return disable_scale_down(node, change);
  if (!wish.rolling) return;
  if (!*wish.rolling) return enable_scale_down(node, change);
  const auto& present = node.metadata.annotations;
  if (!present.contains(mark::kScaleDownDisabled) || present.contains(mark::kScaleDownDisabledByUs))
    disable_scale_down(node, change);
}

}  // namespace capstan::controllers::machine
