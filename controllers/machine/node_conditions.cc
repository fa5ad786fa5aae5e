#include "controllers/machine/node_conditions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "api/conditions/v1beta1.h"
#include "controllers/machine/decide.h"

namespace capstan::controllers::machine {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;
namespace older = api::conditions::v1beta1;
namespace older_reason = api::v1beta1_reason;

// Failing for less than this without ever having succeeded means: still coming up. (Upstream: five probes in
// a row, ten seconds apart.)
constexpr Seconds kComingUp{50};
constexpr std::string_view kLastSuccess = "Last successful probe at ";
constexpr std::array kHealth = {condition::kReady, condition::kMemoryPressure, condition::kDiskPressure,
                                condition::kPidPressure};

NodeConditions both(std::string_view status, std::string_view reason, const std::string& message);
std::optional<NodeConditions> cluster_not_there_yet(const Observation& seen);
std::optional<NodeConditions> out_of_reach(const Observation& seen);
std::string last_success(const Observation& seen);
NodeConditions of_node(const api::Node& node);
NodeConditions without_node(const Observation& seen, const api::Machine& after);

}  // namespace

NodeConditions node_conditions(const Observation& seen, const api::Machine& after) {
  if (auto early = cluster_not_there_yet(seen)) return *early;
  if (auto unreachable = out_of_reach(seen)) return *unreachable;
  if (!seen.node.whose.ours()) {
    return both(status::kUnknown, reason_of(seen.node.whose), seen.node.whose.why);
  }
  switch (seen.node.lookup) {
    case NodeSeen::Lookup::One: return of_node(*seen.node.node);
    case NodeSeen::Lookup::Many: return both(status::kUnknown, reason::kInternalError, duplicate_nodes(seen));
    case NodeSeen::Lookup::NotConnected: {
      auto kept = both(status::kUnknown, reason::kConnectionDown, last_success(seen));
      kept.keep = true;
      return kept;
    }
    case NodeSeen::Lookup::NotAsked:
    case NodeSeen::Lookup::None: break;
  }
  return without_node(seen, after);
}

namespace {

NodeConditions both(std::string_view status, std::string_view reason, const std::string& message) {
  return {.ready = conditions::make(condition::kNodeReady, status, reason, message),
          .healthy = conditions::make(condition::kNodeHealthy, status, reason, message)};
}

std::optional<NodeConditions> cluster_not_there_yet(const Observation& seen) {
  if (!seen.cluster) {
    return both(status::kUnknown, reason::kInspectionFailed,
                fmt::format("Waiting for Cluster {} to exist", seen.machine->spec.cluster_name.view()));
  }
  const auto& cluster = seen.cluster->status;
  if (!cluster.initialization.infrastructure_provisioned.value_or(false)) {
    return both(status::kUnknown, reason::kInspectionFailed,
                "Waiting for Cluster status.initialization.infrastructureProvisioned to be true");
  }
  if (!conditions::is_true(cluster.conditions, condition::kControlPlaneInitialized)) {
    return both(status::kUnknown, reason::kInspectionFailed,
                "Waiting for Cluster control plane to be initialized");
  }
  return std::nullopt;
}

// Of a probe that a manager before this one has made.
bool knows_a_success(const api::Machine& machine) {
  const auto known = conditions::find(machine.status.conditions, condition::kNodeReady);
  return known != nullptr && known->reason == reason::kConnectionDown &&
         known->message.view().starts_with(kLastSuccess);
}

// What was known of the Node is believed for a while after the last sign of life.
std::optional<NodeConditions> out_of_reach(const Observation& seen) {
  const auto& reach = seen.node.reach;
  if (reach.connected) return std::nullopt;
  const auto initialized =
      conditions::find(seen.cluster->status.conditions, condition::kControlPlaneInitialized);
  const bool never = !reach.last_success.is_set();
  if (never && (!reach.first_failure.is_set() || seen.now - reach.first_failure < kComingUp)) {
    auto kept = both(status::kUnknown, reason::kConnectionDown, "Remote connection not established yet");
    kept.keep = true;
    if (reach.first_failure.is_set()) kept.recheck = kComingUp - (seen.now - reach.first_failure);
    return kept;
  }
  const Seconds silent = seen.now - std::max(reach.last_success, initialized->last_transition_time);
  auto down = both(status::kUnknown, reason::kConnectionDown, last_success(seen));
  down.keep = never && knows_a_success(*seen.machine);
  if (silent > seen.settings.conditions_grace) return down;
  down.keep = true;
  down.recheck = seen.settings.conditions_grace - silent + Seconds(1);
  return down;
}

std::string last_success(const Observation& seen) {
  return fmt::format("{}{}", kLastSuccess, seen.node.reach.last_success.to_string());
}

std::string_view ready_reason(std::string_view ready) {
  if (ready == status::kTrue) return reason::kNodeReady;
  return ready == status::kFalse ? reason::kNodeNotReady : reason::kNodeReadyUnknown;
}

api::Condition node_ready(const api::Node& node) {
  const auto* ready = node.condition(condition::kReady);
  if (ready == nullptr) {
    return conditions::make(condition::kNodeReady, status::kUnknown, reason::kNodeReadyUnknown,
                            "* Node.Ready: Condition not yet reported");
  }
  const std::string message = ready->status == status::kTrue
                                  ? std::string()
                                  : fmt::format("* Node.Ready:{}", conditions::nested(ready->message));
  const bool known = ready->status == status::kTrue || ready->status == status::kFalse;
  auto made = conditions::make(condition::kNodeReady, known ? ready->status.view() : status::kUnknown,
                               ready_reason(ready->status), message);
  made.last_transition_time = ready->last_transition_time;
  return made;
}

enum class Health { Good, Unknown, Bad };

Health health(const api::NodeCondition* found, std::string_view type) {
  if (found == nullptr || (found->status != status::kTrue && found->status != status::kFalse))
    return Health::Unknown;
  const bool good = (found->status == status::kTrue) == (type == condition::kReady);
  return good ? Health::Good : Health::Bad;
}

struct Line {
  std::string_view type = {};
  std::string message = {};
};

std::string told(const std::vector<Line>& lines) {
  const bool same =
      std::ranges::all_of(lines, [&](const Line& line) { return line.message == lines.front().message; });
  if (lines.size() > 1 && same) {
    return fmt::format("* Node.AllConditions:{}", conditions::nested(lines.front().message));
  }
  std::string message;
  for (const Line& line : lines) {
    message += fmt::format("{}* Node.{}:{}", message.empty() ? "" : "\n", line.type,
                           conditions::nested(line.message));
  }
  return message;
}

std::string line_of(const api::NodeCondition* found) {
  if (found == nullptr) return "Condition not yet reported";
  return found->message.empty() ? fmt::format("Condition is {}", found->status.view()) : found->message.str();
}

api::Condition node_healthy(const api::Node& node) {
  Health worst = Health::Good;
  std::vector<Line> lines;
  for (const auto type : kHealth) {
    const auto* found = node.condition(type);
    const Health state = health(found, type);
    worst = std::max(worst, state);
    if (state != Health::Good) lines.push_back({.type = type, .message = line_of(found)});
  }
  if (worst == Health::Good)
    return conditions::make(condition::kNodeHealthy, status::kTrue, reason::kNodeHealthy);
  const bool bad = worst == Health::Bad;
  return conditions::make(condition::kNodeHealthy, bad ? status::kFalse : status::kUnknown,
                          bad ? reason::kNodeNotHealthy : reason::kNodeHealthyUnknown, told(lines));
}

NodeConditions of_node(const api::Node& node) {
  return {.ready = node_ready(node), .healthy = node_healthy(node)};
}

NodeConditions without_node(const Observation& seen, const api::Machine& after) {
  const auto& ref = after.status.node_ref;
  if (ref) {
    return both(status::kFalse, reason::kNodeDeleted,
                fmt::format("Node {} has been deleted{}", ref->name.view(),
                            seen.deleting() ? "" : " while the Machine still exists"));
  }
  if (seen.deleting()) return both(status::kUnknown, reason::kNodeDoesNotExist, "Node does not exist");
  if (!after.spec.provider_id.empty()) {
    return both(
        status::kUnknown, reason::kInspectionFailed,
        fmt::format("Waiting for a Node with spec.providerID {} to exist", after.spec.provider_id.view()));
  }
  return both(
      status::kUnknown, reason::kInspectionFailed,
      fmt::format("Waiting for {} to report spec.providerID", after.spec.infrastructure_ref.kind.view()));
}

}  // namespace

namespace {

// Unlike NodeHealthy of today, conditions the kubelet has not reported don't count here.
api::V1Beta1Condition v1beta1_of_node(const api::Node& node) {
  std::vector<std::string> bad;
  bool any_known = false;
  for (const auto type : kHealth) {
    const auto* found = node.condition(type);
    if (found == nullptr) continue;
    const Health state = health(found, type);
    any_known = any_known || state != Health::Unknown;
    if (state == Health::Good) continue;
    bad.push_back(fmt::format("Node condition {} is {}", type, found->status.view()));
  }
  std::string text;
  for (const auto& each : bad) text += (text.empty() ? "" : ". ") + each;
  if (bad.empty()) return older::yes(api::v1beta1_condition::kNodeHealthy);
  if (!any_known) {
    return older::unknown(api::v1beta1_condition::kNodeHealthy, older_reason::kNodeConditionsFailed, text);
  }
  return older::no(api::v1beta1_condition::kNodeHealthy, older_reason::kNodeConditionsFailed,
                   api::severity::kWarning, text);
}

}  // namespace

std::optional<api::V1Beta1Condition> v1beta1_node_healthy(const Observation& seen, const api::Machine& after,
                                                          bool leaving) {
  constexpr auto kType = api::v1beta1_condition::kNodeHealthy;
  if (leaving) return older::no(kType, older_reason::kDeleting, api::severity::kInfo);
  if (!seen.node.whose.ours())
    return older::unknown(kType, older_reason::kNodeInspectionFailed, seen.node.whose.why);
  switch (seen.node.lookup) {
    case NodeSeen::Lookup::NotAsked:
      if (seen.deleting()) return std::nullopt;
      return older::no(kType, older_reason::kWaitingForNodeRef, api::severity::kInfo);
    case NodeSeen::Lookup::NotConnected: return std::nullopt;
    case NodeSeen::Lookup::Many:
      return older::unknown(kType, older_reason::kNodeInspectionFailed,
                            "Failed to get the Node for this Machine by ProviderID");
    case NodeSeen::Lookup::None:
      if (seen.deleting()) return std::nullopt;
      if (after.status.node_ref) return older::no(kType, older_reason::kNodeNotFound, api::severity::kError);
      return older::no(kType, older_reason::kNodeProvisioning, api::severity::kWarning,
                       "Waiting for a node with matching ProviderID to exist");
    case NodeSeen::Lookup::One: break;
  }
  if (seen.infra.missing() || (seen.infra.found() && seen.infra.object->metadata.deleting())) {
    return older::no(kType, older_reason::kDeleting, api::severity::kInfo);
  }
  return v1beta1_of_node(*seen.node.node);
}

}  // namespace capstan::controllers::machine
