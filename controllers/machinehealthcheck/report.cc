#include "controllers/machinehealthcheck/report.h"

#include <fmt/format.h>

#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/conditions/v1beta1.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace old = api::conditions::v1beta1;
namespace old_condition = api::v1beta1_condition;
namespace old_reason = api::v1beta1_reason;
namespace reason = api::reason;
namespace status = api::status;

constexpr std::size_t kMaxTargets = 10000;
constexpr std::size_t kNames = 3;

void show_targets(const Observation& seen, const Plan& plan, api::MachineHealthCheckStatus& into) {
  into.expected_machines = plan.counts.targets;
  into.current_healthy = plan.counts.healthy;
  into.targets.clear();
  for (const Target& target : seen.targets) {
    if (into.targets.size() < kMaxTargets) into.targets.push_back(target.machine->metadata.name);
  }
}

// Allowed, but perhaps of no use: users look here first.
std::string advice(const Observation& seen, const Effects& effects) {
  if (!seen.selector_problem.empty()) return seen.selector_problem + "; no Machine is checked";
  if (seen.targets.empty())
    return fmt::format(
        "spec.selector matches no Machine of Cluster {}; compare it with the labels of the "
        "Machines it is meant for",
        seen.check->spec.cluster_name.view());
  if (!effects.template_found.value_or(true))
    return fmt::format(
        "{}; make it, or leave spec.remediation.templateRef out to have Machines replaced by "
        "their owners",
        effects.template_problem);
  if (!seen.rival_policies.empty())
    return fmt::format("MachineLifecyclePolicies {} select the same objects, so none of them applies",
                       conditions::name_list(seen.rival_policies, kNames));
  if (seen.overlapping.empty()) return {};
  return fmt::format(
      "some Machines are selected by MachineHealthCheck {} as well, and marked by whichever finds them sick; "
      "narrow spec.selector",
      conditions::name_list(seen.overlapping, kNames));
}

// What the machines share broke; and if there are too many of them as well, that too.
std::string shared_cause_message(const Observation& seen, const Plan& plan) {
  std::string text = describe(plan.shared_cause, seen.check->spec.cluster_name);
  if (!plan.allowance.allowed()) text += "\n" + plan.allowance.message;
  return text;
}

bool is_held(const Plan& plan) {
  return plan.shared_cause.holds() && plan.allowance.state != Allowance::State::Invalid &&
         plan.allowance.state != Allowance::State::Refused;
}

api::Condition remediation_allowed(const Observation& seen, const Plan& plan, const Effects& effects) {
  const Allowance& allowance = plan.allowance;
  if (is_held(plan))
    return conditions::make(condition::kRemediationAllowed, status::kFalse, api::policy::reason::kSharedCause,
                            shared_cause_message(seen, plan));
  const auto make = [](std::string_view value, std::string_view why, std::string_view message) {
    return conditions::make(condition::kRemediationAllowed, value, why, message);
  };
  switch (allowance.state) {
    case Allowance::State::Allowed:
      return make(status::kTrue, reason::kRemediationAllowed, advice(seen, effects));
    case Allowance::State::Restricted:
      return make(status::kFalse, reason::kTooManyUnhealthy, allowance.message);
    case Allowance::State::Held: return make(status::kFalse, kHeld, allowance.message);
    case Allowance::State::Refused: return make(status::kFalse, kTemplateRefused, allowance.message);
    case Allowance::State::Invalid: return make(status::kUnknown, reason::kInternalError, allowance.message);
  }
  return make(status::kTrue, reason::kRemediationAllowed, {});
}

api::V1Beta1Condition old_remediation_allowed(const Observation& seen, const Plan& plan) {
  const Allowance& allowance = plan.allowance;
  if (is_held(plan))
    return old::no(old_condition::kRemediationAllowed, api::policy::reason::kSharedCause,
                   api::severity::kWarning, shared_cause_message(seen, plan));
  switch (allowance.state) {
    case Allowance::State::Allowed: break;
    case Allowance::State::Restricted:
      return old::no(old_condition::kRemediationAllowed, old_reason::kTooManyUnhealthy,
                     api::severity::kWarning, allowance.message);
    case Allowance::State::Held:
      return old::no(old_condition::kRemediationAllowed, kHeld, api::severity::kWarning, allowance.message);
    case Allowance::State::Refused:
      return old::no(old_condition::kRemediationAllowed, kTemplateRefused, api::severity::kError,
                     allowance.message);
    case Allowance::State::Invalid:
      return old::unknown(old_condition::kRemediationAllowed, reason::kInternalError, allowance.message);
  }
  return old::yes(old_condition::kRemediationAllowed);
}

// Shown when it went wrong, and taken back when it went well again.
void show_external(std::optional<bool> went_well, std::string_view type, std::string_view why,
                   std::string_view message, api::V1Beta1Conditions& list, Time now) {
  if (!went_well) return;
  if (!*went_well) {
    old::set(list, old::no(type, why, api::severity::kError, message), now);
  } else if (old::find(list, type) != nullptr) {
    old::set(list, old::yes(type), now);
  }
}

void show_verdict(const Observation& seen, const Plan& plan, const Effects& effects,
                  api::MachineHealthCheck& after) {
  const Time now = Time::from(seen.now);
  show_targets(seen, plan, after.status);
  const bool everywhere = std::ranges::any_of(
      plan.shared_cause.evidence, [](const Evidence& evidence) { return evidence.scope == Scope::Cluster; });
  after.status.remediations_allowed = everywhere ? 0 : plan.allowance.remediations_allowed;
  conditions::set(after.status.conditions, remediation_allowed(seen, plan, effects),
                  after.metadata.generation, now);
  auto& list = after.status.deprecated.ensure().v1beta1.ensure().conditions;
  old::set(list, old_remediation_allowed(seen, plan), now);
  show_external(effects.template_found, old_condition::kExternalRemediationTemplateAvailable,
                old_reason::kExternalRemediationTemplateNotFound, effects.template_problem, list, now);
  show_external(effects.request_made, old_condition::kExternalRemediationRequestAvailable,
                old_reason::kExternalRemediationRequestCreationFailed, {}, list, now);
}

void show_missing_cluster(const Observation& seen, api::MachineHealthCheck& after) {
  const std::string message = fmt::format(
      "spec.clusterName: Cluster {} does not exist in namespace {}; nothing is checked until it does",
      after.spec.cluster_name.view(), after.metadata.namespace_.view());
  const Time now = Time::from(seen.now);
  conditions::set(
      after.status.conditions,
      conditions::make(condition::kRemediationAllowed, status::kUnknown, kClusterMissing, message),
      after.metadata.generation, now);
  old::set(after.status.deprecated.ensure().v1beta1.ensure().conditions,
           old::unknown(old_condition::kRemediationAllowed, kClusterMissing, message), now);
}

}  // namespace

api::MachineHealthCheck report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::MachineHealthCheck after = effects.check;
  auto verdict = runtime::judge_pause(plan.pause, after.status.conditions, after.metadata.generation,
                                      Time::from(seen.now));
  after.status.conditions = std::move(verdict.conditions);
  if (plan.pause.paused) return after;
  if (plan.cluster_missing) show_missing_cluster(seen, after);
  if (!plan.judged) return after;
  show_verdict(seen, plan, effects, after);
  const bool understood = plan.allowance.state != Allowance::State::Invalid;
  if (effects.errors.empty() && understood) after.status.observed_generation = after.metadata.generation;
  return after;
}

std::vector<Note> news(const Plan& plan, const api::MachineHealthCheck& before,
                       const api::MachineHealthCheck& after) {
  std::vector<Note> notes;
  const auto was = conditions::find(before.status.conditions, condition::kRemediationAllowed);
  const auto is = conditions::find(after.status.conditions, condition::kRemediationAllowed);
  // The numbers of a shared cause change as long as it spreads: once is enough.
  const bool said = was != nullptr && is != nullptr &&
                    (was->message == is->message ||
                     (is->reason == api::policy::reason::kSharedCause && was->reason == is->reason));
  // A few that merely start are no news.
  const bool matters = plan.allowance.state == Allowance::State::Invalid ||
                       plan.allowance.state == Allowance::State::Refused || plan.counts.unhealthy > 0 ||
                       plan.shared_cause.holds();
  if (is == nullptr || said) return notes;
  if (plan.cluster_missing) {
    notes.push_back({.code = api::NoteCode::CheckMisconfigured, .text = is->message.str()});
    return notes;
  }
  if (is->status != status::kTrue && matters)
    notes.push_back({.code = api::NoteCode::RemediationRestricted, .text = is->message.str()});
  // A check that is made before its Machines is none of it.
  if (is->status == status::kTrue && !is->message.empty() && (plan.counts.targets > 0 || plan.selects_none))
    notes.push_back({.code = api::NoteCode::CheckMisconfigured, .text = is->message.str()});
  return notes;
}

std::span<const std::string_view> owned_conditions() {
  static constexpr std::array kOwned = {condition::kPaused, condition::kRemediationAllowed,
                                        condition::kContested};
  return kOwned;
}

std::span<const std::string_view> owned_v1beta1_conditions() {
  static constexpr std::array kOwned = {old_condition::kRemediationAllowed,
                                        old_condition::kExternalRemediationTemplateAvailable,
                                        old_condition::kExternalRemediationRequestAvailable};
  return kOwned;
}

}  // namespace capstan::controllers::machinehealthcheck
