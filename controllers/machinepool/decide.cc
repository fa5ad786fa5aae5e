#include "controllers/machinepool/decide.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

#include "controllers/lifecycle/node_template.h"
#include "controllers/machinepool/deletion.h"
#include "controllers/machinepool/node_change.h"
#include "controllers/machinepool/pool_fleet_requests.h"
#include "controllers/machinepool/pool_machines.h"
#include "controllers/machinepool/pool_replacements.h"
#include "controllers/machinepool/pool_victims.h"
#include "controllers/shared/recheck.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr Nanoseconds kCacheRecheck = std::chrono::milliseconds(500);
constexpr Seconds kCachePatience{60};
constexpr Seconds kMissingRecheck{30};
constexpr Seconds kBrakeRecheck{15};
// So many Nodes a turn writes to; the rest follows in the next.
constexpr std::size_t kNodesPerTurn = 500;

std::optional<Nanoseconds> too_early(const Observation& seen);
void own_and_label(const Observation& seen, Plan& plan);
void size_phase(Plan& plan);
void bootstrap_phase(const Observation& seen, Plan& plan);
void infrastructure_phase(const Observation& seen, Plan& plan);
void recheck_while_held(const Observation& seen, Plan& plan);
void write_pool(const Observation& seen, Plan& plan);
void claim_providers(const Observation& seen, Plan& plan);
void machines_phase(const Observation& seen, Plan& plan);
void write_nodes(const Observation& seen, Plan& plan);
void retire_nodes(const Observation& seen, Plan& plan);

}  // namespace

Plan decide(const Observation& seen) {
  if (seen.deleting()) return decide_deletion(seen);
  Plan plan{.too_early = too_early(seen), .wanted = *seen.pool};
  if (plan.too_early) return plan;
  if (!seen.cluster) {
    plan.list.ids = seen.pool->spec.provider_id_list;
    plan.troubles.push_back(fmt::format("Cluster {} does not exist: create it, or correct spec.clusterName",
                                        seen.pool->spec.cluster_name.view()));
    return plan;
  }
  if (!seen.misnamed.empty()) plan.troubles.push_back(seen.misnamed);
  own_and_label(seen, plan);
  size_phase(plan);
  bootstrap_phase(seen, plan);
  infrastructure_phase(seen, plan);
  recheck_while_held(seen, plan);
  write_pool(seen, plan);
  claim_providers(seen, plan);
  machines_phase(seen, plan);
  replace_machines(seen, plan);
  settle_victims(seen, plan);
  await_fleet_grants(seen, plan);
  write_nodes(seen, plan);
  retire_nodes(seen, plan);
  return plan;
}

namespace {

// A list that fails is reported, and looked for rarely: its first success wakes the pool.
std::optional<Nanoseconds> too_early(const Observation& seen) {
  const auto waits = [&](bool soon) {
    return std::ranges::any_of(std::array{&seen.bootstrap, &seen.infra}, [&](const ExternalSeen* external) {
      return external->state == ExternalSeen::State::CacheBehind && external->listed_soon == soon;
    });
  };
  const bool young = seen.now - seen.pool->metadata.creation_timestamp <= kCachePatience;
  const bool never_reported = seen.pool->status.conditions.empty();
  if (waits(true) && (young || !never_reported)) return kCacheRecheck;
  if (waits(false) && young) return kMissingRecheck;
  return std::nullopt;
}

// Providers need a number, and without a webhook spec.replicas may have none.
void size_phase(Plan& plan) {
  plan.size = size_of(plan.wanted);
  plan.wanted.spec.replicas = plan.size.replicas;
  if (!plan.size.problem.empty()) plan.troubles.push_back(plan.size.problem);
}

void own_and_label(const Observation& seen, Plan& plan) {
  auto& metadata = plan.wanted.metadata;
  safety::note_thaw(metadata, seen.now);
  recheck_within(plan.recheck, seen.frozen.recheck);
  metadata.labels.set(Text(api::label::kClusterName), seen.pool->spec.cluster_name);
  metadata.owner_references = runtime::with_owner(
      metadata.owner_references,
      runtime::owner_reference(kube::resource_of<api::Cluster>(), seen.cluster->metadata));
}

void trouble_with(const ExternalSeen& external, std::string_view field, std::string_view problem,
                  Plan& plan) {
  const bool unreadable = external.unknown() || !external.problem.empty();
  if (unreadable) plan.troubles.push_back(fmt::format("{}: {}", field, external.problem));
  if (external.missing()) plan.troubles.push_back(fmt::format("{}: it does not exist", field));
  if (!problem.empty()) plan.troubles.push_back(fmt::format("{}: {}", field, problem));
  if (unreadable || external.missing()) recheck_within(plan.recheck, kMissingRecheck);
}

// The Secret follows the object as long as there is one: a rotated token must reach the instances to come.
void bootstrap_phase(const Observation& seen, Plan& plan) {
  auto& bootstrap = plan.wanted.spec.machine_template.spec.bootstrap;
  auto& created = plan.wanted.status.initialization.bootstrap_data_secret_created;
  if (!bootstrap.config_ref) {
    if (bootstrap.data_secret_name) {
      created = true;
    } else {
      plan.troubles.emplace_back(
          "spec.template.spec.bootstrap has neither configRef nor dataSecretName: set one of them");
    }
    return;
  }
  plan.bootstrap = read_bootstrap(seen.bootstrap, *seen.pool);
  trouble_with(seen.bootstrap, "spec.template.spec.bootstrap.configRef", plan.bootstrap.problem, plan);
  if (!seen.bootstrap.found() || !plan.bootstrap.problem.empty()) return;
  if (seen.bootstrap.object->metadata.deleting()) return;
  created = plan.bootstrap.created;
  if (plan.bootstrap.created) bootstrap.data_secret_name = Text(plan.bootstrap.secret);
}

void infrastructure_phase(const Observation& seen, Plan& plan) {
  const InfraFinding& infra = seen.infra_says;
  plan.list = list_to_be(seen);
  trouble_with(seen.infra, "spec.template.spec.infrastructureRef", infra.problem, plan);
  if (!seen.infra.found() || !infra.problem.empty()) return;
  if (seen.infra.object->metadata.deleting()) return;
  plan.wanted.status.initialization.infrastructure_provisioned = infra.ready;
  if (plan.list.doubted) recheck_within(plan.recheck, kSecondLook);
  if (infra.ready && infra.replicas) plan.wanted.status.replicas = infra.replicas;
  if (plan.list.believed) plan.wanted.spec.provider_id_list = plan.list.ids;
}

// The condition names the brake as long as it is shut.
void recheck_while_held(const Observation& seen, Plan& plan) {
  if (!plan.size.replicas || seen.may_delete.open) return;
  if (plan.wanted.status.replicas.value_or(0) > *plan.size.replicas)
    recheck_within(plan.recheck, kBrakeRecheck);
}

// Encoding a pool of thousands to find no difference would be most of a quiet turn.
void write_pool(const Observation& seen, Plan& plan) {
  if (plan.wanted.metadata == seen.pool->metadata && plan.wanted.spec == seen.pool->spec) return;
  plan.actions.push_back(WritePool{.from = seen.pool, .to = plan.wanted});
}

void claim_providers(const Observation& seen, Plan& plan) {
  const auto claim = [&](Provider which, const std::optional<ProviderClaim>& to) {
    if (to) plan.actions.push_back(ClaimProvider{.which = which, .to = *to});
  };
  claim(Provider::Bootstrap, plan.bootstrap.claim);
  claim(Provider::Infrastructure, seen.infra_says.claim);
}

void machines_phase(const Observation& seen, Plan& plan) {
  MachinesPlan machines = plan_machines(seen);
  std::ranges::move(machines.actions, std::back_inserter(plan.actions));
  plan.unfinished = machines.unfinished;
  plan.held += machines.held;
  if (machines.held > 0) recheck_within(plan.recheck, kBrakeRecheck);
  if (!machines.troubles.empty()) recheck_within(plan.recheck, kMissingRecheck);
  std::ranges::move(machines.troubles, std::back_inserter(plan.troubles));
  if (seen.machines.state != MachinesSeen::State::Unknown) return;
  if (seen.machines.problem.empty()) {
    recheck_within(plan.recheck, Seconds(1));
  } else {
    plan.troubles.push_back("status.infrastructureMachineKind: " + seen.machines.problem);
    recheck_within(plan.recheck, kMissingRecheck);
  }
}

// A Node whose Machine is still there goes with it: drained first.
bool has_machine(const Observation& seen, const api::Node& node) {
  return std::ranges::any_of(seen.machines.machines, [&](const auto& machine) {
    const auto& ref = machine->status.node_ref;
    return (ref && ref->name == node.metadata.name) || machine->spec.provider_id == node.spec.provider_id;
  });
}

void template_instance(const Observation& seen, const api::Node& node, std::optional<NodeChange>& change) {
  if (!seen.policy_known) return;
  NodeChange fuller = change.value_or(NodeChange());
  lifecycle::merge_node_template(node, seen.node_template ? &*seen.node_template : nullptr, fuller);
  if (fuller != NodeChange()) change = std::move(fuller);
}

void write_nodes(const Observation& seen, Plan& plan) {
  std::size_t written = 0;
  for (const Instance& instance : seen.instances) {
    if (!instance.node || instance.behind || instance.has_machine || instance.shared) continue;
    if (instance.node->metadata.deleting()) continue;
    auto change = node_change(*seen.pool, *instance.node);
    template_instance(seen, *instance.node, change);
    if (!change) continue;
    if (++written > kNodesPerTurn) {
      plan.unfinished = true;
      return;
    }
    plan.actions.push_back(WriteNode{.node = instance.node, .change = std::move(*change)});
  }
}

void retire_nodes(const Observation& seen, Plan& plan) {
  if (seen.former.empty()) return;
  const std::unordered_set<Text> listed(plan.list.ids.begin(), plan.list.ids.end());
  Nodes former;
  for (const auto& node : seen.former) {
    const Text& id = node->spec.provider_id;
    if (id.empty() || listed.contains(id) || node->metadata.deleting()) continue;
    if (!has_machine(seen, *node)) former.push_back(node);
  }
  if (former.empty()) return;
  const bool sure = seen.fresh && plan.list.believed;
  if (sure && !seen.may_delete.open) {
    plan.held += former.size();
    recheck_within(plan.recheck, kBrakeRecheck);
  }
  if (sure && seen.may_delete.open) {
    plan.actions.push_back(RetireNodes{.nodes = std::move(former), .drain = has_to_drain(seen)});
  } else {
    plan.waiting = std::move(former);
  }
}

}  // namespace
}  // namespace capstan::controllers::machinepool
