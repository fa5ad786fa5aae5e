#include "controllers/machine/external_conditions.h"

#include <fmt/core.h>

#include "api/conditions/conditions.h"
#include "api/conditions/limits.h"
#include "api/conditions/mirror.h"
#include "api/conditions/v1beta1.h"
#include "api/contract/foreign_conditions.h"

namespace capstan::controllers::machine {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace contract = api::contract;
namespace older = api::conditions::v1beta1;
namespace older_reason = api::v1beta1_reason;
namespace reason = api::reason;
namespace status = api::status;
using State = ExternalSeen::State;

constexpr std::string_view kLine = "\n* ";

// What both kinds of objects have in common.
struct Subject {
  const ExternalSeen& seen;
  std::string_view target = {};  // type of the condition
  std::string_view field = {};   // of the reference, for messages
  std::string_view kind = {};
  std::string_view done_field = {};
  std::string_view problem = {};  // nothing the object says can be believed
  std::string_view mismatch = {};
  std::string_view left_out = {};
  std::string_view contradiction = {};  // the Machine belongs to another Cluster than it names
  bool done = false;                    // by the Machine's own flag
  const api::Machine& machine;
};

std::optional<api::Condition> shown(const Subject& subject);
std::optional<api::V1Beta1Condition> v1beta1_shown(const ExternalSeen& seen, std::string_view target,
                                                   const older::Fallback& fallback);

}  // namespace

std::optional<api::Condition> bootstrap_config_ready(const Observation& seen, const Plan& plan,
                                                     const api::Machine& after) {
  const auto& config = after.spec.bootstrap.config_ref;
  if (!config)
    return conditions::make(condition::kBootstrapConfigReady, status::kTrue, reason::kDataSecretProvided);
  const bool done = after.status.initialization.bootstrap_data_secret_created.value_or(false);
  if (seen.bootstrap.missing() && seen.deleting() && done) {
    return conditions::make(condition::kBootstrapConfigReady, status::kFalse, reason::kObjectDeleted,
                            fmt::format("{} has been deleted", config->kind.view()));
  }
  return shown({.seen = seen.bootstrap,
                .target = condition::kBootstrapConfigReady,
                .field = "spec.bootstrap.configRef",
                .kind = config->kind,
                .done_field = "status.initialization.dataSecretCreated",
                .problem = plan.bootstrap.problem,
                .mismatch = plan.bootstrap.mismatch,
                .done = done,
                .machine = after});
}

std::optional<api::Condition> infrastructure_ready(const Observation& seen, const Plan& plan,
                                                   const api::Machine& after) {
  const std::string_view kind = after.spec.infrastructure_ref.kind;
  const bool done = after.status.initialization.infrastructure_provisioned.value_or(false);
  if (seen.infra.missing() && done) {
    return conditions::make(
        condition::kInfrastructureReady, status::kFalse, reason::kObjectDeleted,
        fmt::format("{} has been deleted{}", kind, seen.deleting() ? "" : " while the Machine still exists"));
  }
  return shown({.seen = seen.infra,
                .target = condition::kInfrastructureReady,
                .field = "spec.infrastructureRef",
                .kind = kind,
                .done_field = "status.initialization.provisioned",
                .problem = plan.infra.problem,
                .mismatch = plan.infra.mismatch,
                .left_out = plan.infra.left_out,
                .contradiction = seen.contradiction,
                .done = done,
                .machine = after});
}

std::optional<api::V1Beta1Condition> v1beta1_bootstrap_ready(const Observation& seen, const Plan& plan) {
  if (seen.bootstrap.state == State::Unused) return std::nullopt;
  return v1beta1_shown(
      seen.bootstrap, api::v1beta1_condition::kBootstrapReady,
      {.value = plan.bootstrap.created || plan.wanted.spec.bootstrap.data_secret_name.has_value(),
       .reason = older_reason::kWaitingForDataSecret,
       .severity = api::severity::kInfo});
}

std::optional<api::V1Beta1Condition> v1beta1_infrastructure_ready(const Observation& seen, const Plan& plan) {
  return v1beta1_shown(seen.infra, api::v1beta1_condition::kInfrastructureReady,
                       {.value = plan.infra.provisioned,
                        .reason = older_reason::kWaitingForInfrastructure,
                        .severity = api::severity::kInfo});
}

namespace {

api::Condition unreadable(const Subject& subject, std::string_view problem) {
  return conditions::make(subject.target, status::kUnknown, reason::kInternalError,
                          fmt::format("{}: {}", subject.field, problem));
}

void add_line(FreeText& message, std::string_view line) {
  if (line.empty()) return;
  conditions::cut(message, conditions::kMaxMessage - line.size() - kLine.size());
  message = FreeText(fmt::format("{}{}{}", message.view(), message.empty() ? "* " : kLine, line));
}

api::Condition mirrored(const Subject& subject) {
  if (!subject.problem.empty()) return unreadable(subject, subject.problem);
  if (!subject.mismatch.empty()) {
    return conditions::make(subject.target, status::kFalse, reason::kNotReady, subject.mismatch);
  }
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
  for (const auto line : {subject.left_out, subject.contradiction}) add_line(made.message, line);
  return made;
}

bool was_seen(const Subject& subject) {
  const auto told = conditions::find(subject.machine.status.conditions, subject.target);
  return told != nullptr && told->reason != reason::kInternalError;
}

std::optional<api::Condition> shown(const Subject& subject) {
  switch (subject.seen.state) {
    case State::Unused: return std::nullopt;
    case State::CacheBehind:
      // That it can not be read now takes nothing back of what was seen.
      if (was_seen(subject)) return std::nullopt;
      return unreadable(subject, subject.seen.problem);
    case State::Undefined:
    case State::Unreadable: return unreadable(subject, subject.seen.problem);
    case State::Missing: break;
    case State::Found: return mirrored(subject);
  }
  return conditions::make(subject.target, status::kFalse, reason::kObjectDoesNotExist,
                          fmt::format("{} does not exist", subject.kind));
}

std::optional<api::V1Beta1Condition> v1beta1_shown(const ExternalSeen& seen, std::string_view target,
                                                   const older::Fallback& fallback) {
  if (seen.state == State::Missing && !fallback.value) {
    return older::no(target, fallback.reason, fallback.severity);
  }
  if (seen.state != State::Found) return std::nullopt;
  const auto ready = contract::read_v1beta1_ready(contract::Foreign(*seen.object));
  return older::mirror(ready ? &*ready : nullptr, target, fallback);
}

}  // namespace
}  // namespace capstan::controllers::machine
