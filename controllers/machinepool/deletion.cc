#include "controllers/machinepool/deletion.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/shared/live_object.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr Seconds kRecheck{20};
constexpr Seconds kUnlistedRecheck{1};
constexpr Seconds kUnlistableRecheck = kLiveLook;  // the first list of a kind wakes us, a live look does not
constexpr std::int32_t kDefaultNodeTimeout = 10;   // where no webhook wrote it

bool is_owned_by(const ExternalSeen& external, const api::MachinePool& pool) {
  return std::ranges::any_of(*external.object->metadata.owner_references,
                             [&](const auto& owner) { return owner.uid == pool.metadata.uid; });
}

bool had_instances(const api::MachinePool& pool) {
  return !pool.spec.provider_id_list.empty() || !pool.status.node_refs.empty() ||
         pool.status.initialization.infrastructure_provisioned.value_or(false);
}

// Somebody else's object stays: it was never ours. Nor was one that the pool could never read and that nobody
// owns, as long as nothing came of it.
bool is_foreign(const ExternalSeen& external, const api::MachinePool& pool) {
  const auto* controller = external.object->metadata.controller();
  if (controller != nullptr) return controller->uid != pool.metadata.uid;
  return external.live && !is_owned_by(external, pool) && !had_instances(pool);
}

bool may_remove(const ExternalSeen& external, const api::MachinePool& pool) {
  if (external.object->metadata.deleting()) return false;
  return !external.live || is_owned_by(external, pool) || is_off(Safeguard::UnreadableOwner);
}

std::string describe_left(const ExternalSeen& external, const api::MachinePool& pool) {
  std::string text = fmt::format("{} {}", external.resource.kind, external.key.name);
  if (!external.live) return text;
  text += fmt::format(" ({})", external.problem);
  if (external.object->metadata.deleting() || is_owned_by(external, pool)) return text;
  return text + ", which MachinePool " + pool.metadata.name.str() +
         " does not own: delete it, or make the MachinePool its owner";
}

std::string describe_unreadable(const ExternalSeen& external) {
  return fmt::format("an object that can't be read: {}", external.problem);
}

// As the Machines of these instances would be, had they any.
bool is_excluded(const api::MachinePool& pool, std::string_view by) {
  return pool.metadata.annotations.contains(by) ||
         pool.spec.machine_template.metadata.annotations.contains(by);
}

bool drains(const Observation& seen) {
  return !is_excluded(*seen.pool, api::annotation::kExcludeNodeDraining);
}

bool waits_for_volumes(const Observation& seen) {
  return !is_excluded(*seen.pool, api::annotation::kExcludeWaitForNodeVolumeDetach);
}

// A timeout of 0 never is.
bool is_over(const Observation& seen, Time started, std::optional<std::int32_t> timeout) {
  return started.is_set() && timeout.value_or(0) > 0 && seen.now - started >= Seconds(*timeout);
}

// 0: never.
std::int32_t node_timeout(const Observation& seen) {
  const auto& deletion = seen.pool->spec.machine_template.spec.deletion;
  return deletion.node_deletion_timeout_seconds.value_or(kDefaultNodeTimeout);
}

bool timed_out(const Observation& seen) {
  const auto timeout = node_timeout(seen);
  return timeout > 0 && seen.now - seen.pool->metadata.deletion_timestamp > Seconds(timeout);
}

void add_once(std::vector<Snapshot<api::Node>>& nodes, const Snapshot<api::Node>& node) {
  const auto same = [&](const auto& other) { return other->metadata.uid == node->metadata.uid; };
  if (std::ranges::none_of(nodes, same)) nodes.push_back(node);
}

// Those it knew and those that came since. Nodes of Machines go with their Machine.
std::vector<Snapshot<api::Node>> nodes_of(const Observation& seen) {
  std::vector<Snapshot<api::Node>> nodes;
  const auto with_machine = [&](const api::Node& node) {
    return std::ranges::any_of(seen.machines.machines, [&](const auto& machine) {
      const auto& ref = machine->status.node_ref;
      return (ref && ref->name == node.metadata.name) ||
             (!node.spec.provider_id.empty() && machine->spec.provider_id == node.spec.provider_id);
    });
  };
  for (const auto& node : seen.former) {
    if (!with_machine(*node)) add_once(nodes, node);
  }
  for (const Instance& instance : seen.instances) {
    if (instance.node && !instance.shared && !with_machine(*instance.node)) add_once(nodes, instance.node);
  }
  return nodes;
}

// Nodes nobody can reach are waited for as long as both waits could take, one after the other.
bool is_out_of_patience(const Observation& seen) {
  const auto& deletion = seen.pool->spec.machine_template.spec.deletion;
  const Time began = seen.pool->metadata.deletion_timestamp;
  const Seconds drain(drains(seen) ? deletion.node_drain_timeout_seconds.value_or(0) : 0);
  return drain_is_over(seen, began) && volume_wait_is_over(seen, began + drain);
}

// As long as the instances live. True: nothing else happens before there is a way to the Nodes.
bool drains_first(const Observation& seen, DeletionPlan& leaving) {
  const bool living =
      seen.infra.found() && !seen.infra.object->metadata.deleting() && !is_foreign(seen.infra, *seen.pool);
  const bool known = !seen.pool->status.node_refs.empty() || !seen.pool->spec.provider_id_list.empty();
  if (!living || !known || !has_to_drain(seen)) return false;
  if (seen.connected()) {
    leaving.drain = nodes_of(seen);
    return false;
  }
  if (is_out_of_patience(seen)) return false;
  leaving.remove.clear();
  leaving.reason = api::reason::kDrainingNode;
  leaving.message = "Waiting for the workload cluster to drain its Nodes: " + seen.reach.problem;
  leaving.recheck = kRecheck;
  return true;
}

void delete_nodes(const Observation& seen, DeletionPlan& leaving) {
  const bool known = !seen.pool->status.node_refs.empty() || !seen.pool->spec.provider_id_list.empty();
  const bool cluster_goes = !seen.cluster || seen.cluster->metadata.deleting();
  leaving.let_go = true;
  leaving.impatient = timed_out(seen);
  if (!known || cluster_goes || (leaving.impatient && !seen.connected())) return;
  leaving.reason = api::reason::kDeletingNode;
  if (!seen.connected()) {
    leaving.let_go = false;
    leaving.message = "Waiting for the workload cluster to delete its Nodes: " + seen.reach.problem;
    const auto timeout = node_timeout(seen);
    leaving.recheck = timeout > 0 ? std::min(Seconds(timeout) + Seconds(1), kRecheck) : kRecheck;
    return;
  }
  leaving.nodes = nodes_of(seen);
}

std::vector<OwnedNow> not_owned_yet(const Observation& seen) {
  std::vector<OwnedNow> claims;
  const auto add = [&](const ExternalSeen& external, std::optional<Claim> claim) {
    if (claim && !external.live) claims.push_back({.external = &external, .claim = std::move(*claim)});
  };
  add(seen.infra, seen.infra_says.claim);
  add(seen.bootstrap, read_bootstrap(seen.bootstrap, *seen.pool).claim);
  return claims;
}

}  // namespace

bool has_to_drain(const Observation& seen) {
  return seen.drains && !is_off(Safeguard::PoolDrain) && seen.cluster && !seen.cluster->metadata.deleting() &&
         (drains(seen) || waits_for_volumes(seen));
}

bool drain_is_over(const Observation& seen, Time started) {
  const auto& deletion = seen.pool->spec.machine_template.spec.deletion;
  return !drains(seen) || is_over(seen, started, deletion.node_drain_timeout_seconds);
}

bool volume_wait_is_over(const Observation& seen, Time started) {
  const auto& deletion = seen.pool->spec.machine_template.spec.deletion;
  return !waits_for_volumes(seen) || is_over(seen, started, deletion.node_volume_detach_timeout_seconds);
}

DeletionPlan decide_deletion(const Observation& seen) {
  using State = ExternalSeen::State;
  DeletionPlan leaving{.claims = not_owned_yet(seen), .late = seen.late};
  std::vector<std::string> left;
  bool infra_left = false;
  for (const ExternalSeen* external : {&seen.infra, &seen.bootstrap}) {
    switch (external->state) {
      case State::Unused:
      case State::Missing: break;
      case State::CacheBehind:
        left.push_back(external->listed_soon
                           ? "objects not listed yet"
                           : fmt::format("objects that can't be listed: {}", external->problem));
        leaving.recheck = std::min(leaving.recheck.value_or(kUnlistableRecheck),
                                   external->listed_soon ? kUnlistedRecheck : kUnlistableRecheck);
        break;
      case State::Undefined: break;  // gone with its definition, which the confirmation has to find missing
      case State::Unreadable:        // nor did the server say what has become of it
        left.push_back(describe_unreadable(*external));
        infra_left = infra_left || external == &seen.infra;
        leaving.recheck = std::min(leaving.recheck.value_or(kUnlistableRecheck), kUnlistableRecheck);
        break;
      case State::Found:
        if (is_foreign(*external, *seen.pool)) break;
        left.push_back(describe_left(*external, *seen.pool));
        infra_left = infra_left || external == &seen.infra;
        if (external->live)
          leaving.recheck = std::min(leaving.recheck.value_or(kUnlistableRecheck), kUnlistableRecheck);
        if (seen.fresh && may_remove(*external, *seen.pool)) leaving.remove.push_back(external);
        break;
    }
  }
  if (!leaving.remove.empty() && drains_first(seen, leaving)) return leaving;
  if (!left.empty()) {
    leaving.reason = infra_left ? api::reason::kWaitingForInfrastructureDeletion
                                : api::reason::kWaitingForBootstrapDeletion;
    leaving.message = fmt::format("Waiting for the deletion of {}", fmt::join(left, ", "));
    return leaving;
  }
  if (!seen.fresh) {
    leaving.reason = api::reason::kDeleting;
    return leaving;
  }
  leaving.confirm = true;
  leaving.reason = api::reason::kDeletionCompleted;
  delete_nodes(seen, leaving);
  return leaving;
}

}  // namespace capstan::controllers::machinepool
