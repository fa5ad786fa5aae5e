#include "controllers/cluster/observe.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/contract/plural.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/safety/lineage.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/pause.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

// A cache that is still being filled after that is shown as a problem of the condition.
constexpr auto kLoadingPatience = std::chrono::seconds(30);

void describe_problem(Referred& referred, const Caches& caches, const api::ContractRef& reference,
                      const Error& error, bool known_definition) {
  referred.problem = error.message;
  if (known_definition || !caches.crds.synced()) {
    referred.loading = true;
    return;
  }
  const std::string crd = api::contract::crd_name(reference.api_group, reference.kind);
  referred.definition_gone = caches.crds.get({.namespace_ = {}, .name = crd}) == nullptr;
}

void find_out_whose(const Caches& caches, const api::ContractRef& reference, const api::Cluster& cluster,
                    const api::ObjectMeta& object, Referred& referred) {
  const auto exists = [&](std::string_view name) {
    return caches.cluster_of(cluster.metadata.namespace_, name) != nullptr;
  };
  referred.claim = claim_on(object, cluster, exists,
                            caches.clusters_referring_to({.group = reference.api_group,
                                                          .kind = reference.kind,
                                                          .namespace_ = cluster.metadata.namespace_,
                                                          .name = reference.name}));
}

std::string also_owned(runtime::ExternalRefs& externals, const api::ContractRef& reference,
                       const api::Cluster& cluster) {
  const auto owned = externals.plainly_owned_by(reference.api_group, reference.kind, cluster.metadata.uid);
  if (!owned) return {};
  for (const auto& each : owned->objects) {
    if (each->metadata.name != reference.name && each->metadata.namespace_ == cluster.metadata.namespace_)
      return each->metadata.name.str();
  }
  return {};
}

// In the order of their names, each once; what is only named for this Cluster becomes a stray.
template <typename T>
class Gathered {
 public:
  Gathered(const Caches& caches, const api::Cluster& cluster, std::string_view kind, Strays& strays)
      : caches_(caches), cluster_(cluster), kind_(kind), strays_(strays) {}

  void add(std::vector<Snapshot<T>> candidates) {
    for (auto& each : candidates) {
      if (belongs(*each)) {
        found_.push_back(std::move(each));
      } else if (each->spec.cluster_name == cluster_.metadata.name) {
        strays_.push_back(fmt::format("{} {} belongs to Cluster {} although its spec.clusterName is {}",
                                      kind_, each->metadata.name.view(), last_.cluster,
                                      cluster_.metadata.name.view()));
      }
    }
  }
  std::vector<Snapshot<T>> take() && {
    const auto by_name = [](const auto& left, const auto& right) {
      return left->metadata.name.view() < right->metadata.name.view();
    };
    if (!std::ranges::is_sorted(found_, by_name)) std::ranges::sort(found_, by_name);
    const auto repeated =
        std::ranges::unique(found_, {}, [](const auto& each) { return each->metadata.name.view(); });
    found_.erase(repeated.begin(), repeated.end());
    return std::move(found_);
  }

 private:
  // Machines of one set stand beside each other and have the same owners.
  bool belongs(const T& object) {
    if (!known_ || owners_ != object.metadata.owner_references || named_ != object.spec.cluster_name) {
      last_ = belonging_of(caches_, object);
      owners_ = object.metadata.owner_references;
      named_ = object.spec.cluster_name;
      known_ = true;
    }
    return last_.cluster == cluster_.metadata.name.view();
  }

  const Caches& caches_;
  const api::Cluster& cluster_;
  const std::string_view kind_;
  Strays& strays_;
  std::vector<Snapshot<T>> found_ = {};
  bool known_ = false;
  api::OwnerReferences owners_ = {};
  Text named_ = {};
  Belonging last_ = {};
};

// With a control plane object its Machines are that one's business.
bool may_belong_to(const runtime::Unreadable& object, const api::Cluster& cluster) {
  if (cluster.spec.control_plane_ref && object.labels.contains(api::label::kControlPlane)) return false;
  return object.may_be_owned_by(cluster.metadata.uid) ||
         object.labels.value_or_empty(api::label::kClusterName) == cluster.metadata.name;
}

Referred look_up(const Caches& caches, runtime::ExternalRefs& externals,
                 const std::optional<api::ContractRef>& reference, const api::Cluster& cluster) {
  if (!reference) return {};
  const std::string_view namespace_ = cluster.metadata.namespace_;
  Referred referred{.wanted = true, .kind = reference->kind.str()};
  referred.key = {.namespace_ = std::string(namespace_), .name = reference->name.str()};
  const auto definition = externals.resolve(reference->api_group, reference->kind);
  if (!definition) {
    describe_problem(referred, caches, *reference, definition.error(), false);
    return referred;
  }
  referred.resource = definition->resource;
  const auto found = externals.get(*reference, namespace_);
  if (!found) {
    const bool is_loading = found.error().reason != runtime::kUnreadable;
    describe_problem(referred, caches, *reference, found.error(), is_loading);
    return referred;
  }
  referred.resource = found->resource;
  referred.contract = found->contract;
  referred.cache = found->cache;
  if (!found->object) return referred;
  find_out_whose(caches, *reference, cluster, found->object->metadata, referred);
  if (referred.claim.other.empty()) referred.object = found->object;
  referred.also_owned = also_owned(externals, *reference, cluster);
  return referred;
}

// Where no cache can tell whether an object exists that must be gone: its definition lacks the labels of the
// contract, or its kind can't be listed.
void look_live(const ObserveContext& with, LiveLooks& looks, const api::Cluster& cluster,
               const api::ContractRef& reference, Referred& referred) {
  const auto found = looks.look(with.deps.client, runtime::key_of(cluster), reference, with.context.deadline);
  if (!found) return;
  referred.definition_gone = found->state == LiveObject::State::Undefined;
  referred.asked_live = !referred.definition_gone;
  if (found->state != LiveObject::State::Present) return;
  referred.resource = found->resource;
  find_out_whose(with.deps.caches, reference, cluster, found->metadata, referred);
  // Where nothing could be watched nothing was taken either.
  if (referred.claim.ours) referred.live = found->metadata;
}

Descendants descendants_of(const Caches& caches, const api::Cluster& cluster) {
  const kube::ObjectKey key = runtime::key_of(cluster);
  Descendants all;
  Gathered<api::MachineDeployment> deployments(caches, cluster, api::kind::kMachineDeployment, all.strays);
  deployments.add(caches.machine_deployments_of(key));
  deployments.add(caches.misnamed_machine_deployments_of(key));
  all.deployments = std::move(deployments).take();

  Gathered<api::MachineSet> sets(caches, cluster, api::kind::kMachineSet, all.strays);
  sets.add(caches.machine_sets_of(key));
  sets.add(caches.misnamed_machine_sets_of(key));
  for (const auto& each : all.deployments) {
    auto made = caches.machine_sets_owned_by(each->metadata.uid);
    std::erase_if(made, [&](const auto& set) { return set->spec.cluster_name == cluster.metadata.name; });
    sets.add(std::move(made));
  }
  all.sets = std::move(sets).take();

  Gathered<api::MachinePool> pools(caches, cluster, api::kind::kMachinePool, all.strays);
  pools.add(caches.machine_pools_of(key));
  pools.add(caches.misnamed_machine_pools_of(key));
  all.pools = std::move(pools).take();

  Gathered<api::Machine> machines(caches, cluster, api::kind::kMachine, all.strays);
  machines.add(caches.machines_of(key));
  machines.add(caches.misnamed_machines_of(key));
  const auto add_made_by = [&](const api::Uid& owner) {
    auto made = caches.machines_owned_by(owner);
    std::erase_if(made, [&](const auto& each) { return each->spec.cluster_name == cluster.metadata.name; });
    machines.add(std::move(made));
  };
  for (const auto& each : all.sets) add_made_by(each->metadata.uid);
  for (const auto& each : all.pools) add_made_by(each->metadata.uid);
  for (auto& machine : std::move(machines).take()) {
    (is_control_plane(*machine) ? all.control_plane_machines : all.worker_machines)
        .push_back(std::move(machine));
  }
  for (const auto& each : caches.machines_only_labelled(key)) {
    all.strays.push_back(fmt::format("Machine {} is labelled with Cluster {}, but its spec.clusterName is {}",
                                     each->metadata.name.view(), key.name, each->spec.cluster_name.view()));
  }
  for (const runtime::Observed* cache : std::initializer_list<const runtime::Observed*>{
           &caches.machine_pools, &caches.machine_deployments, &caches.machine_sets, &caches.machines}) {
    for (auto& object : cache->unreadable_in(key.namespace_)) {
      if (may_belong_to(object, cluster)) all.unreadable.push_back(std::move(object.problem));
    }
  }
  return all;
}

// Only a deletion has to know, and only once the Machines are gone.
void look_at_what_no_cache_shows(const ObserveContext& with, LiveLooks& looks, Observation& seen) {
  const auto& cluster = *seen.cluster;
  const Descendants& all = seen.descendants;
  if (!cluster.metadata.deleting() || !cluster.metadata.has_finalizer(api::finalizer::kCluster)) return;
  if (!all.pools.empty() || !all.deployments.empty() || !all.sets.empty() || !all.worker_machines.empty())
    return;
  const auto look = [&](const std::optional<api::ContractRef>& reference, Referred& referred) {
    if (referred.problem.empty() || referred.definition_gone) return;
    look_live(with, looks, cluster, *reference, referred);
  };
  look(cluster.spec.infrastructure_ref, seen.infrastructure);
  look(cluster.spec.control_plane_ref, seen.control_plane);
}

// The cache of a provider's kind may take a moment at first; nothing is said or done meanwhile.
bool is_loading(Memory& memory, const Observation& seen, SteadyTime now) {
  return memory.loading_since.with([&](auto& since) {
    bool loading = false;
    for (const Referred* each : {&seen.infrastructure, &seen.control_plane}) {
      const std::string name = each->resource.group + "/" + each->kind;
      if (each->loading) {
        loading = loading || now - since.try_emplace(name, now).first->second < kLoadingPatience;
      } else if (each->wanted) {
        since.erase(name);
      }
    }
    return loading;
  });
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, Memory& memory, const kube::ObjectKey& key) {
  const Deps& deps = with.deps;
  auto cluster = deps.caches.clusters.get(key);
  if (!cluster || !in_scope(cluster->metadata, deps.watch_filter)) return std::nullopt;
  Observation seen{.now = Time::from(deps.clock.now()),
                   .cluster = std::move(cluster),
                   .fresh = with.context.fresh,
                   .stale = with.context.stale};
  const auto& spec = seen.cluster->spec;
  const auto pause = pause_of(seen.cluster.get(), seen.cluster->metadata, api::kind::kCluster);
  if (pause.paused) return seen;  // nothing else matters
  seen.infrastructure = look_up(deps.caches, with.host.externals, spec.infrastructure_ref, *seen.cluster);
  seen.control_plane = look_up(deps.caches, with.host.externals, spec.control_plane_ref, *seen.cluster);
  seen.descendants = descendants_of(deps.caches, *seen.cluster);
  seen.reach = deps.workload_clusters.reach(key);
  seen.frozen = safety::frozen_by_a_person(*seen.cluster);
  if (!seen.frozen.holds()) seen.frozen = safety::frozen_by_the_fleet(deps.caches);
  seen.connection_grace = memory.settings.connection_grace;
  seen.loading = is_loading(memory, seen, deps.clock.steady_now());
  if (!seen.loading) look_at_what_no_cache_shows(with, memory.live_looks, seen);
  return seen;
}

const api::ObjectMeta* Referred::metadata() const {
  if (object) return &object->metadata;
  return live ? &*live : nullptr;
}

bool is_control_plane(const api::Machine& machine) {
  return machine.metadata.labels.contains(api::label::kControlPlane);
}

bool is_pool_machine(const api::Machine& machine) {
  return std::ranges::any_of(*machine.metadata.owner_references, [](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kMachinePool && owner.group() == api::group::kCluster;
  });
}

bool is_owned(const api::ObjectMeta& object, const api::Cluster& cluster) {
  return runtime::find_owner(object.owner_references, api::group::kCluster, api::kind::kCluster,
                             cluster.metadata.name) != nullptr;
}

}  // namespace capstan::controllers::cluster
