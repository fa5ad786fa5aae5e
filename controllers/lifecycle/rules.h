// What a MachineLifecyclePolicy asks for of one Machine: defaults filled in, the Machine's own annotations
// taken into account. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"
#include "controllers/lifecycle/phase.h"

namespace capstan::controllers::lifecycle {

struct Rules {
  std::optional<Seconds> creation_timeout = {};          // nothing: it may take for ever
  std::optional<Seconds> health_timeout = {};            // nothing: an Unhealthy one stays
  api::List<api::BadNodeCondition> bad_conditions = {};  // beside a Ready that is not True
  api::List<api::TaintIdentity> blocking_taints = {};    // of a Node that has just joined
  bool heeds_requests = false;  // a user may have it replaced now (request.h), whatever the timeout
  // Annotations whose values mean nothing, each with what they may be.
  std::vector<std::string> ignored = {};
};
Rules rules_for(const api::MachineLifecyclePolicySpec& policy, const api::Machine& machine);

// The same of a Machine whose policy asks for nothing of its life: what its deletion goes by all the same.
std::vector<std::string> ignored_without_rules(const api::Machine& machine);

// The policy's default where it says nothing, or nothing that can be understood.
std::int32_t max_in_flight(const api::MachineLifecyclePolicySpec& policy, std::int32_t replicas);
// "the policy's replacement.maxInFlight allows 1"
std::string in_words_max_in_flight(const api::MachineLifecyclePolicySpec& policy, std::int32_t replicas);
std::vector<Phase> counted_phases(const api::MachineLifecyclePolicySpec& policy);
Seconds victims_expiry(const api::MachineLifecyclePolicySpec* policy);  // null: there is no policy

}  // namespace capstan::controllers::lifecycle
