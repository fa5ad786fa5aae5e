#include "controllers/inplace/see_updates.h"

#include <algorithm>

#include "controllers/claims/claims.h"
#include "controllers/rollout/limits.h"
#include "controllers/shared/reach.h"

namespace capstan::controllers::inplace {
namespace {

std::optional<api::PolicyInPlace> wanted_by(const SeeContext& with) {
  if (!with.rollout || with.rollout->recreate || rollout::is_on_delete(with.deployment)) return std::nullopt;
  return with.rollout->in_place;
}

// Of several Nodes with its providerID none is its own.
void see_node(const SeeContext& with, kubeconfig::WorkloadCluster& workload, MachineSeen& seen) {
  const std::string_view id = seen.machine->spec.provider_id;
  if (id.empty()) return;
  auto nodes = workload.nodes_with(id);
  if (nodes.size() != 1) return;
  seen.behind = with.node_writes.is_behind(kube::key_of(*seen.machine), *nodes.front());
  if (seen.behind) return;
  seen.node = std::move(nodes.front());
  const claims::Instance instance{
      .cluster = kube::key_of(*with.cluster), .provider_id = id, .node = seen.node.get()};
  seen.contested = !claims::rivals_on(with.deps.caches, instance, {.machine = seen.machine.get()}).none();
}

}  // namespace

Observation see_updates(const SeeContext& with) {
  Observation seen{.wanted = wanted_by(with)};
  const bool concerns = with.rollout || std::ranges::any_of(with.machines, [](const auto& machine) {
                          return is_marked(*machine);
                        });
  if (!concerns || with.cluster == nullptr) return seen;
  seen.contact = contact_of(reach_of(with.deps.workload_clusters, *with.cluster));
  const auto workload = with.deps.workload_clusters.get(kube::key_of(*with.cluster));
  seen.sees_nodes = workload.has_value();
  for (const auto& machine : with.machines) {
    const auto* owner = machine->metadata.controller();
    MachineSeen each{.machine = machine,
                     .set = owner == nullptr ? std::string() : owner->name.str(),
                     .mark = update_mark_of(*machine)};
    if (workload) see_node(with, **workload, each);
    seen.machines.push_back(std::move(each));
  }
  return seen;
}

}  // namespace capstan::controllers::inplace
