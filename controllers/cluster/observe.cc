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
    describe_problem(referred, caches, *reference, found.error(), true);
    return referred;
  }
  referred.resource = found->resource;
  referred.contract = found->contract;
  referred.object = found->object;
  referred.cache = found->cache;
  return referred;
}

Descendants descendants_of(const Caches& caches, const kube::ObjectKey& cluster) {
  Descendants all{.pools = caches.machine_pools_of(cluster),
                  .deployments = caches.machine_deployments_of(cluster),
                  .sets = caches.machine_sets_of(cluster)};
  for (auto& machine : caches.machines_of(cluster)) {
    (is_control_plane(*machine) ? all.control_plane_machines : all.worker_machines)
        .push_back(std::move(machine));
  }
  return all;
}

}  // namespace capstan::controllers::cluster
