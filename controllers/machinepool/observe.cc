#include "controllers/machinepool/observe.h"

#include <algorithm>
#include <unordered_set>

#include "api/v1beta2/syntax.h"
#include "controllers/claims/claims.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/referrers.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr std::size_t kShown = 3;

ObjectKey cluster_key(const api::MachinePool& pool) {
  return {.namespace_ = pool.metadata.namespace_.str(), .name = pool.spec.cluster_name.str()};
}

// Null: none, or several.
Snapshot<api::Node> node_with(const Observation& seen, std::string_view id) {
  if (!seen.workload) return nullptr;
  auto nodes = seen.workload->nodes_with(id);
  return nodes.size() == 1 ? std::move(nodes.front()) : nullptr;
}

void note_taken(const api::MachinePool& by, std::string_view id, Observation& seen) {
  if (seen.taken.size() < kShown) seen.taken.emplace_back(by.metadata.name.str() + ": " + std::string(id));
}

bool another_has(const Caches& caches, const api::MachinePool& pool, std::string_view id) {
  return std::ranges::any_of(caches.machine_pools_with_provider_id(cluster_key(pool), id),
                             [&](const auto& other) { return other->metadata.uid != pool.metadata.uid; });
}

claims::Verdict whose(const ObserveContext& with, const Observation& seen, std::string_view id,
                      const api::Node* node) {
  return claims::whose(with.deps.caches, with.host.externals,
                       {.cluster = cluster_key(*seen.pool), .provider_id = id, .node = node},
                       {.pool = seen.pool.get()}, seen.infra.object.get());
}

// What can't be told yet is left alone and not spoken of.
bool is_anothers(const ObserveContext& with, std::string_view id, const api::Node* node, Observation& seen) {
  auto verdict = whose(with, seen, id, node);
  if (verdict.ours()) return false;
  const bool told = verdict.whose != claims::Verdict::Whose::Unknown && seen.anothers.size() < kShown;
  if (told) seen.anothers.push_back(std::move(verdict.why));
  return true;
}

// Of new entries; of old ones their Nodes tell.
void see_taken(const ObserveContext& with, Observation& seen) {
  const Caches& caches = with.deps.caches;
  const auto& known = seen.pool->spec.provider_id_list;
  const auto& ids = seen.infra_says.provider_ids;
  if (ids == known) return;
  const ObjectKey cluster = cluster_key(*seen.pool);
  const std::unordered_set<Text> mine(known.begin(), known.end());
  for (const Text& id : ids) {
    if (id.empty() || mine.contains(id)) continue;
    bool taken = false;
    for (const auto& other : caches.machine_pools_with_provider_id(cluster, id)) {
      if (other->metadata.uid == seen.pool->metadata.uid) continue;
      note_taken(*other, id, seen);
      taken = true;
    }
    if (!taken) is_anothers(with, id, node_with(seen, id).get(), seen);
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

MachinesSeen see_machines(const Deps& deps, const Host& host, const Observation& seen) {
  const InfraFinding& infra = seen.infra_says;
  MachinesSeen found{.machines = machines_of(deps.caches, *seen.pool),
                     .unreadable = deps.caches.machines.unreadable_in(seen.pool->metadata.namespace_)};
  if (!infra.machine_kind) {
    // Whether its provider has some can't be read just now: those that are there show that it has.
    if (seen.infra.found() || seen.infra.missing() || found.machines.empty()) return found;
    found.state = MachinesSeen::State::Unknown;
    found.problem = seen.infra.problem;
    return found;
  }
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
  found.unreadable_objects = listed->cache->unreadable_in(seen.pool->metadata.namespace_);
  return found;
}

Instance see_instance(const Observation& seen, const Text& id) {
  Instance instance{.provider_id = id};
  auto nodes = seen.workload->nodes_with(id);
  if (nodes.size() == 1) instance.node = std::move(nodes.front());
  if (nodes.size() > 1) {
    for (const auto& node : nodes) instance.doubles.push_back(node->metadata.name);
  }
  return instance;
}

// Two pools that write whose a Node is would do so for ever.
bool is_of_another(const Caches& caches, const api::Node& node, Observation& seen) {
  const auto& annotations = node.metadata.annotations;
  const Text* owner = annotations.find(api::annotation::kOwnerName);
  if (owner == nullptr || *owner == seen.pool->metadata.name) return false;
  if (annotations.value_or_empty(api::annotation::kOwnerKind) != api::kind::kMachinePool) return false;
  for (const auto& other :
       caches.machine_pools_with_provider_id(cluster_key(*seen.pool), node.spec.provider_id)) {
    if (other->metadata.name != *owner) continue;
    note_taken(*other, node.spec.provider_id, seen);
    return true;
  }
  return false;
}

using Uids = std::unordered_set<api::Uid>;

Uids uids_of(const std::vector<Instance>& instances) {
  Uids uids;
  for (const Instance& each : instances) {
    if (each.node) uids.insert(each.node->metadata.uid);
  }
  return uids;
}

// References stand in the order of the list: as a rule the next one is the next instance's.
void see_former(const ObserveContext& with, Observation& seen) {
  auto next = seen.instances.begin();
  std::optional<Uids> of_instances;  // looked for when one is out of its place
  for (const auto& ref : seen.pool->status.node_refs) {
    next =
        std::find_if(next, seen.instances.end(), [](const Instance& each) { return each.node != nullptr; });
    if (next != seen.instances.end() && next->node->metadata.uid == ref.uid) {
      ++next;
      continue;
    }
    if (!of_instances) of_instances = uids_of(seen.instances);
    if (of_instances->contains(ref.uid)) continue;
    auto node = seen.workload->nodes().get({.namespace_ = {}, .name = ref.name.str()});
    // Another one of that name is not the one we knew.
    if (!node || node->metadata.uid != ref.uid) continue;
    const Text& id = node->spec.provider_id;
    const bool anothers =
        another_has(with.deps.caches, *seen.pool, id) || !whose(with, seen, id, node.get()).ours();
    if (!anothers) seen.former.push_back(std::move(node));
  }
}

void see_nodes(const ObserveContext& with, Observation& seen) {
  const Caches& caches = with.deps.caches;
  std::unordered_set<std::string_view> with_machine;
  for (const auto& machine : seen.machines.machines) {
    if (!machine->spec.provider_id.empty()) with_machine.insert(machine->spec.provider_id);
  }
  const auto ids = list_to_be(seen).ids;
  seen.instances.reserve(ids.size());
  for (const Text& id : ids) {
    Instance instance = see_instance(seen, id);
    instance.has_machine = !with_machine.empty() && with_machine.contains(id);
    instance.shared = instance.node && (is_of_another(caches, *instance.node, seen) ||
                                        is_anothers(with, id, instance.node.get(), seen));
    if (seen.deleting() && !instance.shared) instance.shared = another_has(caches, *seen.pool, id);
    seen.instances.push_back(std::move(instance));
  }
  see_former(with, seen);
}

}  // namespace

std::vector<Text> late_instances(const Caches& caches, const InfraFinding& infra,
                                 const api::MachinePool& pool) {
  auto late = named_late(infra, pool);
  std::erase_if(late, [&](const Text& id) {
    return !claims::rivals_on(caches, {.cluster = cluster_key(pool), .provider_id = id}, {.pool = &pool})
                .none();
  });
  return late;
}

void accept_empty_list(Observation& seen) {
  seen.emptied_for_sure = true;
  for (Instance& each : seen.instances) {
    if (each.node && !each.shared) seen.former.push_back(std::move(each.node));
  }
  seen.instances.clear();
}

Belonged belonged(const Caches& caches, Snapshot<api::MachinePool> pool) {
  const Belonging belonging = belonging_of(caches, *pool);
  std::string misnamed = contradiction(belonging, pool->spec.cluster_name);
  if (misnamed.empty()) return {.pool = std::move(pool)};
  api::MachinePool as_owned = *pool;
  as_owned.spec.cluster_name = Text(belonging.cluster);
  return {.pool = std::make_shared<const api::MachinePool>(std::move(as_owned)),
          .misnamed = std::move(misnamed)};
}

void see_right_of(const Caches& caches, Observation& seen) {
  for (ExternalSeen* external : {&seen.bootstrap, &seen.infra}) {
    if (!is_uncontrolled(*external)) continue;
    const auto made_ready = [&](const api::MachinePool& pool) {
      const auto& was = pool.status.initialization;
      return external == &seen.infra ? was.infrastructure_provisioned.value_or(false)
                                     : was.bootstrap_data_secret_created.value_or(false);
    };
    external->right_of = better_claimant<api::MachinePool>(
        caches.machine_pools_referring_to(referred(external->resource, external->key)), *seen.pool,
        made_ready);
  }
}

Observation observe(const ObserveContext& with, bool fresh, Belonged known) {
  const auto& [deps, host, infra_memory] = with;
  Observation seen{.now = Time::from(deps.clock.now()),
                   .fresh = fresh,
                   .pool = std::move(known.pool),
                   .misnamed = std::move(known.misnamed)};
  const auto& metadata = seen.pool->metadata;
  const auto& wanted = seen.pool->spec.machine_template.spec;
  const ObjectKey cluster = cluster_key(*seen.pool);
  seen.cluster = deps.caches.clusters.get(cluster);
  if (const auto& config = wanted.bootstrap.config_ref) {
    seen.bootstrap = see_external(host.externals, *config, metadata.namespace_);
  }
  seen.infra = see_external(host.externals, wanted.infrastructure_ref, metadata.namespace_);
  see_right_of(deps.caches, seen);
  seen.infra_says = infra_memory.read(seen.infra, *seen.pool);
  auto connected = deps.workload_clusters.get(cluster);
  if (connected) seen.workload = std::move(*connected);
  see_taken(with, seen);
  if (seen.deleting()) seen.late = late_instances(deps.caches, seen.infra_says, *seen.pool);
  seen.machines = see_machines(deps, host, seen);
  const auto choice = policy_for(metadata, deps.caches.policies_in(metadata.namespace_));
  seen.drains = seen.machines.state == MachinesSeen::State::Unsupported && choice.policy &&
                choice.policy->spec.drain.machine_pools.value_or(false);
  seen.reach = deps.workload_clusters.reach(cluster);
  if (seen.workload) see_nodes(with, seen);
  return seen;
}

}  // namespace capstan::controllers::machinepool
