#include "controllers/lifecycle/rules.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/names.h"
#include "api/schema/defaults.h"
#include "controllers/lifecycle/annotations.h"

namespace capstan::controllers::lifecycle {
namespace {

namespace annotation = api::policy::annotation;

// The schema of a group says what holds where the group does not.
template <typename Group>
Group with_defaults(Group group) {
  api::apply_defaults(group);
  return group;
}

void apply_creation(const api::MachineLifecyclePolicySpec& policy, Rules& rules) {
  if (!policy.creation) return;
  rules.creation_timeout =
      Seconds(policy.creation->timeout_seconds.value_or(api::PolicyCreation::kTimeoutSeconds));
}

void apply_node_checks(const api::MachineLifecyclePolicySpec& policy, Rules& rules) {
  if (!policy.health.node_checks) return;
  const auto checks = with_defaults(*policy.health.node_checks);
  rules.bad_conditions = checks.unhealthy_node_conditions;
  rules.blocking_taints = checks.require_taints_gone;
  rules.heeds_requests = true;
  if (!checks.disable_timeout.value_or(false))
    rules.health_timeout = Seconds(checks.timeout_seconds.value_or(api::NodeChecks::kTimeoutSeconds));
}

// What the policy leaves off an annotation does not switch on.
void apply_override(const api::Machine& machine, std::string_view key, std::optional<Seconds>& timeout,
                    Rules& rules) {
  const auto said = whole_number(machine.metadata, key, kSecondsOfATimeout);
  if (!said.problem.empty()) rules.ignored.push_back(said.problem);
  if (timeout && said.value) timeout = Seconds(*said.value);
}

}  // namespace

Rules rules_for(const api::MachineLifecyclePolicySpec& policy, const api::Machine& machine) {
  Rules rules;
  apply_creation(policy, rules);
  apply_node_checks(policy, rules);
  apply_override(machine, annotation::kCreationTimeout, rules.creation_timeout, rules);
  apply_override(machine, annotation::kHealthTimeout, rules.health_timeout, rules);
  for (std::string& problem : ignored_without_rules(machine)) rules.ignored.push_back(std::move(problem));
  if (machine.metadata.annotations.contains(api::annotation::kSkipRemediation)) {
    rules.creation_timeout.reset();
    rules.health_timeout.reset();
    rules.heeds_requests = false;
  }
  return rules;
}

std::vector<std::string> ignored_without_rules(const api::Machine& machine) {
  auto priority = whole_number(machine.metadata, annotation::kDeletionPriority, kDeletionPriorities);
  if (priority.problem.empty()) return {};
  return {std::move(priority.problem)};
}

std::int32_t max_in_flight(const api::MachineLifecyclePolicySpec& policy, std::int32_t replicas) {
  const auto group = with_defaults(policy.replacement.value_or(api::PolicyReplacement()));
  const auto limit = scaled_value(*group.max_in_flight, replicas, Rounding::Up);
  return limit ? std::max(*limit, 1) : 1;
}

std::string in_words_max_in_flight(const api::MachineLifecyclePolicySpec& policy, std::int32_t replicas) {
  const std::int32_t allowed = max_in_flight(policy, replicas);
  if (policy.replacement && policy.replacement->max_in_flight)
    return fmt::format("the policy's replacement.maxInFlight allows {}", allowed);
  return fmt::format("the policy has no replacement.maxInFlight, which allows {}", allowed);
}

std::vector<Phase> counted_phases(const api::MachineLifecyclePolicySpec& policy) {
  std::vector<Phase> phases;
  for (const Text& word : with_defaults(policy.replacement.value_or(api::PolicyReplacement())).count_states) {
    if (const auto phase = parse_phase(word.view())) phases.push_back(*phase);
  }
  return phases;
}

Seconds victims_expiry(const api::MachineLifecyclePolicySpec* policy) {
  const bool says = policy != nullptr && policy->scale_in && policy->scale_in->expiry_seconds;
  return Seconds(says ? *policy->scale_in->expiry_seconds : api::PolicyScaleIn::kExpirySeconds);
}

}  // namespace capstan::controllers::lifecycle
