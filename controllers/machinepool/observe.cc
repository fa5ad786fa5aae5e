#include "controllers/machinepool/observe.h"

#include <algorithm>
#include <unordered_set>

#include "api/v1beta2/syntax.h"
#include "controllers/machinepool/providers.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr std::size_t kShown = 3;

ObjectKey cluster_key(const api::MachinePool& pool) {
  return {.namespace_ = pool.metadata.namespace_.str(), .name = pool.spec.cluster_name.str()};
}

// Only a list that is new can bring them.
void see_taken(const Caches& caches, const InfraFinding& infra, Observation& seen) {
  const auto& known = seen.pool->spec.provider_id_list;
  const ObjectKey cluster = cluster_key(*seen.pool);
  const std::unordered_set<std::string_view> mine(known.begin(), known.end());
  for (const std::string& id : infra.provider_ids) {
    if (id.empty() || mine.contains(id)) continue;
    for (const auto& other : caches.machine_pools_with_provider_id(cluster, id)) {
      if (other->metadata.uid == seen.pool->metadata.uid || seen.taken.size() >= kShown) continue;
      seen.taken.emplace_back(other->metadata.name.str() + ": " + id);
    }
  }
}

// Those that could be it: of this pool, or of nobody but with its labels.
std::vector<Snapshot<api::Machine>> machines_of(const Caches& caches, const api::MachinePool& pool) {
  auto machines = caches.machines_owned_by(pool.metadata.uid);
  std::erase_if(machines, [&](const auto& machine) {
    const auto* controller = machine->metadata.controller();
    return controller != nullptr && controller->uid != pool.metadata.uid;
  });
  const std::string label = api::label_value(pool.metadata.name);
  for (const auto& machine : caches.uncontrolled_machines_of(cluster_key(pool))) {
    const bool known = std::ranges::find(machines, machine) != machines.end();
    if (!known && machine->metadata.labels.value_or_empty(api::label::kPoolName) == label) {
      machines.push_back(machine);
    }
  }
  std::ranges::sort(machines, {}, [](const auto& machine) { return machine->metadata.name.view(); });
  return machines;
}

// Pools whose label has that value.
std::vector<ObjectKey> pools_labelled(const Caches& caches, std::string_view namespace_,
                                      std::string_view label) {
  ObjectKey named{.namespace_ = std::string(namespace_), .name = std::string(label)};
  if (caches.machine_pools.get(named)) return {named};
  std::vector<ObjectKey> keys;  // a name too long for a label: rare enough to look at all
  for (const auto& pool : caches.machine_pools.all()) {
    if (pool->metadata.namespace_ == namespace_ && api::label_value(pool->metadata.name) == label) {
      keys.push_back(runtime::key_of(*pool));
    }
  }
  return keys;
}

MachinesSeen see_machines(const Deps& deps, const Host& host, const InfraFinding& infra,
                          const Observation& seen) {
  MachinesSeen found{.machines = machines_of(deps.caches, *seen.pool)};
  if (!infra.machine_kind) return found;
  const std::string label = api::label_value(seen.pool->metadata.name);
  const auto& caches = deps.caches;
  auto listed = host.externals.in_pool(seen.infra.resource.group, *infra.machine_kind,
                                       {.namespace_ = seen.pool->metadata.namespace_, .label = label},
                                       [&caches](std::string_view namespace_, std::string_view value) {
                                         return pools_labelled(caches, namespace_, value);
                                       });
  if (!listed) {
    found.state = MachinesSeen::State::Unknown;
    if (!listed.error().retry_after) found.problem = listed.error().message;
    return found;
  }
  found.state = MachinesSeen::State::Known;
  found.resource = std::move(listed->resource);
  for (auto& object : listed->objects) {
    const bool ours =
        object->metadata.labels.value_or_empty(api::label::kClusterName) == seen.pool->spec.cluster_name;
    if (ours) found.objects.push_back(std::move(object));
  }
  return found;
}

void see_nodes(const InfraFinding& infra, Observation& seen) {
  std::unordered_set<std::string_view> with_machine;
  for (const auto& machine : seen.machines.machines) {
    if (!machine->spec.provider_id.empty()) with_machine.insert(machine->spec.provider_id);
  }
  const auto ids = list_to_be(seen, infra).ids;
  seen.instances.reserve(ids.size());
  for (const Text& id : ids) {
    Instance instance{.provider_id = id, .has_machine = with_machine.contains(id)};
    auto nodes = seen.workload->nodes_with(id);
    if (nodes.size() == 1) instance.node = std::move(nodes.front());
    if (nodes.size() > 1) {
      for (const auto& node : nodes) instance.doubles.push_back(node->metadata.name);
    }
    seen.instances.push_back(std::move(instance));
  }
  for (const auto& ref : seen.pool->status.node_refs) {
    auto node = seen.workload->nodes().get({.namespace_ = {}, .name = ref.name.str()});
    // Another one of that name is not the one we knew.
    if (node && node->metadata.uid == ref.uid) seen.former.push_back(std::move(node));
  }
}

}  // namespace

Observation observe(const Deps& deps, const Host& host, bool fresh, Snapshot<api::MachinePool> pool) {
  Observation seen{.now = Time::from(deps.clock.now()), .fresh = fresh, .pool = std::move(pool)};
  const auto& metadata = seen.pool->metadata;
  const auto& wanted = seen.pool->spec.machine_template.spec;
  const ObjectKey cluster = cluster_key(*seen.pool);
  seen.cluster = deps.caches.clusters.get(cluster);
  if (const auto& config = wanted.bootstrap.config_ref) {
    seen.bootstrap = machine::see_external(host.externals, *config, metadata.namespace_);
  }
  seen.infra = machine::see_external(host.externals, wanted.infrastructure_ref, metadata.namespace_);
  const InfraFinding infra = read_infra(seen);
  see_taken(deps.caches, infra, seen);
  seen.machines = see_machines(deps, host, infra, seen);
  seen.reach = deps.workload_clusters.reach(cluster);
  if (auto connected = deps.workload_clusters.get(cluster)) {
    seen.workload = std::move(*connected);
    see_nodes(infra, seen);
  }
  return seen;
}

}  // namespace capstan::controllers::machinepool
