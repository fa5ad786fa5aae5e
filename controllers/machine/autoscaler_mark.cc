#include "controllers/machine/autoscaler_mark.h"

#include <algorithm>
#include <array>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/lifecycle/aliases.h"

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

// Ours, and that of machine-controller-manager where it has left its Nodes to us.
std::array<std::string_view, 2> proofs() {
  return {mark::kScaleDownDisabledByUs, lifecycle::mcm_alias_of(mark::kScaleDownDisabledByUs)};
}

bool is_ours(const api::Labels& annotations) {
  return std::ranges::any_of(proofs(), [&](std::string_view proof) { return annotations.contains(proof); });
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
  if (!is_ours(present) && !is_off(Safeguard::UsersScaleDown)) return;
  if (present.contains(mark::kScaleDownDisabled))
    change.annotations.emplace_back(Text(mark::kScaleDownDisabled), std::nullopt);
  for (const std::string_view proof : proofs())
    if (present.contains(proof)) change.marks_off.emplace_back(proof);
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
  if (!present.contains(mark::kScaleDownDisabled) || is_ours(present)) disable_scale_down(node, change);
}

}  // namespace capstan::controllers::machine
