#include "controllers/machinedeployment/deployment_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/machinedeployment/held_sets.h"
#include "controllers/machinedeployment/lifecycle_steps.h"
#include "controllers/machinedeployment/own_condition.h"
#include "controllers/shared/stale_deletions.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
namespace status = api::status;
using api::conditions::make;

constexpr std::size_t kUnadoptedShown = 3;
constexpr std::string_view kNoReplicas = "Waiting for spec.replicas set";

bool is_deleting(const Observation& seen) { return seen.stored->metadata.deleting(); }

Count desired_of(const Observation& seen) {
  return is_deleting(seen) ? 0 : Count{seen.deployment.spec.replicas.value_or(0)};
}

std::string with_stale(std::string message, const Observation& seen) {
  const std::string stale = stale_deletions(seen.machines, seen.now);
  if (!stale.empty()) message += "\n* " + stale;
  return message;
}

void add_holds(const Observation& seen, std::string_view type, std::string& message) {
  for (const auto& set : seen.sets) {
    for (const std::string& line : holds_of(*set, type)) message += "\n* " + line;
  }
}

std::vector<std::string> adoption_failures(const Observation& seen) {
  std::vector<std::string> lines;
  for (const Unadopted& each : seen.unadopted) {
    if (lines.size() < kUnadoptedShown)
      lines.push_back(fmt::format("MachineSet {} could not be adopted: {}", each.set, each.why));
  }
  if (const auto more = seen.unadopted.size() - lines.size(); more > 0)
    lines.push_back(fmt::format("{} more MachineSets could not be adopted", more));
  return lines;
}

std::vector<std::string_view> texts_of(const std::vector<Text>& texts) {
  return {texts.begin(), texts.end()};
}

std::string with_unadopted(std::string message, const Observation& seen) {
  for (const std::string& line : adoption_failures(seen)) message += (message.empty() ? "* " : "\n* ") + line;
  return message;
}

// While it goes on without some sets, or as far as it can before others have acted.
std::string with_remarks(std::string message, const Observation& seen, const Plan& plan) {
  if (!plan.stuck) message = with_unadopted(std::move(message), seen);
  for (const std::string& set : plan.waits_for) {
    message += message.empty() ? "* " : "\n* ";
    message += fmt::format(
        "MachineSet {} has not acted upon its last change yet, and is waited for: see its conditions", set);
  }
  return message;
}

// What keeps MachineSets that have no Machines any more.
std::string with_departed(std::string message, const Observation& seen) {
  for (const auto& set : seen.departed) {
    const auto& finalizers = *set->metadata.finalizers;
    message += fmt::format("\n* MachineSet {} waits for its finalizer{} {}", set->metadata.name.view(),
                           finalizers.size() == 1 ? "" : "s", fmt::join(texts_of(finalizers), ", "));
  }
  return message;
}

// What keeps it from being acted on.
std::vector<Fault> obstacles(const Observation& seen, const Plan& plan) {
  std::vector<Fault> all = plan.faults;
  if (!plan.stuck) return all;
  for (std::string& line : adoption_failures(seen)) all.push_back({.because = std::move(line)});
  return all;
}

// "InfraTemplate does not exist", "A and B do not exist"; anything else is simply listed.
std::string because(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += (text.empty() ? "" : " and ") + fault.because;
  constexpr std::string_view kMissing = " does not exist";
  if (faults.size() == 2 && faults[0].because.ends_with(kMissing) && faults[1].because.ends_with(kMissing)) {
    const auto kind = [&](const Fault& fault) {
      return std::string_view(fault.because).substr(0, fault.because.size() - kMissing.size());
    };
    return fmt::format("{} and {} do not exist", kind(faults[0]), kind(faults[1]));
  }
  return text;
}

// `spared`: so many Machines fewer than the strategy of the MachineDeployment asks for are enough.
api::Condition available_as(std::string_view type, const Observation& seen,
                            const api::MachineDeploymentStatus& now, Count spared) {
  if (!seen.deployment.spec.replicas) {
    return make(type, status::kUnknown, reason::kWaitingForReplicasSet, kNoReplicas);
  }
  if (!now.available_replicas) {
    return make(type, status::kUnknown, reason::kWaitingForAvailableReplicasSet,
                "Waiting for status.availableReplicas set");
  }
  const auto limits = rollout::limits_of(seen.deployment)
                          .value_or(rollout::Limits{.desired = *seen.deployment.spec.replicas});
  const auto least = std::max<Count>(0, limits.least_available() - spared);
  if (*now.available_replicas >= least) {
    return make(type, status::kTrue, reason::kAvailable);
  }
  if (is_deleting(seen)) {
    return make(type, status::kFalse, reason::kNotAvailable, "Deletion in progress");
  }
  std::string message =
      fmt::format("{} available replicas, at least {} required", *now.available_replicas, least);
  const auto& strategy = seen.deployment.spec.rollout.strategy;
  if (strategy && strategy->rolling_update.max_unavailable && !rollout::is_on_delete(seen.deployment)) {
    message += fmt::format(" (spec.strategy.rollout.maxUnavailable is {}, spec.replicas is {})",
                           strategy->rolling_update.max_unavailable->to_string(), limits.desired);
  }
  return make(type, status::kFalse, reason::kNotAvailable, message);
}

}  // namespace

api::Condition available(const Observation& seen, const api::MachineDeploymentStatus& now) {
  return available_as(condition::kAvailable, seen, now, 0);
}

std::optional<api::Condition> available_under_policy(const Observation& seen,
                                                     const api::MachineDeploymentStatus& now) {
  if (!seen.policy) return std::nullopt;
  return available_as(kAvailableUnderPolicy, seen, now, preserved_failures(seen));
}

api::Condition scaling_up(const Observation& seen, const Plan& plan,
                          const api::MachineDeploymentStatus& now) {
  if (!seen.deployment.spec.replicas && !is_deleting(seen)) {
    std::string message(kNoReplicas);
    if (!plan.faults.empty()) message = because(plan.faults);
    return make(condition::kScalingUp, status::kUnknown, reason::kWaitingForReplicasSet, message);
  }
  const Count desired = desired_of(seen);
  const Count present = now.replicas.value_or(0);
  if (is_deleting(seen)) return make(condition::kScalingUp, status::kFalse, reason::kNotScalingUp);
  const std::string why = because(obstacles(seen, plan));
  std::string message;
  if (present >= desired) {
    if (!why.empty()) message = "Scaling up would be blocked because " + why;
    return make(condition::kScalingUp, status::kFalse, reason::kNotScalingUp,
                with_remarks(std::move(message), seen, plan));
  }
  message = fmt::format("Scaling up from {} to {} replicas", present, desired);
  if (!why.empty()) message += " is blocked because " + why;
  if (seen.has_ceiling && why.empty()) add_holds(seen, condition::kScalingUp, message);
  return make(condition::kScalingUp, status::kTrue, reason::kScalingUp,
              with_remarks(std::move(message), seen, plan));
}

api::Condition scaling_down(const Observation& seen, const Plan& plan,
                            const api::MachineDeploymentStatus& now) {
  if (!seen.deployment.spec.replicas && !is_deleting(seen)) {
    return make(condition::kScalingDown, status::kUnknown, reason::kWaitingForReplicasSet, kNoReplicas);
  }
  const Count desired = desired_of(seen);
  const Count present = now.replicas.value_or(0);
  if (present <= desired) return make(condition::kScalingDown, status::kFalse, reason::kNotScalingDown);
  std::string message = fmt::format("Scaling down from {} to {} replicas", present, desired);
  if (const std::string why = because(plan.faults); plan.stuck && !why.empty())
    message += " is blocked because " + why;
  add_holds(seen, condition::kScalingDown, message);
  if (!plan.held_by.empty()) message += "\n* " + plan.held_by;
  return make(condition::kScalingDown, status::kTrue, reason::kScalingDown,
              with_stale(std::move(message), seen));
}

api::Condition deleting(const Observation& seen) {
  if (!is_deleting(seen)) return make(condition::kDeleting, status::kFalse, reason::kNotDeleting);
  const auto counted = [](std::size_t number, std::string_view kind) {
    return fmt::format("Deleting {} {}{}", number, kind, number == 1 ? "" : "s");
  };
  std::string message = "Deletion completed";
  if (seen.stored->metadata.has_finalizer(api::finalizer::kOrphan)) {
    message = "Waiting for the garbage collector to release MachineSets (--cascade=orphan)";
  } else if (!seen.machines.empty()) {
    message = with_stale(counted(seen.machines.size(), "Machine"), seen);
  } else if (!seen.sets.empty() || !seen.departed.empty()) {
    message = with_departed(counted(seen.sets.size() + seen.departed.size(), "MachineSet"), seen);
  }
  return make(condition::kDeleting, status::kTrue, reason::kDeleting, message);
}

}  // namespace capstan::controllers::machinedeployment
