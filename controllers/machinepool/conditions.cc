#include "controllers/machinepool/conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/conditions/message.h"
#include "api/conditions/mirror.h"
#include "api/conditions/v1beta1.h"
#include "api/contract/foreign_conditions.h"
#include "api/policy/names.h"
#include "base/text_fmt.h"
#include "controllers/machinepool/counters.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinepool {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace contract = api::contract;
namespace older = api::conditions::v1beta1;
namespace older_reason = api::v1beta1_reason;
namespace older_type = api::v1beta1_condition;
namespace reason = api::reason;
namespace status = api::status;

constexpr std::size_t kNames = 3;
// How long a manager that has just started tries to reach a cluster before it takes back what stands there.
constexpr Seconds kComingUp{50};

// What the conditions of both provider objects have in common.
struct Subject {
  const ExternalSeen& seen;
  std::string_view target = {};
  std::string_view field = {};  // of the reference, for messages
  std::string_view kind = {};
  std::string_view done_field = {};
  std::string_view problem = {};  // nothing the object says can be believed
  bool done = false;              // by the pool's own flag
};
api::Condition shown(const Subject& subject);
api::Condition bootstrap_config_ready(const Observation& seen, const Plan& plan, const api::MachinePool& now);
api::Condition infrastructure_ready(const Observation& seen, const Plan& plan, const api::MachinePool& now);
api::Condition available(const api::MachinePool& now, const Plan& plan);
api::Condition scaling_up(const Observation& seen, const api::MachinePool& now, const Plan& plan);
api::Condition scaling_down(const Observation& seen, const api::MachinePool& now, const Plan& plan,
                            const Effects& effects);
std::optional<api::Condition> machines_ready(const Observation& seen, const api::MachinePool& now);
std::optional<api::Condition> machines_up_to_date(const Observation& seen);

}  // namespace

void set_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                    api::MachinePool& after) {
  auto& list = after.status.conditions;
  // A pool that comes this far is not paused.
  list = runtime::judge_pause({}, list, after.metadata.generation, seen.now).conditions;
  const auto set = [&](const api::Condition& wanted) {
    conditions::set(list, wanted, after.metadata.generation, seen.now);
  };
  set(bootstrap_config_ready(seen, plan, after));
  set(infrastructure_ready(seen, plan, after));
  set(available(after, plan));
  set(scaling_up(seen, after, plan));
  set(scaling_down(seen, after, plan, effects));
  if (const auto ready = machines_ready(seen, after)) set(*ready);
  if (const auto fresh = machines_up_to_date(seen)) {
    set(*fresh);
  } else if (seen.machines.state == MachinesSeen::State::Unsupported) {
    conditions::remove(list, condition::kMachinesUpToDate);
  }
  set(conditions::make(condition::kDeleting, status::kFalse, reason::kNotDeleting));
}

namespace {

// --- the provider's objects ---

api::Condition bootstrap_config_ready(const Observation& seen, const Plan& plan,
                                      const api::MachinePool& now) {
  const auto& bootstrap = now.spec.machine_template.spec.bootstrap;
  if (!bootstrap.config_ref && bootstrap.data_secret_name) {
    return conditions::make(condition::kBootstrapConfigReady, status::kTrue, reason::kDataSecretProvided);
  }
  if (!bootstrap.config_ref) {
    return conditions::make(
        condition::kBootstrapConfigReady, status::kFalse, reason::kNotReady,
        "spec.template.spec.bootstrap has neither configRef nor dataSecretName: set one of them");
  }
  return shown({.seen = seen.bootstrap,
                .target = condition::kBootstrapConfigReady,
                .field = "spec.template.spec.bootstrap.configRef",
                .kind = bootstrap.config_ref->kind,
                .done_field = "status.initialization.dataSecretCreated",
                .problem = plan.bootstrap.problem,
                .done = now.status.initialization.bootstrap_data_secret_created.value_or(false)});
}

api::Condition infrastructure_ready(const Observation& seen, const Plan& plan, const api::MachinePool& now) {
  const std::string_view kind = now.spec.machine_template.spec.infrastructure_ref.kind;
  const bool done = now.status.initialization.infrastructure_provisioned.value_or(false);
  if (seen.infra.missing() && done) {
    return conditions::make(condition::kInfrastructureReady, status::kFalse, reason::kObjectDeleted,
                            fmt::format("{} has been deleted while the MachinePool still exists", kind));
  }
  if (!plan.list.problem.empty()) {
    return conditions::make(condition::kInfrastructureReady, status::kFalse, kInvalidProviderIdList,
                            plan.list.problem);
  }
  return shown({.seen = seen.infra,
                .target = condition::kInfrastructureReady,
                .field = "spec.template.spec.infrastructureRef",
                .kind = kind,
                .done_field = "status.initialization.provisioned",
                .problem = seen.infra_says.problem,
                .done = done});
}

api::Condition unreadable(const Subject& subject, std::string_view problem) {
  return conditions::make(subject.target, status::kUnknown, reason::kInternalError,
                          fmt::format("{}: {}", subject.field, problem));
}

api::Condition mirrored(const Subject& subject) {
  if (!subject.problem.empty()) return unreadable(subject, subject.problem);
  const auto ready = contract::read_condition(contract::Foreign(*subject.seen.object), condition::kReady);
  if (!ready) {
    return conditions::make(subject.target, status::kUnknown, reason::kInvalidConditionReported,
                            ready.error().message);
  }
  const conditions::Fallback fallback{
      .status = subject.done ? status::kTrue : status::kFalse,
      .reason = subject.done ? reason::kReady : reason::kNotReady,
      .message =
          subject.done ? std::string() : fmt::format("{} {} is false", subject.kind, subject.done_field)};
  auto made = conditions::mirror(*ready ? &**ready : nullptr, condition::kReady, subject.target, fallback);
  if (made.reason == reason::kNoReasonReported && made.status == status::kTrue)
    made.reason = Text(reason::kReady);
  return made;
}

// What it says is an earlier state: the newest can't be read.
api::Condition with_doubt(api::Condition made, const Subject& subject) {
  if (subject.seen.problem.empty()) return made;
  made.message = FreeText(made.message.empty() ? fmt::format("{}: {}", subject.field, subject.seen.problem)
                                               : fmt::format("{}\n{}: {}", made.message.view(), subject.field,
                                                             subject.seen.problem));
  return made;
}

api::Condition shown(const Subject& subject) {
  using State = ExternalSeen::State;
  switch (subject.seen.state) {
    case State::Unused:
    case State::Missing: break;
    case State::CacheBehind:
    case State::Undefined:
    case State::Unreadable: return unreadable(subject, subject.seen.problem);
    case State::Found: return with_doubt(mirrored(subject), subject);
  }
  return conditions::make(subject.target, status::kFalse, reason::kObjectDoesNotExist,
                          fmt::format("{} does not exist ({}: create it, or correct the reference)",
                                      subject.kind, subject.field));
}

// --- how many ---

// Something where it is not known how many there should be.
std::optional<api::Condition> no_size(std::string_view target, const api::MachinePool& now,
                                      const Plan& plan) {
  if (now.spec.replicas && *now.spec.replicas < 0) {
    return conditions::make(target, status::kUnknown, kInvalidReplicas, plan.size.problem);
  }
  if (now.spec.replicas) return std::nullopt;
  std::string message = "Waiting for spec.replicas set";
  if (!plan.size.problem.empty()) message += ": " + plan.size.problem;
  return conditions::make(target, status::kUnknown, reason::kWaitingForReplicasSet, message);
}

api::Condition available(const api::MachinePool& now, const Plan& plan) {
  if (auto none = no_size(condition::kAvailable, now, plan)) return *none;
  if (!now.status.available_replicas) {
    return conditions::make(condition::kAvailable, status::kUnknown, reason::kWaitingForAvailableReplicasSet,
                            "Waiting for status.availableReplicas set");
  }
  if (*now.status.available_replicas >= *now.spec.replicas) {
    return conditions::make(condition::kAvailable, status::kTrue, reason::kAvailable);
  }
  return conditions::make(condition::kAvailable, status::kFalse, reason::kNotAvailable,
                          fmt::format("{} available replicas, at least {} required",
                                      *now.status.available_replicas, *now.spec.replicas));
}

api::Condition scaling_up(const Observation& seen, const api::MachinePool& now, const Plan& plan) {
  if (auto none = no_size(condition::kScalingUp, now, plan)) return *none;
  const std::int32_t present = now.status.replicas.value_or(0);
  if (present >= *now.spec.replicas) {
    return conditions::make(condition::kScalingUp, status::kFalse, reason::kNotScalingUp, seen.misnamed);
  }
  std::string message = fmt::format("Scaling up from {} to {} replicas", present, *now.spec.replicas);
  if (!plan.troubles.empty()) message += " is blocked because:";
  for (const std::string& trouble : plan.troubles) message += "\n* " + trouble;
  if (seen.frozen.holds()) message += "\n* " + seen.frozen.why;
  return conditions::make(condition::kScalingUp, status::kTrue, reason::kScalingUp, message);
}

// Empty where no named Machine waits.
std::string named_and_kept(const Plan& plan) {
  if (plan.victims_held.empty()) return {};
  return fmt::format("Machines that annotation {} names stay: {}", api::policy::annotation::kVictims,
                     fmt::join(plan.victims_held, "; "));
}

api::Condition scaling_down(const Observation& seen, const api::MachinePool& now, const Plan& plan,
                            const Effects& effects) {
  if (auto none = no_size(condition::kScalingDown, now, plan)) return *none;
  const std::int32_t present = now.status.replicas.value_or(0);
  const std::size_t left = effects.kept.size() + plan.held;
  const std::string named = named_and_kept(plan);
  if (present <= *now.spec.replicas && left == 0 && named.empty()) {
    return conditions::make(condition::kScalingDown, status::kFalse, reason::kNotScalingDown);
  }
  std::string message = named;
  if (present > *now.spec.replicas)
    message = fmt::format("Scaling down from {} to {} replicas", present, *now.spec.replicas);
  else if (left > 0)
    message = fmt::format("Nodes whose instance left the list have to go: {}", left);
  if (!seen.may_delete.open && (plan.held > 0 || named.empty())) message += "\n* " + seen.may_delete.why;
  if (!effects.node_trouble.empty()) message += "\n* " + effects.node_trouble;
  if (!effects.draining.empty()) message += "\n" + effects.draining;
  return conditions::make(condition::kScalingDown, status::kTrue, reason::kScalingDown, message);
}

// --- how they are ---

using Parts = std::vector<conditions::Contribution>;

Parts parts_of(const Observation& seen, std::string_view type) {
  Parts parts;
  for (const auto& machine : seen.machines.machines) {
    parts.push_back({.kind = api::kind::kMachine,
                     .name = machine->metadata.name.view(),
                     .condition = conditions::find(machine->status.conditions, type)});
  }
  return parts;
}

std::string doubled_nodes(const Observation& seen) {
  std::string text;
  for (const Instance& instance : seen.instances) {
    if (instance.doubles.empty()) continue;
    if (!text.empty()) text += "\n";
    text +=
        fmt::format("* Nodes {} have the same spec.providerID {}: delete those that are not its instance's",
                    fmt::join(instance.doubles, ", "), instance.provider_id.view());
  }
  return text;
}

api::Condition nodes_ready(const Observation& seen) {
  if (const std::string doubles = doubled_nodes(seen); !doubles.empty()) {
    return conditions::make(condition::kMachinesReady, status::kUnknown, kDuplicateNodes, doubles);
  }
  if (seen.instances.empty()) {
    return conditions::make(condition::kMachinesReady, status::kTrue, reason::kNoReplicas);
  }
  std::vector<std::string> lacking;
  std::vector<std::string> not_ready;
  for (const Instance& instance : seen.instances) {
    if (!instance.node) {
      lacking.push_back(instance.provider_id.str());
      continue;
    }
    const auto* ready = instance.node->condition(condition::kReady);
    if (ready == nullptr || ready->status != status::kTrue)
      not_ready.push_back(instance.node->metadata.name.str());
  }
  std::string text;
  if (!lacking.empty()) text = "* Instances without a Node: " + conditions::name_list(lacking, kNames);
  if (!not_ready.empty()) {
    text += (text.empty() ? "" : "\n") +
            fmt::format("* Nodes that are not Ready: {}", conditions::name_list(not_ready, kNames));
  }
  if (text.empty()) return conditions::make(condition::kMachinesReady, status::kTrue, reason::kReady);
  return conditions::make(condition::kMachinesReady, status::kFalse, reason::kNotReady, text);
}

// No Node has been seen since this process started, and that is not long ago.
bool is_coming_up(const kubeconfig::Reach& reach, Time now) {
  if (reach.connected || reach.last_success.is_set()) return false;
  return !reach.first_failure.is_set() || now - reach.first_failure < kComingUp;
}

// While it comes up: what was known stands, and why Nodes can't be read follows what is tried.
bool leaves_as_found(const Observation& seen, const api::ConditionView& known) {
  if (known.reason == reason::kConnectionDown && seen.reach.first_failure.is_set()) return false;
  return is_coming_up(seen.reach, seen.now);
}

std::optional<api::Condition> machines_ready(const Observation& seen, const api::MachinePool& now) {
  if (seen.machines.state == MachinesSeen::State::Unknown) return std::nullopt;
  if (seen.machines.state == MachinesSeen::State::Known && !seen.machines.machines.empty()) {
    return conditions::aggregate(
        parts_of(seen, condition::kReady),
        {.source_type = condition::kReady,
         .target_type = condition::kMachinesReady,
         .reasons = {.issue = reason::kNotReady, .unknown = reason::kReadyUnknown, .info = reason::kReady}});
  }
  if (!seen.connected && !now.spec.provider_id_list.empty()) {
    const auto known = conditions::find(now.status.conditions, condition::kMachinesReady);
    if (known != nullptr && leaves_as_found(seen, *known)) return *known;
    return conditions::make(condition::kMachinesReady, status::kUnknown, reason::kConnectionDown,
                            "Nodes can't be read: " + seen.reach.problem);
  }
  return nodes_ready(seen);
}

std::optional<api::Condition> machines_up_to_date(const Observation& seen) {
  if (seen.machines.state != MachinesSeen::State::Known) return std::nullopt;
  if (seen.machines.machines.empty()) {
    return conditions::make(condition::kMachinesUpToDate, status::kTrue, reason::kNoReplicas);
  }
  return conditions::aggregate(
      parts_of(seen, condition::kUpToDate),
      {.source_type = condition::kUpToDate,
       .target_type = condition::kMachinesUpToDate,
       .reasons = {
           .issue = reason::kNotUpToDate, .unknown = reason::kUpToDateUnknown, .info = reason::kUpToDate}});
}

// --- the older generation ---

std::optional<api::V1Beta1Condition> v1beta1_shown(const ExternalSeen& seen, std::string_view target,
                                                   const older::Fallback& fallback) {
  if (!seen.found()) return std::nullopt;
  const auto ready = contract::read_v1beta1_ready(contract::Foreign(*seen.object));
  return older::mirror(ready ? &*ready : nullptr, target, fallback);
}

std::optional<api::V1Beta1Condition> v1beta1_bootstrap_ready(const Observation& seen, const Plan& plan,
                                                             const api::MachinePool& now) {
  const auto& bootstrap = now.spec.machine_template.spec.bootstrap;
  if (!bootstrap.config_ref) {
    return bootstrap.data_secret_name ? std::optional(older::yes(older_type::kBootstrapReady)) : std::nullopt;
  }
  return v1beta1_shown(seen.bootstrap, older_type::kBootstrapReady,
                       {.value = plan.bootstrap.created,
                        .reason = older_reason::kWaitingForDataSecret,
                        .severity = api::severity::kInfo});
}

std::optional<api::V1Beta1Condition> v1beta1_infrastructure_ready(const Observation& seen,
                                                                  const api::MachinePool& now) {
  const auto& ref = now.spec.machine_template.spec.infrastructure_ref;
  if (seen.infra.missing()) {
    return older::no(older_type::kInfrastructureReady, older_reason::kIncorrectExternalRef,
                     api::severity::kError,
                     fmt::format("could not find infra reference of kind {} with name {}", ref.kind.view(),
                                 ref.name.view()));
  }
  return v1beta1_shown(seen.infra, older_type::kInfrastructureReady,
                       {.value = seen.infra_says.ready,
                        .reason = older_reason::kWaitingForInfrastructure,
                        .severity = api::severity::kInfo});
}

// Nothing while Nodes can't be counted.
std::optional<api::V1Beta1Condition> v1beta1_replicas_ready(const Observation& seen,
                                                            const api::MachinePool& now) {
  if (!seen.connected) return std::nullopt;
  const std::int32_t ready = now.status.deprecated->v1beta1->ready_replicas;  // just counted
  const std::int32_t there = now.status.replicas.value_or(-1);
  const bool nothing_wanted = now.spec.replicas == 0 && there <= 0;
  const auto refs = static_cast<std::int32_t>(now.status.node_refs.size());
  if (nothing_wanted || (there == ready && refs == ready)) {
    return older::yes(older_type::kReplicasReady);
  }
  return older::no(older_type::kReplicasReady, older_reason::kWaitingForReplicasReady, api::severity::kInfo);
}

}  // namespace

std::optional<Seconds> when_nodes_are_given_up(const Observation& seen) {
  const auto& reach = seen.reach;
  if (!reach.first_failure.is_set() || !is_coming_up(reach, seen.now)) return std::nullopt;
  return kComingUp - (seen.now - reach.first_failure);
}

void set_v1beta1_conditions(const Observation& seen, const Plan& plan, api::MachinePool& after) {
  auto& list = after.status.deprecated.ensure().v1beta1.ensure().conditions;
  for (auto&& wanted : {v1beta1_bootstrap_ready(seen, plan, after), v1beta1_infrastructure_ready(seen, after),
                        v1beta1_replicas_ready(seen, after)}) {
    if (wanted) older::set(list, *wanted, seen.now);
  }
  const auto ready = older::summary(
      list,
      {.types = {older_type::kBootstrapReady, older_type::kInfrastructureReady, older_type::kReplicasReady}});
  if (ready) older::set(list, *ready, seen.now);
}

}  // namespace capstan::controllers::machinepool
