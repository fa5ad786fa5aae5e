#include "controllers/machinepool/observe.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "api/contract/infra_machine_pool.h"
#include "api/v1beta2/syntax.h"
#include "base/try.h"
#include "controllers/claims/claims.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/see_deletion_rules.h"
#include "controllers/safety/take_census.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/external_lookup.h"
#include "controllers/shared/lost_managers.h"
#include "controllers/shared/policies.h"
#include "controllers/shared/reach.h"
#include "controllers/shared/referrers.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

constexpr std::size_t kShown = 3;

ObjectKey cluster_key(const api::MachinePool& pool) {
  return {.namespace_ = pool.metadata.namespace_.str(), .name = pool.spec.cluster_name.str()};
}

// What the functions below share: the workload cluster is null while not connected.
struct Gathering {
  const ObserveContext& with;
  Memory& memory;
  std::shared_ptr<kubeconfig::WorkloadCluster> workload = {};
};

// Null: none, or several.
Snapshot<api::Node> node_with(const Gathering& from, std::string_view id) {
  if (!from.workload) return nullptr;
  auto nodes = from.workload->nodes_with(id);
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

// An instance whose claims are not known yet is left alone and not spoken of.
bool is_anothers(const ObserveContext& with, std::string_view id, const api::Node* node, Observation& seen) {
  auto verdict = whose(with, seen, id, node);
  if (verdict.ours()) return false;
  const bool shown = verdict.whose != claims::Verdict::Whose::Unknown && seen.anothers.size() < kShown;
  if (shown) seen.anothers.push_back(std::move(verdict.why));
  return true;
}

// Of new entries; of old ones the annotations of their Nodes say it.
void see_taken(const Gathering& from, Observation& seen) {
  const ObserveContext& with = from.with;
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
    if (!taken) is_anothers(with, id, node_with(from, id).get(), seen);
  }
}

// Those that could be the pool's: it is their controller, or they have none but its labels.
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
  std::ranges::copy_if(found.machines, std::back_inserter(found.unmanaged), [](const auto& machine) {
    return has_lost_managers(machine->metadata.managed_fields);
  });
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

Instance see_instance(const Gathering& from, const Observation& seen, const Text& id) {
  Instance instance{.provider_id = id};
  auto nodes = from.workload->nodes_with(id);
  if (nodes.size() == 1) {
    instance.node = std::move(nodes.front());
    instance.behind = from.memory.node_writes.is_behind(runtime::key_of(*seen.pool), *instance.node);
  }
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

using Names = std::unordered_set<Text>;

// Of their Nodes. Upstream's in-memory workload clusters give no uids.
Names names_of(const std::vector<Instance>& instances) {
  Names names;
  for (const Instance& each : instances) {
    if (each.node) names.insert(each.node->metadata.name);
  }
  return names;
}

// References stand in the order of the list: as a rule the next one is the next instance's.
void see_former(const Gathering& from, Observation& seen) {
  const ObserveContext& with = from.with;
  auto next = seen.instances.begin();
  std::optional<Names> of_instances;  // looked for when one is out of its place
  for (const auto& ref : seen.pool->status.node_refs) {
    next =
        std::find_if(next, seen.instances.end(), [](const Instance& each) { return each.node != nullptr; });
    if (next != seen.instances.end() && next->node->metadata.name == ref.name) {
      ++next;
      continue;
    }
    if (!of_instances) of_instances = names_of(seen.instances);
    if (of_instances->contains(ref.name)) continue;
    auto node = from.workload->nodes().get({.namespace_ = {}, .name = ref.name.str()});
    // Another one of that name is not the one we knew.
    if (!node || node->metadata.uid != ref.uid) continue;
    const Text& id = node->spec.provider_id;
    const bool anothers =
        another_has(with.deps.caches, *seen.pool, id) || !whose(with, seen, id, node.get()).ours();
    if (!anothers) seen.former.push_back(std::move(node));
  }
}

void see_nodes(const Gathering& from, Observation& seen) {
  const ObserveContext& with = from.with;
  const Caches& caches = with.deps.caches;
  std::unordered_set<std::string_view> with_machine;
  for (const auto& machine : seen.machines.machines) {
    if (!machine->spec.provider_id.empty()) with_machine.insert(machine->spec.provider_id);
  }
  const auto ids = list_to_be(seen).ids;
  seen.instances.reserve(ids.size());
  for (const Text& id : ids) {
    Instance instance = see_instance(from, seen, id);
    instance.has_machine = !with_machine.empty() && with_machine.contains(id);
    instance.shared = instance.node && (is_of_another(caches, *instance.node, seen) ||
                                        is_anothers(with, id, instance.node.get(), seen));
    if (seen.deleting() && !instance.shared) instance.shared = another_has(caches, *seen.pool, id);
    seen.instances.push_back(std::move(instance));
  }
  see_former(from, seen);
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

// The provider's objects, and what they say.
void see_providers(const ObserveContext& with, Memory& memory, Observation& seen) {
  const auto& wanted = seen.pool->spec.machine_template.spec;
  const auto& where = seen.pool->metadata.namespace_;
  if (const auto& config = wanted.bootstrap.config_ref) {
    seen.bootstrap = see_external(with.host.externals, *config, where);
  }
  seen.infra = see_external(with.host.externals, wanted.infrastructure_ref, where);
  see_right_of(with.deps.caches, seen);
  seen.infra_says = memory.infra.read(seen.infra, *seen.pool);
}

Result<void> look_live(const Gathering& from, const Observation& seen, const api::ContractRef& ref,
                       ExternalSeen& external) {
  using State = ExternalSeen::State;
  if (external.state != State::Unreadable) return {};
  auto live = TRY(from.memory.live_looks.look(from.with.deps.client, runtime::key_of(*seen.pool), ref,
                                              from.with.context.deadline));
  external.resource = std::move(live.resource);
  switch (live.state) {
    case LiveObject::State::Undefined: external.state = State::Undefined; break;
    case LiveObject::State::Gone: external.state = State::Missing; break;
    case LiveObject::State::Present:
      external.state = State::Found;
      external.live = true;
      external.object = std::make_shared<const api::contract::ContractObject>(
          api::contract::ContractObject{.metadata = std::move(live.metadata)});
      break;
  }
  return {};
}

// Asks the server about objects of a pool that goes which the caches can't show. Afterwards they are Found
// and `live`, Missing or Undefined; what could not be found out stays Unreadable.
void look_at_unreadable(const Gathering& from, Observation& seen) {
  const auto& wanted = seen.pool->spec.machine_template.spec;
  auto looked = look_live(from, seen, wanted.infrastructure_ref, seen.infra);
  if (const auto& config = wanted.bootstrap.config_ref) {
    auto of_bootstrap = look_live(from, seen, *config, seen.bootstrap);
    if (!of_bootstrap) looked = std::move(of_bootstrap);
  }
  if (!looked) seen.errors.push_back(looked.error());
}

// A live look at an infrastructure that says that all instances are gone.
Result<bool> is_confirmed_empty(const ObserveContext& with, const Observation& seen) {
  const auto live = TRY(with.deps.client.get(seen.infra.resource, seen.infra.key, with.context.deadline));
  const api::contract::InfraMachinePool infra(api::contract::Foreign(live), seen.infra.contract);
  const auto ids = TRY(infra.provider_id_list());
  const auto replicas = TRY(infra.replicas());
  return ids.empty() && replicas.value_or(0) == 0 && !infra.object().deleting();
}

// How long ago an infrastructure lost all instances at once; nothing: it did not, or has them all again.
std::optional<Nanoseconds> emptied_for(const Gathering& from, const Observation& seen) {
  const SteadyTime now = from.with.deps.clock.steady_now();
  const bool is_empty = says_emptied(seen.infra_says, *seen.pool);
  const bool is_back = !is_empty && is_whole(seen.infra_says, *seen.pool);
  return from.memory.emptied.with([&](auto& since) -> std::optional<Nanoseconds> {
    const ObjectKey key = runtime::key_of(*seen.pool);
    if (is_empty) since.try_emplace(key, now);
    const auto known = since.find(key);
    if (known == since.end()) return std::nullopt;
    const Nanoseconds ago = now - known->second;
    if (is_back || (!is_empty && ago >= kSecondLook)) since.erase(known);
    return is_back ? std::nullopt : std::optional(ago);
  });
}

// Before the list is read: an infrastructure provider that has lost all instances may find them one by one.
void see_doubts(const Gathering& from, Observation& seen) {
  const auto ago = seen.deleting() ? std::nullopt : emptied_for(from, seen);
  seen.comes_back = ago && *ago < kSecondLook && !says_emptied(seen.infra_says, *seen.pool);
}

void see_life(const ObserveContext& with, const PolicyChoice& choice, Observation& seen) {
  const Deps& deps = with.deps;
  const ObjectKey self = runtime::key_of(*seen.pool);
  seen.policy = lifecycle_policy(choice);
  if (!seen.policy) return;
  if (seen.cluster) seen.contact = contact_of(reach_of(deps.workload_clusters, *seen.cluster));
  seen.may_replace =
      deps.brake.ask(runtime::Intent::Remediate, {.kind = api::kind::kMachinePool, .key = self});
  seen.deletion_rules = safety::see_deletion_rules(deps.caches, choice);
  seen.fleet = safety::see_fleet(deps.caches, seen.machines.machines);
}

void see_rules_of_victims(const ObserveContext& with, const PolicyChoice& choice, Observation& seen) {
  if (lifecycle::victims_said(seen.pool->metadata.annotations).empty()) return;
  const Deps& deps = with.deps;
  const ObjectKey self = runtime::key_of(*seen.pool);
  seen.may_scale_down =
      deps.brake.ask(runtime::Intent::ScaleDown, {.kind = api::kind::kMachinePool, .key = self});
  seen.deletion_rules = safety::see_deletion_rules(deps.caches, choice);
  if (seen.deletion_rules.guard_percent)
    safety::count_governed(deps.caches, self.namespace_, seen.deletion_rules);
  seen.fleet = safety::see_fleet(deps.caches, seen.machines.machines);
}

// Looks for the second time at an infrastructure that has lost all instances at once.
void confirm_empty_list(const Gathering& from, Observation& seen) {
  if (!says_emptied(seen.infra_says, *seen.pool)) return;
  const auto ago = emptied_for(from, seen);
  // An error means: not yet sure.
  if (ago && *ago >= kSecondLook && is_confirmed_empty(from.with, seen).value_or(false))
    accept_empty_list(seen);
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

Observation observe(const ObserveContext& with, Memory& memory, Belonged known) {
  const Deps& deps = with.deps;
  Observation seen{.now = Time::from(deps.clock.now()),
                   .fresh = with.context.fresh,
                   .pool = std::move(known.pool),
                   .misnamed = std::move(known.misnamed)};
  const auto& metadata = seen.pool->metadata;
  const ObjectKey cluster = cluster_key(*seen.pool);
  seen.cluster = deps.caches.clusters.get(cluster);
  see_providers(with, memory, seen);
  Gathering from{.with = with, .memory = memory};
  if (auto connected = deps.workload_clusters.get(cluster)) from.workload = std::move(*connected);
  seen.connected = from.workload != nullptr;
  see_doubts(from, seen);
  see_taken(from, seen);
  if (seen.deleting()) seen.late = late_instances(deps.caches, seen.infra_says, *seen.pool);
  seen.machines = see_machines(deps, with.host, seen);
  const auto choice = policy_for(metadata, deps.caches.policies_in(metadata.namespace_));
  seen.drains = seen.machines.state == MachinesSeen::State::Unsupported && choice.policy &&
                choice.policy->spec.drain.machine_pools.value_or(false);
  seen.frozen = safety::freeze_of(deps.caches, *seen.pool, overshoot_of(choice), seen.now);
  const ObjectKey self = runtime::key_of(*seen.pool);
  seen.may_delete =
      deps.brake.ask(runtime::Intent::DeletePoolInstance, {.kind = api::kind::kMachinePool, .key = self});
  if (choice.policy) seen.node_template = choice.policy->spec.node_template;
  see_life(with, choice, seen);
  see_rules_of_victims(with, choice, seen);
  seen.policy_known = deps.caches.machine_lifecycle_policies.synced();
  seen.reach = deps.workload_clusters.reach(cluster);
  if (seen.connected) see_nodes(from, seen);
  if (seen.deleting()) {
    look_at_unreadable(from, seen);
  } else {
    confirm_empty_list(from, seen);
  }
  return seen;
}

}  // namespace capstan::controllers::machinepool
