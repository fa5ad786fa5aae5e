#include "controllers/drain/choices.h"

#include <fmt/format.h>

#include "api/policy/names.h"
#include "controllers/lifecycle/annotations.h"

namespace capstan::controllers::drain {
namespace {

namespace annotation = api::policy::annotation;

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

void read_policy(const api::PolicyDrain& policy, DrainChoices& choices) {
  choices.explain_budgets = true;
  choices.force_on_timeout = policy.on_timeout && policy.on_timeout->force_deletes();
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

}  // namespace capstan::controllers::drain
