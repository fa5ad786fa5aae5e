#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/v1beta1.h"
#include "controllers/machineset/conditions.h"

namespace capstan::controllers::machineset {
namespace {

namespace condition = api::v1beta1_condition;
namespace old = api::conditions::v1beta1;
namespace reason = api::v1beta1_reason;
namespace severity = api::severity;
using api::V1Beta1Condition;
using api::V1Beta1MachineSetStatus;

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "; "));
}

api::V1Beta1ConditionPlace v1beta1_ready(const api::Machine& machine) {
  const auto& deprecated = machine.status.deprecated;
  if (!deprecated || !deprecated->v1beta1) return nullptr;
  return old::find(deprecated->v1beta1->conditions, condition::kReady);
}

std::optional<V1Beta1Condition> machines_created(const Observation& seen, const Plan& plan,
                                                 const Effects& effects) {
  const auto notes = plan.notes_about(api::NoteCode::CreateHeldUp);
  if (effects.creation) {
    return old::no(condition::kMachinesCreated, effects.creation->reason, severity::kError,
                   effects.creation->message);
  }
  if (plan.preflight_failed) {
    return old::no(condition::kMachinesCreated, reason::kPreflightCheckFailed, severity::kError,
                   joined(notes));
  }
  if (!notes.empty()) {
    return old::no(condition::kMachinesCreated, reason::kMachineCreationFailed, severity::kError,
                   joined(notes));
  }
  const auto missing = [](const TemplateSeen& seen_template) { return seen_template.missing(); };
  if (seen.finished() >= seen.desired()) return old::yes(condition::kMachinesCreated);
  if (missing(seen.bootstrap)) {
    return old::no(condition::kMachinesCreated, reason::kBootstrapTemplateCloningFailed, severity::kError,
                   seen.bootstrap.ref.kind.str() + " does not exist");
  }
  if (missing(seen.infrastructure)) {
    return old::no(condition::kMachinesCreated, reason::kInfrastructureTemplateCloningFailed,
                   severity::kError, seen.infrastructure.ref.kind.str() + " does not exist");
  }
  return std::nullopt;
}

std::optional<V1Beta1Condition> resized(const Observation& seen, const V1Beta1MachineSetStatus& status) {
  const auto present = static_cast<std::int32_t>(seen.machines.size());
  const auto text = [&](std::string_view direction) {
    return fmt::format("Scaling {} MachineSet to {} replicas (actual {})", direction, seen.desired(),
                       present);
  };
  if (present < seen.desired()) {
    return old::no(condition::kResized, reason::kScalingUp, severity::kWarning, text("up"));
  }
  if (present > seen.desired()) {
    return old::no(condition::kResized, reason::kScalingDown, severity::kWarning, text("down"));
  }
  if (status.ready_replicas != present) return std::nullopt;
  return old::yes(condition::kResized);
}

std::optional<V1Beta1Condition> v1beta1_machines_ready(const Observation& seen) {
  std::vector<old::Contribution> parts;
  for (const auto& machine : seen.machines) {
    parts.push_back({.kind = api::kind::kMachine,
                     .name = machine->metadata.name.view(),
                     .ready = v1beta1_ready(*machine)});
  }
  return old::aggregate(parts, condition::kMachinesReady);
}

}  // namespace

void set_v1beta1_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                            V1Beta1MachineSetStatus& status) {
  const auto set = [&](std::optional<V1Beta1Condition> wanted) {
    if (wanted) old::set(status.conditions, std::move(*wanted), seen.now);
  };
  set(machines_created(seen, plan, effects));
  set(resized(seen, status));
  set(v1beta1_machines_ready(seen));
  set(old::summary(status.conditions,
                   {.types = {condition::kMachinesCreated, condition::kResized, condition::kMachinesReady}}));
}

}  // namespace capstan::controllers::machineset
