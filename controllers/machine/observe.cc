#include "controllers/machine/observe.h"

#include <algorithm>

#include "api/policy/names.h"
#include "controllers/machine/providers.h"
#include "controllers/shared/external_lookup.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/reach.h"
#include "controllers/shared/referrers.h"
#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

void see_owners(const Caches& caches, Observation& seen);
bool is_keeper_gone(const ObserveContext& with, const api::ObjectMeta& machine);
NodeSeen see_node(const ObserveContext& with, Memory& memory, const Observation& seen);
void see_whose(const ObserveContext& with, Observation& seen);
void see_right_of(const Caches& caches, Observation& seen);

}  // namespace

Observation observe(const ObserveContext& with, Memory& memory, Snapshot<api::Machine> machine) {
  const Deps& deps = with.deps;
  const Belonging belonging = belonging_of(deps.caches, *machine);
  Observation seen{.now = Time::from(deps.clock.now()),
                   .fresh = with.context.fresh,
                   .contradiction = contradiction(belonging, machine->spec.cluster_name)};
  seen.machine = of_its_cluster(std::move(machine), belonging);
  seen.settings = memory.settings;
  seen.emptied = memory.emptied.contains(seen.machine->metadata.uid);
  const auto& metadata = seen.machine->metadata;
  seen.cluster = deps.caches.cluster_of(metadata.namespace_, seen.machine->spec.cluster_name);
  see_owners(deps.caches, seen);
  const std::string_view space = metadata.namespace_;
  if (const auto& config = seen.machine->spec.bootstrap.config_ref) {
    seen.bootstrap = see_external(with.host.externals, *config, space);
  }
  seen.infra = see_external(with.host.externals, seen.machine->spec.infrastructure_ref, space);
  see_right_of(deps.caches, seen);
  const PolicyChoice choice = policy_for(deps.caches, *seen.machine);
  seen.governed_by = choice.policy;
  seen.policy = lifecycle_policy(choice);
  seen.policy_known = deps.caches.machine_lifecycle_policies.synced();
  seen.keeper_gone = seen.policy_known && is_keeper_gone(with, metadata);
  if (seen.cluster) seen.node = see_node(with, memory, seen);
  if (seen.cluster) see_whose(with, seen);
  return seen;
}

claims::Instance instance_of(const api::Machine& machine, const api::Node& node) {
  const auto& id = machine.spec.provider_id.empty() ? node.spec.provider_id : machine.spec.provider_id;
  return {
      .cluster = {.namespace_ = machine.metadata.namespace_.str(), .name = machine.spec.cluster_name.str()},
      .provider_id = id,
      .node = &node};
}

Snapshot<api::Machine> of_its_cluster(Snapshot<api::Machine> machine, const Belonging& belonging) {
  if (machine->spec.cluster_name == std::string_view(belonging.cluster)) return machine;
  api::Machine belongs = *machine;
  belongs.spec.cluster_name = Text(belonging.cluster);
  return std::make_shared<const api::Machine>(std::move(belongs));
}

namespace {

void see_owners(const Caches& caches, Observation& seen) {
  const auto& metadata = seen.machine->metadata;
  const auto owner = std::ranges::find_if(*metadata.owner_references, [](const api::OwnerReference& each) {
    return each.kind == api::kind::kMachineSet && each.group() == api::group::kCluster;
  });
  if (owner == metadata.owner_references->end()) return;
  const std::string space = metadata.namespace_.str();
  seen.machine_set = caches.machine_sets.get({.namespace_ = space, .name = owner->name.str()});
  if (!seen.machine_set) return;
  const auto* deployment = seen.machine_set->metadata.labels.find(api::label::kDeploymentName);
  if (deployment == nullptr) return;
  seen.deployment = caches.machine_deployments.get({.namespace_ = space, .name = deployment->str()});
}

// A cache may not have heard of it yet.
bool is_keeper_gone(const ObserveContext& with, const api::ObjectMeta& machine) {
  const auto name = machine.annotations.value_or_empty(api::policy::annotation::kAutoPreserved);
  const kube::ObjectKey key{.namespace_ = machine.namespace_.str(), .name = std::string(name)};
  if (name.empty() || with.deps.caches.machine_lifecycle_policies.get(key)) return false;
  const auto live = kube::get<api::MachineLifecyclePolicy>(with.deps.client, key, with.context.deadline);
  return !live && live.error().code == Code::NotFound;
}

NodeSeen see_node(const ObserveContext& with, Memory& memory, const Observation& seen) {
  using Lookup = NodeSeen::Lookup;
  const auto cluster = kube::key_of(*seen.cluster);
  NodeSeen found{.reach = reach_of(with.deps.workload_clusters, *seen.cluster)};
  const std::string provider_id = provider_id_to_be(seen);
  if (provider_id.empty()) return found;
  const auto connected = with.deps.workload_clusters.get(cluster);
  if (!connected) {
    found.lookup = Lookup::NotConnected;
    return found;
  }
  const auto nodes = (*connected)->nodes_with(provider_id);
  found.lookup = nodes.empty() ? Lookup::None : nodes.size() == 1 ? Lookup::One : Lookup::Many;
  if (nodes.size() == 1) {
    found.node = nodes.front();
    found.behind = memory.node_writes.is_behind(kube::key_of(*seen.machine), *found.node);
  }
  if (nodes.size() > 1) {
    for (const auto& node : nodes) found.names.push_back(node->metadata.name.str());
  }
  return found;
}

void see_right_of(const Caches& caches, Observation& seen) {
  for (ExternalSeen* external : {&seen.bootstrap, &seen.infra}) {
    if (!is_uncontrolled(*external)) continue;
    const auto made_ready = [&](const api::Machine& machine) {
      const auto& was = machine.status.initialization;
      return external == &seen.infra ? was.infrastructure_provisioned.value_or(false)
                                     : was.bootstrap_data_secret_created.value_or(false);
    };
    external->right_of = better_claimant<api::Machine>(
        caches.machines_referring_to(referred(external->resource, external->key)), *seen.machine, made_ready);
  }
}

// Before there is a Node, too: two Machines that wait for one Node say so.
void see_whose(const ObserveContext& with, Observation& seen) {
  const std::string provider_id = provider_id_to_be(seen);
  if (provider_id.empty()) return;
  seen.node.whose = claims::whose(
      with.deps.caches, with.host.externals,
      {.cluster = kube::key_of(*seen.cluster), .provider_id = provider_id, .node = seen.node.node.get()},
      {.machine = seen.machine.get()}, seen.infra.object.get());
}

}  // namespace
}  // namespace capstan::controllers::machine
