#include "controllers/machine/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/limits.h"
#include "api/conditions/merge.h"
#include "api/conditions/v1beta1.h"
#include "api/policy/names.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/lifecycle/node_template_rules.h"
#include "controllers/machine/external_conditions.h"
#include "controllers/machine/lifecycle_report.h"
#include "controllers/machine/node_conditions.h"
#include "controllers/machine/node_template_steps.h"
#include "controllers/machine/preservation_steps.h"
#include "controllers/machine/ready_summary.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machine {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace older = api::conditions::v1beta1;
namespace older_type = api::v1beta1_condition;
namespace phase = api::machine_phase;
namespace reason = api::reason;
namespace status = api::status;

constexpr std::array kOwned = {condition::kPaused,
                               condition::kAvailable,
                               condition::kReady,
                               condition::kUpToDate,
                               condition::kBootstrapConfigReady,
                               condition::kInfrastructureReady,
                               condition::kNodeReady,
                               condition::kNodeHealthy,
                               condition::kDeleting,
                               condition::kUpdating,
                               condition::kContested,
                               api::policy::condition::kLifecycle,
                               api::policy::condition::kPreserved,
                               lifecycle::kNodeTemplateCondition};
constexpr std::array kOlder = {older_type::kReady,
                               older_type::kBootstrapReady,
                               older_type::kInfrastructureReady,
                               older_type::kNodeHealthy,
                               older_type::kDrainingSucceeded,
                               older_type::kVolumeDetachSucceeded,
                               older_type::kPreDrainDeleteHookSucceeded,
                               older_type::kPreTerminateDeleteHookSucceeded};

void copy_values(const Plan& plan, api::Machine& after);
void failure(const Observation& seen, const Plan& plan, api::Machine& after);
bool went_well(const Plan& plan, const Effects& effects);

// Sets conditions of one Machine.
class ConditionWriter {
 public:
  ConditionWriter(api::Machine& after, Time now) : after_(after), now_(now) {}
  void set(api::Condition wanted) {
    conditions::set(after_.status.conditions, std::move(wanted), after_.metadata.generation, now_);
  }
  void set(std::optional<api::Condition> wanted) {
    if (wanted) set(std::move(*wanted));
  }
  void set(std::optional<api::V1Beta1Condition> wanted) {
    if (!wanted) return;
    older::set(after_.status.deprecated.ensure().v1beta1.ensure().conditions, std::move(*wanted), now_);
  }
  // Only the generation moves on.
  void keep(const api::Condition& unless_there) {
    const auto known = conditions::find(after_.status.conditions, unless_there.type);
    set(known == nullptr ? unless_there : api::Condition(*known));
  }

 private:
  api::Machine& after_;
  Time now_;
};

api::Condition paused(const Observation& seen);
// When to look at it again.
std::optional<Seconds> show_lifecycle(const Observation& seen, api::Machine& after);
std::optional<Seconds> show_preservation(const Observation& seen, const Effects& effects,
                                         api::Machine& after);
void show_node_template(const Observation& seen, const Plan& plan, api::Machine& after);
api::Condition deleting(const Effects& effects);
api::Condition updating(const api::Machine& machine);
std::string_view phase_of(const api::Machine& after);
void v1beta1_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                        api::Machine& after);

}  // namespace

Report report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Report made{.machine = effects.machine};
  api::Machine& after = made.machine;
  copy_values(plan, after);
  if (effects.deletion) after.status.deletion = effects.deletion->marks;
  if (after.status.deletion && *after.status.deletion == api::MachineDeletionStatus())
    after.status.deletion.reset();
  failure(seen, plan, after);

  ConditionWriter write(after, seen.now);
  write.set(paused(seen));
  write.set(bootstrap_config_ready(seen, plan, after));
  write.set(infrastructure_ready(seen, plan, after));
  const auto node = node_conditions(seen, after);
  made.recheck = node.recheck;
  if (node.keep) {
    write.keep(node.ready);
    write.keep(node.healthy);
  } else {
    write.set(node.ready);
    write.set(node.healthy);
  }
  write.set(deleting(effects));
  write.set(updating(after));
  if (has_lost_its_template(seen)) conditions::remove(after.status.conditions, condition::kUpToDate);
  write.set(up_to_date(seen, after));
  recheck_within(made.recheck, show_lifecycle(seen, after));
  recheck_within(made.recheck, show_preservation(seen, effects, after));
  show_node_template(seen, plan, after);
  write.set(ready(after, seen.now));
  const auto available_now = available(after, seen.now);
  write.set(available_now.condition);
  recheck_within(made.recheck, available_now.recheck);
  recheck_within(made.recheck, rollout_due_in(seen));

  v1beta1_conditions(seen, plan, effects, after);
  const std::string_view now_in = phase_of(after);
  if (after.status.phase != now_in) after.status.last_updated = seen.now;
  after.status.phase = Text(now_in);
  if (went_well(plan, effects)) after.status.observed_generation = after.metadata.generation;
  return made;
}

std::span<const std::string_view> owned_conditions() { return kOwned; }
std::span<const std::string_view> owned_v1beta1_conditions() { return kOlder; }

namespace {

void copy_values(const Plan& plan, api::Machine& after) {
  const auto& values = plan.wanted.status;
  after.status.initialization = values.initialization;
  after.status.node_ref = values.node_ref;
  after.status.node_info = values.node_info;
  after.status.addresses = values.addresses;
  after.status.failure_domain = values.failure_domain;
  after.status.certificates_expiry_date = values.certificates_expiry_date;
}

// A lost race is no failure: the next turn is due already.
bool went_well(const Plan& plan, const Effects& effects) {
  return !effects.failed && plan.troubles.empty() &&
         std::ranges::all_of(effects.errors, [](const Error& error) { return error.code == Code::Conflict; });
}

void say_failure(api::Machine& after, std::string_view failure_reason, const std::string& message) {
  auto& block = after.status.deprecated.ensure().v1beta1.ensure();
  if (!failure_reason.empty()) block.failure_reason = Text(failure_reason);
  if (message.empty()) return;
  block.failure_message = FreeText(message);
  conditions::cut(block.failure_message, conditions::kMaxV1Beta1Message);
}

void copy_failures(const ExternalSeen& external, const api::contract::Failures& failures,
                   api::Machine& after) {
  if (!failures.any()) return;
  const std::string prefix =
      fmt::format("Failure detected from referenced resource {}, Kind={} with name \"{}\": ",
                  external.resource.api_version(), external.resource.kind, external.key.name);
  say_failure(after, failures.reason, failures.message.empty() ? std::string() : prefix + failures.message);
}

// Set once, never cleared: the older clients' word for what needs a human.
void failure(const Observation& seen, const Plan& plan, api::Machine& after) {
  copy_failures(seen.bootstrap, plan.bootstrap.failures, after);
  copy_failures(seen.infra, plan.infra.failures, after);
  const bool provisioned = after.status.initialization.infrastructure_provisioned.value_or(false);
  if (!seen.infra.missing() || !provisioned || seen.deleting()) return;
  say_failure(
      after, api::v1beta1_reason::kInvalidConfiguration,
      fmt::format(
          "Machine infrastructure resource {} {}/{} has been deleted after provisioning was completed",
          after.spec.infrastructure_ref.kind.view(), after.metadata.namespace_.view(),
          after.spec.infrastructure_ref.name.view()));
}

api::Condition paused(const Observation& seen) {
  const auto pause = pause_of(seen.cluster.get(), seen.machine->metadata, api::kind::kMachine);
  if (!pause.paused) return conditions::make(condition::kPaused, status::kFalse, reason::kNotPaused);
  return conditions::make(condition::kPaused, status::kTrue, reason::kPaused, pause.message);
}

std::optional<Seconds> show_lifecycle(const Observation& seen, api::Machine& after) {
  const auto made = lifecycle_report(seen, after);
  if (made.condition) {
    ConditionWriter(after, seen.now).set(made.condition);
  } else if (!made.keep) {
    conditions::remove(after.status.conditions, api::policy::condition::kLifecycle);
  }
  return made.recheck;
}

std::optional<Seconds> show_preservation(const Observation& seen, const Effects& effects,
                                         api::Machine& after) {
  const auto made = preservation_report(seen, after, effects.emptying);
  if (made.condition) {
    ConditionWriter(after, seen.now).set(made.condition);
  } else {
    conditions::remove(after.status.conditions, api::policy::condition::kPreserved);
  }
  return made.recheck;
}

void show_node_template(const Observation& seen, const Plan& plan, api::Machine& after) {
  const auto made = node_template_report(seen, plan);
  if (made.condition) {
    ConditionWriter(after, seen.now).set(made.condition);
  } else if (!made.keep) {
    conditions::remove(after.status.conditions, lifecycle::kNodeTemplateCondition);
  }
}

api::Condition deleting(const Effects& effects) {
  if (!effects.deletion) return conditions::make(condition::kDeleting, status::kFalse, reason::kNotDeleting);
  return conditions::make(condition::kDeleting, status::kTrue, effects.deletion->reason,
                          effects.deletion->message);
}

api::Condition updating(const api::Machine& machine) {
  if (auto in_place = inplace::updating_condition(machine)) return std::move(*in_place);
  if (!machine.metadata.annotations.contains(api::annotation::kUpdateInProgress)) {
    return conditions::make(condition::kUpdating, status::kFalse, reason::kNotUpdating);
  }
  // Another controller makes the update; a failure that it has reported stays.
  const auto known = conditions::find(machine.status.conditions, condition::kUpdating);
  if (known != nullptr && known->status == status::kTrue) return *known;
  return conditions::make(condition::kUpdating, status::kTrue, reason::kInPlaceUpdating,
                          "In-place update in progress");
}

std::string_view phase_of(const api::Machine& after) {
  const auto& now = after.status;
  std::string_view in = now.phase.empty() ? phase::kPending : now.phase.view();
  const bool provisioned = now.initialization.infrastructure_provisioned.value_or(false);
  if (now.initialization.bootstrap_data_secret_created.value_or(false) && !provisioned)
    in = phase::kProvisioning;
  if (!after.spec.provider_id.empty()) in = phase::kProvisioned;
  if (now.node_ref && provisioned) in = phase::kRunning;
  if (conditions::is_true(now.conditions, condition::kUpdating)) in = phase::kUpdating;
  if (after.metadata.deleting()) in = phase::kDeleting;
  return in;
}

std::optional<api::V1Beta1Condition> v1beta1_ready(const api::Machine& after) {
  const auto& block = after.status.deprecated;
  if (!block || !block->v1beta1) return std::nullopt;
  return older::summary(
      block->v1beta1->conditions,
      {.types = {older_type::kInfrastructureReady, older_type::kBootstrapReady,
                 older_type::kHealthCheckSucceeded, older_type::kOwnerRemediated,
                 older_type::kDrainingSucceeded},
       .step_counter = !after.metadata.deleting() && after.spec.provider_id.empty(),
       .step_counter_only_for = std::vector{older_type::kInfrastructureReady, older_type::kBootstrapReady}});
}

// A DELETE has been sent for its infrastructure.
bool is_leaving(const Effects& effects) {
  constexpr std::array kReasons = {reason::kWaitingForInfrastructureDeletion,
                                   reason::kWaitingForBootstrapDeletion, reason::kDeletingNode,
                                   reason::kDeletionCompleted};
  return effects.deletion && std::ranges::find(kReasons, effects.deletion->reason) != kReasons.end();
}

// A condition that is set twice in one report changes with each of the two, and so does its time.
bool names_the_node(const Effects& effects) {
  return effects.deletion && std::ranges::any_of(effects.deletion->older, [](const auto& each) {
           return each.type == older_type::kNodeHealthy;
         });
}

void v1beta1_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                        api::Machine& after) {
  ConditionWriter write(after, seen.now);
  write.set(v1beta1_bootstrap_ready(seen, plan));
  write.set(v1beta1_infrastructure_ready(seen, plan));
  if (!names_the_node(effects)) write.set(v1beta1_node_healthy(seen, after, is_leaving(effects)));
  if (effects.deletion) {
    for (const auto& each : effects.deletion->older) write.set(std::optional(each));
  }
  write.set(v1beta1_ready(after));
}

}  // namespace
}  // namespace capstan::controllers::machine
