#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::builders {

using api::MachineLifecyclePolicy;

MachineLifecyclePolicyBuilder::MachineLifecyclePolicyBuilder(std::string_view name)
    : ConditionedBuilder(MachineLifecyclePolicy{}) {
  object_.metadata = metadata_of(api::policy::kind::kMachineLifecyclePolicy, name);
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::selecting(std::string_view key,
                                                                        std::string_view value) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.selector.match_labels.set(key, value); });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::selecting_everything() {
  return change([](MachineLifecyclePolicy& policy) { policy.spec.selector = {}; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::shared_cause(const api::SharedCause& cause) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.health.shared_cause = cause; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::drains_machine_pools() {
  return change([](MachineLifecyclePolicy& policy) { policy.spec.drain.machine_pools = true; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::drain_on_timeout(std::string_view action) {
  return change([&](MachineLifecyclePolicy& policy) {
    policy.spec.drain.on_timeout = api::DrainOnTimeout{.action = Text(action)};
  });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::not_ready_force(
    const api::NotReadyForce& force) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.drain.not_ready_force = force; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::eviction_retries(std::int32_t most) {
  return change([&](MachineLifecyclePolicy& policy) {
    policy.spec.drain.eviction_retries = api::EvictionRetries{.most = most};
  });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::volumes_in_turn(
    const api::VolumesInTurn& waits) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.drain.volumes_in_turn = waits; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::attachment_cleanup() {
  return change([&](MachineLifecyclePolicy& policy) {
    policy.spec.drain.attachment_cleanup = api::AttachmentCleanup();
  });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::node_checks(const api::NodeChecks& checks) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.health.node_checks = checks; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::creation_timeout(std::int32_t seconds) {
  return change([&](MachineLifecyclePolicy& policy) {
    policy.spec.creation = api::PolicyCreation{.timeout_seconds = seconds};
  });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::max_in_flight(IntOrString limit) {
  return change([&](MachineLifecyclePolicy& policy) {
    policy.spec.replacement = api::PolicyReplacement{.max_in_flight = limit};
  });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::scale_in(const api::PolicyScaleIn& scale_in) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.scale_in = scale_in; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::rollout(const api::PolicyRollout& rollout) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.rollout = rollout; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::overshoot(
    const api::PolicyOvershoot& overshoot) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.overshoot = overshoot; });
}

MachineLifecyclePolicyBuilder& MachineLifecyclePolicyBuilder::preservation(
    const api::PolicyPreservation& preservation) {
  return change([&](MachineLifecyclePolicy& policy) { policy.spec.preservation = preservation; });
}

MachineLifecyclePolicyBuilder a_policy(std::string_view name) { return MachineLifecyclePolicyBuilder(name); }

}  // namespace capstan::builders
