#include "controllers/machineset/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/conditions/message.h"
#include "api/policy/names.h"
#include "controllers/machineset/decide.h"
#include "controllers/shared/stale_deletions.h"

namespace capstan::controllers::machineset {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;
using api::Machine;

constexpr std::size_t kNames = 3;

std::int32_t number(const Machines& machines) { return static_cast<std::int32_t>(machines.size()); }

std::string stale_deletions(const Observation& seen) {
  const std::string text = controllers::stale_deletions(seen.machines, seen.now);
  return text.empty() ? text : "\n* " + text;
}

// --- ScalingUp ---

// "DockerMachineTemplate does not exist (...)": what, then which field says so and what helps.
std::string missing_line(const TemplateSeen& seen, std::string_view field) {
  return fmt::format(
      "{} does not exist (spec.template.spec.{} names \"{}\": create it, or correct the reference)",
      seen.ref.kind.view(), field, seen.ref.name.view());
}

std::vector<std::string> missing_templates(const Observation& seen) {
  std::vector<std::string> lines;
  if (seen.bootstrap.missing()) lines.push_back(missing_line(seen.bootstrap, "bootstrap.configRef"));
  if (seen.infrastructure.missing()) lines.push_back(missing_line(seen.infrastructure, "infrastructureRef"));
  return lines;
}

std::string would_be_blocked(const Observation& seen) {
  const bool bootstrap = seen.bootstrap.missing();
  const bool infrastructure = seen.infrastructure.missing();
  if (seen.deleting()) return {};
  if (!seen.problem.empty()) return "Scaling up would be blocked because of " + seen.problem;
  if (bootstrap && infrastructure) {
    return fmt::format("Scaling up would be blocked because {} and {} do not exist",
                       seen.bootstrap.ref.kind.view(), seen.infrastructure.ref.kind.view());
  }
  if (!bootstrap && !infrastructure) return {};
  return fmt::format("Scaling up would be blocked because {} does not exist",
                     (bootstrap ? seen.bootstrap : seen.infrastructure).ref.kind.view());
}

// --- aggregates ---

using Parts = std::vector<conditions::Contribution>;

Parts parts_of(const Machines& machines, std::string_view type) {
  Parts parts;
  for (const auto& machine : machines) {
    parts.push_back({.kind = api::kind::kMachine,
                     .name = machine->metadata.name.view(),
                     .control_plane_machine = machine->metadata.labels.contains(api::label::kControlPlane),
                     .condition = conditions::find(machine->status.conditions, type)});
  }
  return parts;
}

Machines old_enough(const Observation& seen) {
  Machines judged;
  std::ranges::copy_if(seen.machines, std::back_inserter(judged), [&](const auto& machine) {
    return conditions::find(machine->status.conditions, condition::kUpToDate) != nullptr ||
           seen.now - machine->metadata.creation_timestamp > kUpToDateGrace;
  });
  return judged;
}

std::string unhealthy_text(const Observation& seen) {
  std::vector<std::string> names;
  for (const auto& machine : seen.machines) {
    if (conditions::is_false(machine->status.conditions, condition::kHealthCheckSucceeded)) {
      names.push_back(machine->metadata.name.str());
    }
  }
  if (names.empty()) return {};
  std::ranges::sort(names);
  return fmt::format("{} {} {} not healthy (not to be remediated by MachineSet)",
                     names.size() == 1 ? "Machine" : "Machines", conditions::name_list(names, kNames),
                     names.size() == 1 ? "is" : "are");
}

// By the policy of their life.
std::string failed_text(const Observation& seen, const Plan& plan) {
  std::string waiting = plan.replacements_wait.empty() ? "" : "* " + plan.replacements_wait;
  std::vector<std::string> names;
  for (const auto& machine : seen.machines) {
    if (seen.policy && awaits_replacement(*machine)) names.push_back(machine->metadata.name.str());
  }
  if (names.empty()) return waiting;
  std::ranges::sort(names);
  return fmt::format("* {} {} failed, see the condition {}{}{}", names.size() == 1 ? "Machine" : "Machines",
                     conditions::name_list(names, kNames) + (names.size() == 1 ? " has" : " have"),
                     api::policy::condition::kLifecycle, waiting.empty() ? "" : "\n", waiting);
}

}  // namespace

api::Condition scaling_up(const Observation& seen, const Plan& plan, const Effects& effects) {
  if (!seen.set.spec.replicas) {
    return conditions::make(condition::kScalingUp, status::kUnknown, reason::kWaitingForReplicasSet,
                            "Waiting for spec.replicas set");
  }
  const std::int32_t present = seen.finished();
  if (present >= seen.desired()) {
    return conditions::make(condition::kScalingUp, status::kFalse, reason::kNotScalingUp,
                            would_be_blocked(seen));
  }
  auto lines = plan.notes_about(api::NoteCode::CreateHeldUp);
  std::ranges::move(plan.notes_about(api::NoteCode::LeftoverObject), std::back_inserter(lines));
  std::ranges::move(missing_templates(seen), std::back_inserter(lines));
  std::ranges::copy(effects.in_the_way, std::back_inserter(lines));
  if (effects.creation) lines.push_back(effects.creation->message);
  std::string message = fmt::format("Scaling up from {} to {} replicas", present, seen.desired());
  if (!lines.empty()) message += " is blocked because:";
  for (const std::string& line : lines) message += "\n* " + line;
  return conditions::make(condition::kScalingUp, status::kTrue, reason::kScalingUp, message);
}

api::Condition scaling_down(const Observation& seen, const Plan& plan) {
  if (!seen.set.spec.replicas) {
    return conditions::make(condition::kScalingDown, status::kUnknown, reason::kWaitingForReplicasSet,
                            "Waiting for spec.replicas set");
  }
  const auto present =
      static_cast<std::int32_t>(std::ranges::count_if(seen.machines, [](const auto& machine) {
        return !machine->metadata.annotations.contains(api::annotation::kPendingAcknowledgeMove);
      }));
  if (present <= seen.desired()) {
    return conditions::make(condition::kScalingDown, status::kFalse, reason::kNotScalingDown);
  }
  std::string message = fmt::format("Scaling down from {} to {} replicas", present, seen.desired());
  for (const std::string& line : plan.notes_about(api::NoteCode::ScaleDownHeldUp)) message += "\n* " + line;
  return conditions::make(condition::kScalingDown, status::kTrue, reason::kScalingDown,
                          message + stale_deletions(seen));
}

api::Condition machines_ready(const Observation& seen) {
  if (seen.machines.empty()) {
    return conditions::make(condition::kMachinesReady, status::kTrue, reason::kNoReplicas);
  }
  return conditions::aggregate(
      parts_of(seen.machines, condition::kReady),
      {.source_type = condition::kReady,
       .target_type = condition::kMachinesReady,
       .reasons = {.issue = reason::kNotReady, .unknown = reason::kReadyUnknown, .info = reason::kReady}});
}

api::Condition machines_up_to_date(const Observation& seen) {
  const Machines judged = old_enough(seen);
  if (judged.empty()) {
    return conditions::make(condition::kMachinesUpToDate, status::kTrue, reason::kNoReplicas);
  }
  return conditions::aggregate(
      parts_of(judged, condition::kUpToDate),
      {.source_type = condition::kUpToDate,
       .target_type = condition::kMachinesUpToDate,
       .reasons = {
           .issue = reason::kNotUpToDate, .unknown = reason::kUpToDateUnknown, .info = reason::kUpToDate}});
}

api::Condition remediating(const Observation& seen, const Plan& plan) {
  Machines sick;
  std::ranges::copy_if(seen.machines, std::back_inserter(sick),
                       [](const auto& machine) { return awaits_remediation(*machine); });
  const std::string failed = failed_text(seen, plan);
  if (sick.empty() && !failed.empty()) {
    std::string message = failed;
    for (const std::string& line : plan.notes_about(api::NoteCode::RemediationHeldUp))
      message += "\n* " + line;
    return conditions::make(condition::kRemediating, status::kTrue, reason::kRemediating, message);
  }
  if (sick.empty()) {
    return conditions::make(condition::kRemediating, status::kFalse, reason::kNotRemediating,
                            unhealthy_text(seen));
  }
  // As they are after this turn's marks.
  std::unordered_map<api::Uid, const Machine*> marks;
  for (const Action& action : plan.actions) {
    const Mark* mark = nullptr;
    if (const auto* only = std::get_if<MarkMachine>(&action)) mark = &only->mark;
    if (const auto* removal = std::get_if<DeleteMachine>(&action); removal != nullptr && removal->first) {
      mark = &*removal->first;
    }
    if (mark != nullptr) marks[mark->after.metadata.uid] = &mark->after;
  }
  Parts parts;
  for (const auto& each : sick) {
    const auto mark = marks.find(each->metadata.uid);
    const Machine& machine = mark == marks.end() ? *each : *mark->second;
    parts.push_back({.kind = api::kind::kMachine,
                     .name = machine.metadata.name.view(),
                     .condition = conditions::find(machine.status.conditions, condition::kOwnerRemediated)});
  }
  const auto sum = conditions::aggregate(
      parts, {.source_type = condition::kOwnerRemediated, .target_type = condition::kRemediating});
  std::string message = sum.message.str();
  if (!failed.empty()) message += "\n" + failed;
  for (const std::string& line : plan.notes_about(api::NoteCode::RemediationHeldUp)) message += "\n* " + line;
  return conditions::make(condition::kRemediating, status::kTrue, reason::kRemediating, message);
}

api::Condition deleting(const Observation& seen) {
  if (!seen.deleting()) {
    return conditions::make(condition::kDeleting, status::kFalse, reason::kNotDeleting);
  }
  if (seen.orphaning()) {
    return conditions::make(condition::kDeleting, status::kTrue, reason::kDeleting,
                            "Waiting for the garbage collector to release Machines (--cascade=orphan)");
  }
  const std::int32_t left = number(seen.machines);
  std::string message = "Deletion completed";
  if (left > 0)
    message = fmt::format("Deleting {} Machine{}", left, left == 1 ? "" : "s") + stale_deletions(seen);
  const auto unreadable = unreadable_of(seen);
  if (left == 0 && !unreadable.empty()) message = "Waiting for Machines that can't be read";
  for (const std::string& problem : unreadable) message += "\n* " + problem;
  return conditions::make(condition::kDeleting, status::kTrue, reason::kDeleting, message);
}

}  // namespace capstan::controllers::machineset
