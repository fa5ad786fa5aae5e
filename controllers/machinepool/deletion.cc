#include "controllers/machinepool/deletion.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/shared/recheck.h"

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

// Another owner's object stays: it was never the pool's. Nor was an object that the pool could never read and
// that has no owner, as long as nothing came of it.
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

void add_once(Nodes& nodes, const Snapshot<api::Node>& node) {
  const auto same = [&](const auto& other) { return other->metadata.uid == node->metadata.uid; };
  if (std::ranges::none_of(nodes, same)) nodes.push_back(node);
}

// Those it knew and those that came since. Nodes of Machines go with their Machine.
Nodes nodes_of(const Observation& seen) {
  Nodes nodes;
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

// Nodes of a cluster that can't be reached are waited for as long as both waits could take, one after the
// other.
bool is_out_of_patience(const Observation& seen) {
  const auto& deletion = seen.pool->spec.machine_template.spec.deletion;
  const Time began = seen.pool->metadata.deletion_timestamp;
  const Seconds drain(drains(seen) ? deletion.node_drain_timeout_seconds.value_or(0) : 0);
  return drain_is_over(seen, began) && volume_wait_is_over(seen, began + drain);
}

bool had_nodes(const api::MachinePool& pool) {
  return !pool.status.node_refs.empty() || !pool.spec.provider_id_list.empty();
}

// As long as the instances live.
bool drains_first(const Observation& seen) {
  const bool living =
      seen.infra.found() && !seen.infra.object->metadata.deleting() && !is_foreign(seen.infra, *seen.pool);
  return living && had_nodes(*seen.pool) && has_to_drain(seen);
}

void claim_unowned(const Observation& seen, Plan& plan) {
  const auto claim = [&](Provider which, const std::optional<ProviderClaim>& to) {
    if (to && !seen.provider(which).live) plan.actions.push_back(ClaimProvider{.which = which, .to = *to});
  };
  // Otherwise no event would wake the pool when the objects are gone.
  claim(Provider::Infrastructure, seen.infra_says.claim);
  claim(Provider::Bootstrap, read_bootstrap(seen.bootstrap, *seen.pool).claim);
}

// Its Nodes are found by this list when the provider's objects are gone.
void add_late_instances(const Observation& seen, Plan& plan) {
  if (seen.late.empty()) return;
  WritePool write{.from = seen.pool, .to = *seen.pool};
  for (const Text& id : seen.late) write.to.spec.provider_id_list.push_back(id);
  plan.actions.emplace_back(std::move(write));
}

// What the provider's objects are waited for, and which of them the server is asked to delete.
struct Leftovers {
  std::vector<std::string> texts = {};
  std::vector<Provider> to_delete = {};
  bool infra = false;  // it is one of them
};
void see_leftover(const Observation& seen, Provider which, Leftovers& left, Plan& plan) {
  using State = ExternalSeen::State;
  const ExternalSeen& external = seen.provider(which);
  const bool is_infra = which == Provider::Infrastructure;
  switch (external.state) {
    case State::Unused:
    case State::Missing: break;
    case State::CacheBehind:
      left.texts.push_back(external.listed_soon
                               ? "objects not listed yet"
                               : fmt::format("objects that can't be listed: {}", external.problem));
      recheck_within(plan.recheck, external.listed_soon ? kUnlistedRecheck : kUnlistableRecheck);
      break;
    case State::Undefined: break;  // gone with its definition, which the confirmation has to find missing
    case State::Unreadable:        // nor did the server say what has become of it
      left.texts.push_back(describe_unreadable(external));
      left.infra = left.infra || is_infra;
      recheck_within(plan.recheck, kUnlistableRecheck);
      break;
    case State::Found:
      if (is_foreign(external, *seen.pool)) break;
      left.texts.push_back(describe_left(external, *seen.pool));
      left.infra = left.infra || is_infra;
      if (external.live) recheck_within(plan.recheck, kUnlistableRecheck);
      if (seen.fresh && may_remove(external, *seen.pool)) left.to_delete.push_back(which);
      break;
  }
}

void delete_providers(const Leftovers& left, Plan& plan) {
  const bool ends_instances =
      std::ranges::find(left.to_delete, Provider::Infrastructure) != left.to_delete.end();
  if (ends_instances) plan.actions.emplace_back(ConfirmList{});
  for (const Provider which : left.to_delete) plan.actions.push_back(DeleteProvider{.which = which});
  plan.reason =
      left.infra ? api::reason::kWaitingForInfrastructureDeletion : api::reason::kWaitingForBootstrapDeletion;
  plan.message = fmt::format("Waiting for the deletion of {}", fmt::join(left.texts, ", "));
}

// False: the Nodes can't be reached, and are waited for.
bool drain_nodes(const Observation& seen, Plan& plan) {
  if (seen.connected) {
    Nodes nodes = nodes_of(seen);
    const Time since = seen.pool->metadata.deletion_timestamp;
    if (!nodes.empty()) plan.actions.push_back(DrainNodes{.nodes = std::move(nodes), .since = since});
    return true;
  }
  if (is_out_of_patience(seen)) return true;
  plan.reason = api::reason::kDrainingNode;
  plan.message = "Waiting for the workload cluster to drain its Nodes: " + seen.reach.problem;
  plan.recheck = kRecheck;
  return false;
}

// The last step: the Nodes, then the finalizer.
void delete_nodes(const Observation& seen, Plan& plan) {
  plan.actions.emplace_back(ConfirmGone{});
  plan.reason = api::reason::kDeletionCompleted;
  const bool out_of_time = timed_out(seen);
  const bool cluster_goes = !seen.cluster || seen.cluster->metadata.deleting();
  const bool skips_nodes = !had_nodes(*seen.pool) || cluster_goes || (out_of_time && !seen.connected);
  if (!skips_nodes) plan.reason = api::reason::kDeletingNode;
  if (!skips_nodes && !seen.connected) {
    plan.message = "Waiting for the workload cluster to delete its Nodes: " + seen.reach.problem;
    const auto timeout = node_timeout(seen);
    plan.recheck = timeout > 0 ? std::min(Seconds(timeout) + Seconds(1), kRecheck) : kRecheck;
    return;
  }
  Nodes nodes = skips_nodes ? Nodes() : nodes_of(seen);
  if (!nodes.empty()) plan.actions.push_back(DeleteNodes{.nodes = std::move(nodes), .once = out_of_time});
  plan.actions.emplace_back(DropFinalizer{});
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

Plan decide_deletion(const Observation& seen) {
  Plan plan{.wanted = *seen.pool};
  claim_unowned(seen, plan);
  add_late_instances(seen, plan);
  Leftovers left;
  for (const Provider which : {Provider::Infrastructure, Provider::Bootstrap})
    see_leftover(seen, which, left, plan);
  if (!left.to_delete.empty() && drains_first(seen) && !drain_nodes(seen, plan)) return plan;
  if (!left.texts.empty()) {
    delete_providers(left, plan);
  } else if (!seen.fresh) {
    plan.reason = api::reason::kDeleting;
  } else {
    delete_nodes(seen, plan);
  }
  return plan;
}

}  // namespace capstan::controllers::machinepool
