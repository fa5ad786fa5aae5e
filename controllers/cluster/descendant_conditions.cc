#include "controllers/cluster/descendant_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/conditions/message.h"
#include "api/contract/foreign_conditions.h"
#include "api/names.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;
using conditions::Contribution;
using Parts = std::vector<Contribution>;

// So young a Machine need not have been judged yet.
constexpr Seconds kYoung{10};
constexpr std::size_t kNames = 3;

template <typename T>
Contribution part_of(const T& object, std::string_view kind, std::string_view type) {
  return {.kind = kind,
          .name = object.metadata.name.view(),
          .condition = conditions::find(object.status.conditions, type)};
}

Contribution part_of(const api::Machine& machine, std::string_view type) {
  auto part = part_of(machine, api::kind::kMachine, type);
  part.control_plane_machine = is_control_plane(machine);
  return part;
}

Parts deployments(const Observation& seen, std::string_view type) {
  Parts parts;
  for (const auto& each : seen.descendants.deployments)
    parts.push_back(part_of(*each, api::kind::kMachineDeployment, type));
  return parts;
}

void add_stand_alone_sets(const Observation& seen, std::string_view type, Parts& parts) {
  for (const auto& each : seen.descendants.sets) {
    if (is_owned(each->metadata, *seen.cluster))
      parts.push_back(part_of(*each, api::kind::kMachineSet, type));
  }
}

using Machines = std::vector<const api::Machine*>;

Machines control_plane_machines(const Observation& seen) {
  Machines machines;
  for (const auto& each : seen.descendants.control_plane_machines) machines.push_back(each.get());
  return machines;
}

Machines worker_machines(const Observation& seen) {
  Machines machines;
  for (const auto& each : seen.descendants.worker_machines) {
    if (!is_pool_machine(*each)) machines.push_back(each.get());
  }
  return machines;
}

struct Reasons {
  std::string_view good = {};
  std::string_view bad = {};
  std::string_view unknown = {};
  std::string_view none = {};  // while there is no descendant
};

api::Condition sum_up(const Parts& parts, std::string_view source, std::string_view target,
                      const Reasons& reasons) {
  if (parts.empty()) return conditions::make(target, status::kTrue, reasons.none);
  return conditions::aggregate(parts, {.source_type = source,
                                       .target_type = target,
                                       .reasons = {reasons.bad, reasons.unknown, reasons.good}});
}

api::Condition machines_ready(const Machines& machines, std::string_view target) {
  Parts parts;
  for (const auto* each : machines) parts.push_back(part_of(*each, condition::kReady));
  return sum_up(parts, condition::kReady, target,
                {reason::kReady, reason::kNotReady, reason::kReadyUnknown, reason::kNoReplicas});
}

bool is_too_young(const api::Machine& machine, Time now) {
  return now < machine.metadata.creation_timestamp + kYoung &&
         conditions::find(machine.status.conditions, condition::kUpToDate) == nullptr;
}

api::Condition machines_up_to_date(const Machines& machines, std::string_view target, Time now) {
  Parts parts;
  for (const auto* each : machines) {
    if (!is_too_young(*each, now)) parts.push_back(part_of(*each, condition::kUpToDate));
  }
  return sum_up(parts, condition::kUpToDate, target,
                {reason::kUpToDate, reason::kNotUpToDate, reason::kUpToDateUnknown, reason::kNoReplicas});
}

// RollingOut, ScalingUp, ScalingDown: something bad is going on as soon as one says so.
api::Condition activity(const Observation& seen, std::string_view type, const Reasons& reasons,
                        bool sets_too) {
  Parts parts = deployments(seen, type);
  if (sets_too) add_stand_alone_sets(seen, type, parts);
  std::optional<api::Condition> reported;
  if (seen.control_plane.object) {
    const api::contract::Foreign object(*seen.control_plane.object);
    if (auto read = api::contract::read_condition(object, type)) reported = std::move(*read);
  }
  if (reported) {
    parts.push_back(
        {.kind = seen.control_plane.kind, .name = seen.control_plane.key.name, .condition = &*reported});
  }
  if (parts.empty()) return conditions::make(type, status::kFalse, reasons.good);
  return conditions::aggregate(parts, {.source_type = type,
                                       .target_type = type,
                                       .negative_source = true,
                                       .negative_target = true,
                                       .reasons = {reasons.bad, reasons.unknown, reasons.good}});
}

bool is_false(const api::Machine& machine, std::string_view type) {
  return conditions::is_false(machine.status.conditions, type);
}

std::string unhealthy_message(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return fmt::format("{} {} {} not healthy (not to be remediated)",
                     names.size() == 1 ? "Machine" : "Machines", conditions::name_list(names, kNames),
                     names.size() == 1 ? "is" : "are");
}

api::Condition remediating(const Machines& control_plane, const Machines& workers) {
  Parts parts;
  std::vector<std::string> unhealthy;
  for (const auto* machines : {&control_plane, &workers}) {
    for (const auto* each : *machines) {
      if (!is_false(*each, condition::kHealthCheckSucceeded)) continue;
      if (is_false(*each, condition::kOwnerRemediated)) {
        parts.push_back(part_of(*each, condition::kOwnerRemediated));
      } else {
        unhealthy.push_back(each->metadata.name.str());
      }
    }
  }
  if (parts.empty()) {
    std::ranges::sort(unhealthy);
    return conditions::make(condition::kRemediating, status::kFalse, reason::kNotRemediating,
                            unhealthy_message(unhealthy));
  }
  const auto told = conditions::aggregate(
      parts, {.source_type = condition::kOwnerRemediated, .target_type = condition::kRemediating});
  return conditions::make(condition::kRemediating, status::kTrue, reason::kRemediating, told.message);
}

}  // namespace

std::vector<api::Condition> descendant_conditions(const Observation& seen) {
  const Machines control_plane = control_plane_machines(seen);
  const Machines workers = worker_machines(seen);
  return {
      sum_up(deployments(seen, condition::kAvailable), condition::kAvailable, condition::kWorkersAvailable,
             {reason::kAvailable, reason::kNotAvailable, reason::kAvailableUnknown, reason::kNoWorkers}),
      machines_ready(control_plane, condition::kControlPlaneMachinesReady),
      machines_ready(workers, condition::kWorkerMachinesReady),
      machines_up_to_date(control_plane, condition::kControlPlaneMachinesUpToDate, seen.now),
      machines_up_to_date(workers, condition::kWorkerMachinesUpToDate, seen.now),
      activity(seen, condition::kRollingOut,
               {reason::kNotRollingOut, reason::kRollingOut, reason::kRollingOutUnknown}, false),
      activity(seen, condition::kScalingUp,
               {reason::kNotScalingUp, reason::kScalingUp, reason::kScalingUpUnknown}, true),
      activity(seen, condition::kScalingDown,
               {reason::kNotScalingDown, reason::kScalingDown, reason::kScalingDownUnknown}, true),
      remediating(control_plane, workers),
  };
}

std::optional<Seconds> until_all_are_judged(const Observation& seen) {
  std::optional<Seconds> longest;
  for (const auto* machines : {&seen.descendants.control_plane_machines, &seen.descendants.worker_machines}) {
    for (const auto& each : *machines) {
      if (is_pool_machine(*each) || !is_too_young(*each, seen.now)) continue;
      longest = std::max(longest.value_or(Seconds(0)), each->metadata.creation_timestamp + kYoung - seen.now);
    }
  }
  return longest;
}

}  // namespace capstan::controllers::cluster
