// a_policy("p").selecting("team", "a").shared_cause(): a MachineLifecyclePolicy that selects by labels and
// switches on what the test is about.
#pragma once

#include "api/policy/machine_lifecycle_policy.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class MachineLifecyclePolicyBuilder
    : public ConditionedBuilder<MachineLifecyclePolicyBuilder, api::MachineLifecyclePolicy> {
 public:
  explicit MachineLifecyclePolicyBuilder(std::string_view name);

  MachineLifecyclePolicyBuilder& selecting(std::string_view key, std::string_view value);
  MachineLifecyclePolicyBuilder& selecting_everything();
  MachineLifecyclePolicyBuilder& shared_cause(const api::SharedCause& cause = {});
  MachineLifecyclePolicyBuilder& drains_machine_pools();
  MachineLifecyclePolicyBuilder& drain_on_timeout(std::string_view action);
  MachineLifecyclePolicyBuilder& not_ready_force(const api::NotReadyForce& force = {});
  MachineLifecyclePolicyBuilder& eviction_retries(std::int32_t most);
  MachineLifecyclePolicyBuilder& volumes_in_turn(const api::VolumesInTurn& waits = {});
  MachineLifecyclePolicyBuilder& attachment_cleanup();
  // Each of them makes Machines report their life cycle.
  MachineLifecyclePolicyBuilder& node_checks(const api::NodeChecks& checks = {});
  MachineLifecyclePolicyBuilder& creation_timeout(std::int32_t seconds);
  MachineLifecyclePolicyBuilder& max_in_flight(IntOrString limit);
  MachineLifecyclePolicyBuilder& scale_in(const api::PolicyScaleIn& scale_in = {});
  // No Machine reports anything for it.
  MachineLifecyclePolicyBuilder& rollout(const api::PolicyRollout& rollout = {});
  MachineLifecyclePolicyBuilder& overshoot(const api::PolicyOvershoot& overshoot = {});
  MachineLifecyclePolicyBuilder& preservation(const api::PolicyPreservation& preservation = {});
};

MachineLifecyclePolicyBuilder a_policy(std::string_view name = "p");

}  // namespace capstan::builders
