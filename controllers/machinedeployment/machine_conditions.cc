#include "controllers/machinedeployment/machine_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/conditions/message.h"
#include "api/names.h"
#include "base/version.h"
#include "controllers/machinedeployment/held_sets.h"
#include "controllers/rollout/new_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
namespace status = api::status;
using api::conditions::Contribution;
using api::conditions::make;
using MachineSnapshot = Snapshot<api::Machine>;

constexpr Seconds kUpToDateGrace{10};  // a new Machine's first turn sets it
constexpr std::size_t kNames = 3;

api::ConditionPlace condition_of(const MachineSnapshot& machine, std::string_view type) {
  return api::conditions::find(machine->status.conditions, type);
}

Contribution contribution(const MachineSnapshot& machine, std::string_view type) {
  return {.kind = api::kind::kMachine,
          .name = machine->metadata.name.view(),
          .control_plane_machine = machine->metadata.labels.contains(api::label::kControlPlane),
          .condition = condition_of(machine, type)};
}

// After a change of the template Machines are judged one by one; what an old set made is old before that.
bool is_of(const std::set<api::Uid>& sets, const MachineSnapshot& machine) {
  const auto* owner = machine->metadata.controller();
  return owner != nullptr && sets.contains(owner->uid);
}

// "Node.status.nodeInfo.kubeletVersion v1.34.1+k3s1, v1.34.1 required": the kubelet of a distribution runs
// what is wanted, only more precisely named.
bool is_only_a_suffix(std::string_view line) {
  constexpr std::string_view kStart = "Node.status.nodeInfo.kubeletVersion ";
  constexpr std::string_view kEnd = " required";
  if (!line.starts_with(kStart) || !line.ends_with(kEnd)) return false;
  const std::string_view versions = line.substr(kStart.size(), line.size() - kStart.size() - kEnd.size());
  const auto comma = versions.find(", ");
  if (comma == versions.npos) return false;
  const auto is = Version::parse_tolerant(versions.substr(0, comma));
  const auto wanted = Version::parse_tolerant(versions.substr(comma + 2));
  return is && wanted && is->major == wanted->major && is->minor == wanted->minor &&
         is->patch == wanted->patch && wanted->prerelease.empty();
}

// Bullets of an UpToDate message that stand for work to do; empty when none does.
std::vector<std::string> reasons_of(std::string_view message) {
  std::vector<std::string> lines;
  while (!message.empty()) {
    const auto end = std::min(message.find('\n'), message.size());
    std::string_view line = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    if (!line.starts_with("* ")) continue;
    line.remove_prefix(2);
    if (!is_only_a_suffix(line)) lines.emplace_back(line);
  }
  return lines;
}

std::set<api::Uid> old_sets(const Observation& seen) {
  std::set<api::Uid> old;
  const bool begun = rollout::has_begun_rollout_after(seen.deployment, seen.sets, seen.now);
  for (const auto& set : seen.sets) {
    if (!rollout::is_up_to_date(seen.deployment, *set, begun)) old.insert(set->metadata.uid);
  }
  return old;
}

// Machines that have failed by their policy are replaced without a mark of a health check.
std::string waits_in(const Observation& seen, const Plan& plan) {
  std::string message;
  if (!plan.replacements_wait.empty()) message = "* " + plan.replacements_wait;
  for (const auto& set : seen.sets) {
    for (const std::string& line : holds_of(*set, condition::kRemediating))
      message += (message.empty() ? "* " : "\n* ") + line;
  }
  return message;
}

bool says_only_suffix(const api::ConditionView& up_to_date) {
  return up_to_date.message.view().starts_with("* Node.status.nodeInfo.kubeletVersion ") &&
         reasons_of(up_to_date.message.view()).empty();
}

}  // namespace

api::Condition machines_ready(const Observation& seen) {
  if (seen.machines.empty()) return make(condition::kMachinesReady, status::kTrue, reason::kNoReplicas);
  std::vector<Contribution> parts;
  for (const auto& machine : seen.machines) parts.push_back(contribution(machine, condition::kReady));
  return api::conditions::aggregate(
      parts,
      {.source_type = condition::kReady,
       .target_type = condition::kMachinesReady,
       .reasons = {.issue = reason::kNotReady, .unknown = reason::kReadyUnknown, .info = reason::kReady}});
}

api::Condition machines_up_to_date(const Observation& seen) {
  const auto old = old_sets(seen);
  std::vector<Contribution> parts;
  for (const auto& machine : seen.machines) {
    const bool is_new = seen.now - machine->metadata.creation_timestamp <= kUpToDateGrace;
    if (is_new && condition_of(machine, condition::kUpToDate) == nullptr) continue;
    parts.push_back(contribution(machine, condition::kUpToDate));
    const bool by_another_template =
        api::conditions::is_true(machine->status.conditions, condition::kUpToDate);
    if (by_another_template && is_of(old, machine)) parts.back().condition = {};
  }
  if (parts.empty()) return make(condition::kMachinesUpToDate, status::kTrue, reason::kNoReplicas);
  return api::conditions::aggregate(parts, {.source_type = condition::kUpToDate,
                                            .target_type = condition::kMachinesUpToDate,
                                            .reasons = {.issue = reason::kNotUpToDate,
                                                        .unknown = reason::kUpToDateUnknown,
                                                        .info = reason::kUpToDate}});
}

api::Condition rolling_out(const Observation& seen, const Plan& plan) {
  std::size_t outdated = 0;
  // Versions first: what most people want to know.
  const auto rank = [](const std::string& left, const std::string& right) {
    const bool first = left.starts_with("Version");
    return first != right.starts_with("Version") ? first : left < right;
  };
  std::set<std::string, decltype(rank)> reasons(rank);
  const auto old = old_sets(seen);
  for (const auto& machine : seen.machines) {
    const auto up_to_date = condition_of(machine, condition::kUpToDate);
    const bool judged = up_to_date != nullptr && up_to_date->status == status::kFalse;
    if (is_of(old, machine)) {
      ++outdated;
    } else if (judged && !says_only_suffix(*up_to_date)) {
      ++outdated;
    } else {
      continue;
    }
    if (!judged) continue;
    for (auto& line : reasons_of(up_to_date->message.view())) reasons.insert(std::move(line));
  }
  if (outdated == 0) return make(condition::kRollingOut, status::kFalse, reason::kNotRollingOut);
  std::string message = fmt::format("Rolling out {} not up-to-date replicas", outdated);
  for (const std::string& line : reasons) message += "\n* " + line;
  for (const std::string& line : plan.held) message += "\n* " + line;
  for (const std::string& line : holds_of_old_sets(seen)) message += "\n* " + line;
  return make(condition::kRollingOut, status::kTrue, reason::kRollingOut, message);
}

api::Condition remediating(const Observation& seen, const Plan& plan) {
  std::vector<Contribution> candidates;
  std::vector<std::string> unhealthy;
  for (const auto& machine : seen.machines) {
    const auto& conditions = machine->status.conditions;
    if (!api::conditions::is_false(conditions, condition::kHealthCheckSucceeded)) continue;
    unhealthy.push_back(machine->metadata.name.str());
    if (!api::conditions::is_false(conditions, condition::kOwnerRemediated)) continue;
    candidates.push_back(contribution(machine, condition::kOwnerRemediated));
  }
  if (!candidates.empty()) {
    const auto merged = api::conditions::aggregate(candidates, {.source_type = condition::kOwnerRemediated,
                                                                .target_type = condition::kRemediating,
                                                                .negative_target = true});
    std::string message = merged.message.str();
    if (!plan.replacements_wait.empty()) message += "\n* " + plan.replacements_wait;
    return make(condition::kRemediating, status::kTrue, reason::kRemediating, message);
  }
  if (const std::string waiting = waits_in(seen, plan); !waiting.empty())
    return make(condition::kRemediating, status::kTrue, reason::kRemediating, waiting);
  if (unhealthy.empty()) return make(condition::kRemediating, status::kFalse, reason::kNotRemediating);
  std::ranges::sort(unhealthy);
  return make(
      condition::kRemediating, status::kFalse, reason::kNotRemediating,
      fmt::format("{} {} {} not healthy (not to be remediated by MachineDeployment/MachineSet)",
                  unhealthy.size() == 1 ? "Machine" : "Machines",
                  api::conditions::name_list(unhealthy, kNames), unhealthy.size() == 1 ? "is" : "are"));
}

}  // namespace capstan::controllers::machinedeployment
