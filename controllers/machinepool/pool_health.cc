#include "controllers/machinepool/pool_health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/text_fmt.h"
#include "controllers/lifecycle/judge.h"
#include "controllers/lifecycle/request.h"
#include "controllers/lifecycle/wellness.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr std::string_view kAllWell = "AllWell";
constexpr std::string_view kMachinesNotWell = "MachinesNotWell";
constexpr std::string_view kNodesNotWell = "NodesNotWell";
constexpr std::size_t kMostShown = 10;
constexpr std::string_view kProvidersTurn =
    "This pool has no Machines that could be replaced: its provider has to replace these instances";

using Lines = std::vector<std::string>;

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

Lines sick_machines(const Observation& seen) {
  Lines lines;
  for (const auto& machine : seen.machines.machines) {
    const auto standing = lifecycle::standing_of(*machine);
    if (machine->metadata.deleting() || !standing) continue;
    if (standing->phase != lifecycle::Phase::Unhealthy && standing->phase != lifecycle::Phase::Failed)
      continue;
    lines.push_back(fmt::format("Machine {} is {}: {}", machine->metadata.name,
                                lifecycle::to_string(standing->phase), first_line(standing->message)));
  }
  return lines;
}

// What the policy asks for, and what users ask for in vain.
Lines troubles_of(const api::Node& node, const lifecycle::Rules& rules) {
  Lines troubles = lifecycle::wellness_of(&node, rules).troubles;
  const auto request = lifecycle::replace_request({}, &node);
  if (!request.by.empty()) troubles.push_back(fmt::format("{} replaces nothing here", request.by));
  return troubles;
}

Lines sick_nodes(const Observation& seen) {
  const auto rules = lifecycle::rules_for(seen.policy->spec, {});
  Lines lines;
  for (const Instance& instance : seen.instances) {
    if (!instance.node || instance.shared) continue;
    const Lines troubles = troubles_of(*instance.node, rules);
    if (!troubles.empty())
      lines.push_back(fmt::format("Node {}: {}", instance.node->metadata.name, fmt::join(troubles, ", ")));
  }
  return lines;
}

std::string listed(const Lines& lines) {
  std::string text;
  for (std::size_t at = 0; at < std::min(lines.size(), kMostShown); ++at)
    text += fmt::format("{}* {}", text.empty() ? "" : "\n", lines[at]);
  if (lines.size() > kMostShown) text += fmt::format("\n* and {} more", lines.size() - kMostShown);
  return text;
}

api::Condition of_machines(const Observation& seen, const Plan& plan) {
  const Lines sick = sick_machines(seen);
  if (sick.empty()) return api::conditions::make(kHealthy, api::status::kTrue, kAllWell);
  std::string message = listed(sick);
  for (const std::string& why : plan.replacements_held)
    message += fmt::format("\n* None of them is replaced now: {}", why);
  for (const std::string& who : plan.replacements_wait) message += "\n* " + who;
  return api::conditions::make(kHealthy, api::status::kFalse, kMachinesNotWell, message);
}

api::Condition of_nodes(const Observation& seen) {
  const Lines sick = sick_nodes(seen);
  if (sick.empty()) return api::conditions::make(kHealthy, api::status::kTrue, kAllWell);
  return api::conditions::make(kHealthy, api::status::kFalse, kNodesNotWell,
                               fmt::format("{}\n{}", listed(sick), kProvidersTurn));
}

}  // namespace

void show_health(const Observation& seen, const Plan& plan, api::MachinePool& after) {
  if (seen.machines.state == MachinesSeen::State::Unknown) return;
  auto& list = after.status.conditions;
  const bool has_machines = seen.machines.state == MachinesSeen::State::Known;
  const bool asks = seen.policy && (has_machines || seen.policy->spec.health.node_checks);
  if (!asks) {
    api::conditions::remove(list, kHealthy);
  } else if (has_machines || seen.connected) {
    api::conditions::set(list, has_machines ? of_machines(seen, plan) : of_nodes(seen),
                         after.metadata.generation, seen.now);
  }
}

}  // namespace capstan::controllers::machinepool
