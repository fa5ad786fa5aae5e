#include "controllers/drain/choices.h"

#include <fmt/format.h>

#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/annotations.h"

namespace capstan::controllers::drain {
namespace {

namespace annotation = api::policy::annotation;
namespace mcm = api::policy::mcm;

void note(std::string problem, DrainChoices& choices) {
  if (!problem.empty()) choices.ignored.push_back(std::move(problem));
}

void read_force(const api::Labels& values, std::string_view what, DrainChoices& choices) {
  auto flag = lifecycle::flag_in(values, what, annotation::kForceDeletion);
  note(std::move(flag.problem), choices);
  if (flag.is_on && choices.by_force.empty()) choices.by_force = fmt::format("{} {}", what, flag.key);
}

void read_timeout(const api::ObjectMeta& machine, DrainChoices& choices) {
  auto seconds = lifecycle::whole_number(machine, annotation::kDrainTimeout, lifecycle::kSecondsOfATimeout);
  note(std::move(seconds.problem), choices);
  choices.timeout_seconds = seconds.value;
}

VolumeWaits waits_of(const api::VolumesInTurn& policy) {
  return {.detach = Seconds(policy.detach_seconds.value_or(api::VolumesInTurn::kDetachSeconds)),
          .reattach = Seconds(policy.reattach_seconds.value_or(api::VolumesInTurn::kReattachSeconds))};
}

void read_on_timeout(const api::DrainOnTimeout& policy, DrainChoices& choices) {
  choices.force_on_timeout = policy.force_deletes();
  choices.default_timeout_seconds = policy.timeout_seconds.value_or(api::DrainOnTimeout::kTimeoutSeconds);
}

void read_policy(const api::PolicyDrain& policy, DrainChoices& choices) {
  choices.explain_budgets = true;
  if (policy.on_timeout) read_on_timeout(*policy.on_timeout, choices);
  if (policy.not_ready_force)
    choices.not_ready_seconds =
        policy.not_ready_force->after_seconds.value_or(api::NotReadyForce::kAfterSeconds);
  if (policy.eviction_retries)
    choices.eviction_seconds = policy.eviction_retries->most.value_or(api::EvictionRetries::kMost) *
                               api::EvictionRetries::kPeriodSeconds;
  if (policy.volumes_in_turn) choices.volumes_in_turn = waits_of(*policy.volumes_in_turn);
  choices.deletes_attachments = choices.deletes_attachments || policy.attachment_cleanup.has_value();
}

}  // namespace

DrainChoices drain_choices(const api::ObjectMeta& machine, const api::MachineLifecyclePolicySpec* policy) {
  DrainChoices choices;
  read_force(machine.labels, "label", choices);
  read_force(machine.annotations, "annotation", choices);
  choices.deletes_attachments = !choices.by_force.empty();
  read_timeout(machine, choices);
  if (policy != nullptr) read_policy(policy->drain, choices);
  return choices;
}

std::string force_of_a_drain(const api::ObjectMeta& machine) {
  const bool forced = lifecycle::accepts_mcm_aliases() &&
                      machine.labels.value_or_empty(mcm::kForceDrain) == mcm::kForceDrainValue;
  return forced ? fmt::format("label {}", mcm::kForceDrain) : std::string();
}

std::optional<std::int32_t> drain_timeout(const api::Machine& machine, const DrainChoices& choices) {
  if (choices.timeout_seconds) return choices.timeout_seconds;
  const auto& of_spec = machine.spec.deletion.node_drain_timeout_seconds;
  return of_spec ? of_spec : choices.default_timeout_seconds;
}

}  // namespace capstan::controllers::drain
