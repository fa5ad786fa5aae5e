#include "controllers/machinedeployment/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/machinedeployment/held_sets.h"
#include "controllers/rollout/limits.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace conditions = api::conditions;
namespace progress_reason = api::policy::reason;
namespace status = api::status;
using api::policy::condition::kProgressing;
using rollout::Count;

struct Counts {
  Count all = 0;
  Count up_to_date = 0;
  Count ready = 0;
  Count available = 0;
  Count old() const { return all - up_to_date; }
};

Counts counts_in(const api::MachineDeploymentStatus& status) {
  return {.all = status.replicas.value_or(0),
          .up_to_date = status.up_to_date_replicas.value_or(0),
          .ready = status.ready_replicas.value_or(0),
          .available = status.available_replicas.value_or(0)};
}

bool has_come_on(const Counts& was, const Counts& is) {
  return is.up_to_date > was.up_to_date || is.old() < was.old() || is.ready > was.ready ||
         is.available > was.available;
}

// What the condition says, and the moment of the last progress.
struct Progress {
  std::string_view reason = {};
  Time since = {};
};

std::optional<Progress> progress_in(const api::MachineDeployment& deployment) {
  const auto found = conditions::find(deployment.status.conditions, kProgressing);
  if (found == nullptr) return std::nullopt;
  return Progress{.reason = found->reason.view(), .since = found->last_transition_time};
}

bool is_timed(const Progress& progress) {
  return progress.reason == progress_reason::kNewMachineSetCreated ||
         progress.reason == progress_reason::kMachineSetUpdated;
}

bool has_made_a_set(const Plan& plan, const Effects& effects) {
  return !effects.failed() && std::ranges::any_of(plan.actions, [](const Action& action) {
    return std::holds_alternative<CreateSet>(action);
  });
}

// Once it is over it stays so until there are old Machines again: a sick Machine or a change of the replicas
// is no rollout.
bool is_over(const Observation& seen, const std::optional<Progress>& was, const Counts& is) {
  const Count desired = seen.deployment.spec.replicas.value_or(0);
  if (is.up_to_date == desired && is.all == desired && is.available == desired) return true;
  return was && was->reason == progress_reason::kNewMachineSetAvailable && is.old() == 0;
}

// The brake that keeps it from going on: of its own or of a set whose Machines are to go. Empty: none does.
std::string held_by(const Observation& seen, const Plan& plan) {
  if (!plan.brake.empty()) return plan.brake;
  if (!plan.held_by.empty()) return plan.held_by;
  const auto holds = holds_of_old_sets(seen);
  return holds.empty() ? std::string() : holds.front();
}

// While the Cluster or the deployment was paused as a whole no turn was taken, and no time counts from then.
Time deadline_after(const Observation& seen, const Progress& progress, const api::MachineDeployment& after) {
  const Seconds span(
      seen.rollout->progress_deadline_seconds.value_or(api::PolicyRollout::kProgressDeadlineSeconds));
  const auto paused = conditions::find(after.status.conditions, api::condition::kPaused);
  const bool goes_on = paused != nullptr && paused->status == status::kFalse;
  return (goes_on ? std::max(progress.since, Time(paused->last_transition_time)) : progress.since) + span;
}

Progress next_progress(const Observation& seen, const Plan& plan, const Effects& effects,
                       const api::MachineDeployment& after) {
  const auto was = progress_in(*seen.stored);
  const Counts is = counts_in(after.status);
  const auto stays = [&](std::string_view word) {
    return Progress{.reason = word, .since = was && was->reason == word ? was->since : seen.now};
  };
  const Progress comes_on{.reason = progress_reason::kMachineSetUpdated, .since = seen.now};
  const bool progressed = has_come_on(counts_in(seen.stored->status), is);
  if (has_made_a_set(plan, effects))
    return {.reason = progress_reason::kNewMachineSetCreated, .since = seen.now};
  if (is_over(seen, was, is)) return stays(progress_reason::kNewMachineSetAvailable);
  if (was && was->reason == progress_reason::kProgressDeadlineExceeded) return progressed ? comes_on : *was;
  if (seen.deployment.spec.paused.value_or(false)) return stays(progress_reason::kDeploymentPaused);
  if (!held_by(seen, plan).empty()) return stays(progress_reason::kRolloutHeld);
  if (progressed || !was || !is_timed(*was)) return comes_on;
  if (seen.now < deadline_after(seen, *was, after)) return *was;
  return {.reason = progress_reason::kProgressDeadlineExceeded, .since = seen.now};
}

std::string_view status_of(std::string_view word) {
  if (word == progress_reason::kProgressDeadlineExceeded) return status::kFalse;
  const bool stands = word == progress_reason::kDeploymentPaused || word == progress_reason::kRolloutHeld;
  return stands ? status::kUnknown : status::kTrue;
}

std::string message_of(const Observation& seen, const Plan& plan, std::string_view word, const Counts& is) {
  if (word == progress_reason::kNewMachineSetAvailable) return {};
  std::string counts =
      fmt::format("{} of {} replicas are up to date, {} old ones are there, {} are available", is.up_to_date,
                  seen.deployment.spec.replicas.value_or(0), is.old(), is.available);
  if (word == progress_reason::kRolloutHeld)
    return fmt::format("{}; no time counts while it is held: {}", counts, held_by(seen, plan));
  if (word != progress_reason::kProgressDeadlineExceeded) return counts;
  return fmt::format(
      "{}; no progress in the time that the policy allows: see the conditions of the new Machines, correct "
      "spec.template, or go back with annotation {}: \"0\"",
      counts, api::policy::annotation::kRollbackTo);
}

}  // namespace

void report_progress(const Observation& seen, const Plan& plan, const Effects& effects,
                     api::MachineDeployment& after) {
  if (seen.stored->metadata.deleting()) return;
  auto& list = after.status.conditions;
  if (!seen.rollout) {
    conditions::remove(list, kProgressing);
    return;
  }
  const Progress progress = next_progress(seen, plan, effects, after);
  api::Condition wanted = conditions::make(kProgressing, status_of(progress.reason), progress.reason,
                                           message_of(seen, plan, progress.reason, counts_in(after.status)));
  wanted.last_transition_time = progress.since;
  // Set beside the one there is, it would keep that one's time.
  conditions::remove(list, kProgressing);
  conditions::set(list, std::move(wanted), after.metadata.generation, seen.now);
}

std::string lost_rollout_in_words(const Observation& seen) {
  const auto was = progress_in(*seen.stored);
  const bool lost = was && !seen.rollout && !seen.stored->metadata.deleting() &&
                    was->reason != progress_reason::kNewMachineSetAvailable;
  if (!lost) return {};
  return "no MachineLifecyclePolicy with spec.rollout governs it any more: its rollout goes on as "
         "spec.rollout.strategy says";
}

std::optional<Seconds> progress_due_in(const Observation& seen, const api::MachineDeployment& after) {
  const auto progress = progress_in(after);
  if (!seen.rollout || !progress || !is_timed(*progress)) return std::nullopt;
  return std::max(deadline_after(seen, *progress, after) - seen.now, Seconds(1));
}

}  // namespace capstan::controllers::machinedeployment
