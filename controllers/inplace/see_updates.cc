#include "controllers/inplace/see_updates.h"

#include <algorithm>

#include "controllers/claims/claims.h"
#include "controllers/inplace/node_labels.h"
#include "controllers/rollout/limits.h"
#include "controllers/shared/reach.h"

namespace capstan::controllers::inplace {
namespace {

std::optional<api::PolicyInPlace> wanted_by(const SeeContext& with) {
  if (!with.rollout || with.rollout->recreate || rollout::is_on_delete(with.deployment)) return std::nullopt;
  return with.rollout->in_place;
}

bool is_contested(const SeeContext& with, const MachineSeen& seen) {
  const claims::Instance instance{.cluster = kube::key_of(*with.cluster),
                                  .provider_id = seen.machine->spec.provider_id,
                                  .node = seen.node.get()};
  return !claims::rivals_on(with.deps.caches, instance, {.machine = seen.machine.get()}).none();
}

// Of several Nodes with its providerID none is its own. Where nothing asks for updates in place what an
// earlier one has left is of interest alone.
void see_node(const SeeContext& with, kubeconfig::WorkloadCluster& workload, bool wanted, MachineSeen& seen) {
  const std::string_view id = seen.machine->spec.provider_id;
  if (id.empty()) return;
  auto nodes = workload.nodes_with(id);
  if (nodes.size() != 1) return;
  seen.node = std::move(nodes.front());
  if (!wanted && !is_marked(*seen.machine) && !as_any(seen)) return;
  seen.behind = with.node_writes.is_behind(kube::key_of(*seen.machine), *seen.node);
  if (seen.behind) seen.node.reset();
  seen.contested = wanted && with.has_old_sets && seen.node && is_contested(with, seen);
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
    if (workload && !(with.at_rest && !is_marked(*machine)))
      see_node(with, **workload, seen.wanted.has_value(), each);
    seen.machines.push_back(std::move(each));
  }
  return seen;
}

bool is_at_rest(const Observation& seen) {
  return seen.sees_nodes && std::ranges::none_of(seen.machines, [](const MachineSeen& each) {
           return each.behind || is_marked(*each.machine) || as_any(each);
         });
}

}  // namespace capstan::controllers::inplace
