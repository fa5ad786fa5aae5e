#include "controllers/cluster/observe.h"

#include "api/contract/plural.h"
#include "controllers/shared/caches.h"
#include "runtime/external_refs.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

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

// With a control plane object its Machines are that one's business.
bool may_belong_to(const runtime::Unreadable& object, const api::Cluster& cluster) {
  if (cluster.spec.control_plane_ref && object.labels.contains(api::label::kControlPlane)) return false;
  return object.may_be_owned_by(cluster.metadata.uid) ||
         object.labels.value_or_empty(api::label::kClusterName) == cluster.metadata.name;
}

}  // namespace

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

Referred look_up(const Caches& caches, runtime::ExternalRefs& externals,
                 const std::optional<api::ContractRef>& reference, std::string_view namespace_) {
  if (!reference) return {};
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
  referred.object = found->object;
  referred.cache = found->cache;
  return referred;
}

Descendants descendants_of(const Caches& caches, const api::Cluster& of) {
  const kube::ObjectKey cluster = runtime::key_of(of);
  Descendants all{.pools = caches.machine_pools_of(cluster),
                  .deployments = caches.machine_deployments_of(cluster),
                  .sets = caches.machine_sets_of(cluster)};
  for (auto& machine : caches.machines_of(cluster)) {
    (is_control_plane(*machine) ? all.control_plane_machines : all.worker_machines)
        .push_back(std::move(machine));
  }
  for (const runtime::Observed* cache : std::initializer_list<const runtime::Observed*>{
           &caches.machine_pools, &caches.machine_deployments, &caches.machine_sets, &caches.machines}) {
    for (auto& object : cache->unreadable_in(cluster.namespace_)) {
      if (may_belong_to(object, of)) all.unreadable.push_back(std::move(object.problem));
    }
  }
  return all;
}

}  // namespace capstan::controllers::cluster
