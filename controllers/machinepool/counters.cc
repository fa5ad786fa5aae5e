#include "controllers/machinepool/counters.h"

#include <algorithm>
#include <map>

#include "api/conditions/conditions.h"
#include "base/version.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinepool {
namespace {

using api::MachinePoolStatus;

Seconds patience(const Observation& seen) {
  return Seconds(seen.pool->spec.machine_template.spec.min_ready_seconds.value_or(0));
}

// Null unless it says True.
const api::NodeCondition* ready_of(const Snapshot<api::Node>& node) {
  if (!node) return nullptr;
  const auto* ready = node->condition(api::condition::kReady);
  return ready != nullptr && ready->status == api::status::kTrue ? ready : nullptr;
}

std::int32_t count_true(const Observation& seen, std::string_view type) {
  return static_cast<std::int32_t>(std::ranges::count_if(seen.machines.machines, [&](const auto& machine) {
    return api::conditions::is_true(machine->status.conditions, type);
  }));
}

bool is_older(std::string_view left, std::string_view right) {
  const auto a = Version::parse_tolerant(left);
  const auto b = Version::parse_tolerant(right);
  if (a.has_value() != b.has_value()) return a.has_value();
  if (a && b && *a != *b) return *a < *b;
  return left < right;
}

api::List<api::VersionCount> sorted(const std::map<std::string_view, std::int32_t>& counted) {
  std::vector<std::pair<std::string_view, std::int32_t>> entries(counted.begin(), counted.end());
  std::ranges::sort(entries, is_older, [](const auto& entry) { return entry.first; });
  std::vector<api::VersionCount> list;
  for (const auto& [version, replicas] : entries)
    list.push_back({.version = Text(version), .replicas = replicas});
  return list;
}

api::List<api::VersionCount> versions_of_nodes(const Observation& seen) {
  std::map<std::string_view, std::int32_t> counted;
  for (const Instance& instance : seen.instances) {
    if (!instance.node) continue;
    const std::string_view version = instance.node->status.node_info->kubelet_version;
    if (!version.empty()) ++counted[version];
  }
  return sorted(counted);
}

api::List<api::VersionCount> versions_of_machines(const Observation& seen) {
  std::map<std::string_view, std::int32_t> counted;
  for (const auto& machine : seen.machines.machines) {
    const Text& runs = machine->status.node_info->kubelet_version;
    const std::string_view version = runs.empty() ? machine->spec.version.view() : runs.view();
    if (!version.empty()) ++counted[version];
  }
  return sorted(counted);
}

api::ObjectReference reference_to(const api::Node& node) {
  return {.kind = Text(api::kind::kNode),
          .name = node.metadata.name,
          .uid = node.metadata.uid,
          .api_version = "v1"_text};
}

bool is_referred(const api::MachinePool& pool, const api::Node& node) {
  return std::ranges::any_of(pool.status.node_refs,
                             [&](const auto& ref) { return ref.uid == node.metadata.uid; });
}

// A nodeRef is a claim: the Node of another claimant gets none, but one that is there is a fact and stays.
api::List<api::ObjectReference> node_refs(const Observation& seen, const Plan& plan, const Effects& effects) {
  std::vector<api::ObjectReference> refs;
  for (const Instance& instance : seen.instances) {
    if (!instance.node || (instance.shared && !is_referred(*seen.pool, *instance.node))) continue;
    refs.push_back(reference_to(*instance.node));
  }
  for (const auto& node : plan.waiting) refs.push_back(reference_to(*node));
  for (const auto& node : effects.kept) refs.push_back(reference_to(*node));
  return refs;
}

void count_v1beta1(const NodeCounts& nodes, const MachinePoolStatus& now,
                   api::V1Beta1MachinePoolStatus& old) {
  old.ready_replicas = nodes.ready;
  old.available_replicas = nodes.available;
  old.unavailable_replicas = std::max(now.replicas.value_or(0) - nodes.available, 0);
}

// No Nodes are seen: the numbers stay as they stand, but for instances that have left.
void keep_counts(MachinePoolStatus& status) {
  if (!status.replicas) return;
  const std::int32_t most = *status.replicas;
  for (auto* number : {&status.ready_replicas, &status.available_replicas}) {
    if (*number) *number = std::min(**number, most);
  }
  if (!status.deprecated || !status.deprecated->v1beta1) return;
  auto& old = *status.deprecated->v1beta1;
  count_v1beta1(
      {.ready = std::min(old.ready_replicas, most), .available = std::min(old.available_replicas, most)},
      status, old);
}

}  // namespace

void count(const Observation& seen, const Plan& plan, const Effects& effects, MachinePoolStatus& status) {
  const NodeCounts nodes = count_nodes(seen);
  if (seen.connected) {
    status.node_refs = node_refs(seen, plan, effects);
    count_v1beta1(nodes, status, status.deprecated.ensure().v1beta1.ensure());
  } else {
    keep_counts(status);
  }
  if (!seen.infra.found() || !seen.infra_says.problem.empty()) return;
  switch (seen.machines.state) {
    case MachinesSeen::State::Known:
      status.ready_replicas = count_true(seen, api::condition::kReady);
      status.available_replicas = count_true(seen, api::condition::kAvailable);
      status.up_to_date_replicas = count_true(seen, api::condition::kUpToDate);
      status.versions = versions_of_machines(seen);
      break;
    case MachinesSeen::State::Unsupported:
      status.up_to_date_replicas = std::max(plan.wanted.spec.replicas.value_or(0), 0);
      if (!seen.connected) break;
      status.ready_replicas = nodes.ready;
      status.available_replicas = nodes.available;
      status.versions = versions_of_nodes(seen);
      break;
    case MachinesSeen::State::Unknown: break;
  }
}

NodeCounts count_nodes(const Observation& seen) {
  NodeCounts counts;
  for (const Instance& instance : seen.instances) {
    if (instance.node) ++counts.found;
    const auto* ready = ready_of(instance.node);
    if (ready == nullptr) continue;
    ++counts.ready;
    const Seconds span = patience(seen);
    if (span.count() == 0 || seen.now - ready->last_transition_time > span) ++counts.available;
  }
  return counts;
}

std::optional<Seconds> next_available(const Observation& seen) {
  std::optional<Seconds> next;
  const Seconds span = patience(seen);
  if (span.count() == 0) return next;
  for (const Instance& instance : seen.instances) {
    const auto* ready = ready_of(instance.node);
    if (ready == nullptr) continue;
    const Seconds left = span + Seconds(1) - (seen.now - ready->last_transition_time);
    if (left.count() > 0) recheck_within(next, left);
  }
  return next;
}

}  // namespace capstan::controllers::machinepool
