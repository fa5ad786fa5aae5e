#include "controllers/shared/caches.h"

#include <algorithm>
#include <array>

#include "api/policy/names.h"

namespace capstan::controllers {
namespace {

using runtime::IndexValues;

// A separator that no name can contain.
std::string in_cluster(std::string_view namespace_, std::string_view cluster) {
  std::string value;
  value.reserve(namespace_.size() + cluster.size() + 1);
  value.append(namespace_).append("/").append(cluster);
  return value;
}

template <typename T>
Text cluster_scope(const T& object) {
  return Text(in_cluster(object.metadata.namespace_, object.spec.cluster_name));
}

template <typename T>
IndexValues by_cluster(const T& object) {
  return {cluster_scope(object)};
}

// No Cluster is called so.
constexpr std::string_view kAllClusters = "*";

IndexValues of_control_plane(const api::Machine& machine) {
  if (!machine.metadata.labels.contains(api::label::kControlPlane)) return {};
  return {cluster_scope(machine), Text(kAllClusters)};
}

// Almost always empty.
IndexValues with_fleet_request(const api::Machine& machine) {
  namespace annotation = api::policy::annotation;
  const auto& annotations = machine.metadata.annotations;
  const bool concerned =
      annotations.contains(annotation::kFleetRequest) || annotations.contains(annotation::kFleetGrant);
  return concerned ? IndexValues{Text(kAllClusters)} : IndexValues();
}

// Almost always empty.
template <typename T>
IndexValues by_other_cluster(const T& object) {
  IndexValues values;
  for (const auto& owner : *object.metadata.owner_references) {
    if (owner.kind != api::kind::kCluster || owner.group() != api::group::kCluster) continue;
    if (owner.name != object.spec.cluster_name)
      values.emplace_back(Text(in_cluster(object.metadata.namespace_, owner.name)));
  }
  return values;
}

// Almost always empty, too.
IndexValues by_other_label(const api::Machine& machine) {
  const Text* labelled = machine.metadata.labels.find(api::label::kClusterName);
  if (labelled == nullptr || *labelled == machine.spec.cluster_name) return {};
  return {Text(in_cluster(machine.metadata.namespace_, *labelled))};
}

template <typename T>
IndexValues by_owner(const T& object) {
  IndexValues uids;
  for (const auto& owner : *object.metadata.owner_references) uids.emplace_back(Text(owner.uid.str()));
  return uids;
}

// Almost always empty: a controller that makes a Machine becomes its controller owner.
IndexValues without_controller(const api::Machine& machine) {
  if (machine.metadata.controller() != nullptr) return {};
  return by_cluster(machine);
}

template <typename T>
IndexValues by_namespace(const T& object) {
  return {object.metadata.namespace_};
}

IndexValues by_provider_id(const api::Machine& machine) {
  if (machine.spec.provider_id.empty()) return {};
  return {{cluster_scope(machine), machine.spec.provider_id}};
}

IndexValues by_node(const api::Machine& machine) {
  if (!machine.status.node_ref) return {};
  return {{cluster_scope(machine), machine.status.node_ref->name}};
}

IndexValues pool_by_provider_id(const api::MachinePool& pool) {
  const Text scope = cluster_scope(pool);
  IndexValues values;
  values.reserve(pool.spec.provider_id_list.size());
  for (const Text& id : pool.spec.provider_id_list) values.emplace_back(scope, id);
  return values;
}

IndexValues pool_by_node(const api::MachinePool& pool) {
  const Text scope = cluster_scope(pool);
  IndexValues values;
  values.reserve(pool.status.node_refs.size());
  for (const auto& node : pool.status.node_refs) values.emplace_back(scope, node.name);
  return values;
}

using References = std::array<const api::ContractRef*, 2>;  // null: there is none

const api::ContractRef* present(const std::optional<api::ContractRef>& ref) { return ref ? &*ref : nullptr; }

References references_of(const api::MachineSpec& spec) {
  return {&spec.infrastructure_ref, present(spec.bootstrap.config_ref)};
}
References references_of(const api::Cluster& cluster) {
  return {present(cluster.spec.infrastructure_ref), present(cluster.spec.control_plane_ref)};
}
References references_of(const api::Machine& machine) { return references_of(machine.spec); }
References references_of(const api::MachinePool& pool) {
  return references_of(pool.spec.machine_template.spec);
}

// Only what is not called like the object itself, which is found by its own name: most Machines and their
// provider's objects share one name, and their references take no memory here.
template <typename T>
IndexValues by_reference(const T& object) {
  IndexValues values;
  for (const api::ContractRef* ref : references_of(object)) {
    if (ref == nullptr || ref->name.empty() || ref->name == object.metadata.name) continue;
    values.emplace_back(object.metadata.namespace_, ref->name);
  }
  return values;
}

template <typename T>
bool refers_to(const T& from, const ReferredObject& to) {
  return std::ranges::any_of(references_of(from), [&](const api::ContractRef* ref) {
    return ref != nullptr && ref->name == to.name && ref->kind == to.kind && ref->api_group == to.group;
  });
}

template <typename T>
std::vector<Snapshot<T>> referring_to(const runtime::Store<T>& store, runtime::IndexId<T> index,
                                      const ReferredObject& to) {
  auto found = store.find(index, {to.namespace_, to.name});
  if (auto namesake = store.get({.namespace_ = std::string(to.namespace_), .name = std::string(to.name)})) {
    found.push_back(std::move(namesake));
  }
  std::erase_if(found, [&](const Snapshot<T>& each) { return !refers_to(*each, to); });
  if (found.size() > 1) {
    std::ranges::sort(found, {}, [](const Snapshot<T>& each) { return each->metadata.name.view(); });
  }
  return found;
}

}  // namespace

Caches::Caches()
    : clusters_by_reference_(clusters.add_index(by_reference)),
      machines_by_cluster_(machines.add_index(by_cluster)),
      control_plane_machines_(machines.add_index(of_control_plane)),
      machines_with_fleet_request_(machines.add_index(with_fleet_request)),
      misnamed_machines_(machines.add_index(by_other_cluster)),
      mislabelled_machines_(machines.add_index(by_other_label)),
      machines_by_owner_(machines.add_index(by_owner)),
      machines_without_controller_(machines.add_index(without_controller)),
      machines_by_provider_id_(machines.add_index(by_provider_id)),
      machines_by_node_(machines.add_index(by_node)),
      machines_by_reference_(machines.add_index(by_reference)),
      machine_sets_by_cluster_(machine_sets.add_index(by_cluster)),
      misnamed_machine_sets_(machine_sets.add_index(by_other_cluster)),
      machine_sets_by_owner_(machine_sets.add_index(by_owner)),
      machine_sets_by_namespace_(machine_sets.add_index(by_namespace)),
      machine_deployments_by_cluster_(machine_deployments.add_index(by_cluster)),
      misnamed_machine_deployments_(machine_deployments.add_index(by_other_cluster)),
      machine_deployments_by_namespace_(machine_deployments.add_index(by_namespace)),
      machine_pools_by_cluster_(machine_pools.add_index(by_cluster)),
      misnamed_machine_pools_(machine_pools.add_index(by_other_cluster)),
      machine_pools_by_namespace_(machine_pools.add_index(by_namespace)),
      machine_pools_by_provider_id_(machine_pools.add_index(pool_by_provider_id)),
      machine_pools_by_node_(machine_pools.add_index(pool_by_node)),
      machine_pools_by_reference_(machine_pools.add_index(by_reference)),
      machine_health_checks_by_cluster_(machine_health_checks.add_index(by_cluster)),
      drain_rules_by_namespace_(machine_drain_rules.add_index(by_namespace)),
      policies_by_namespace_(machine_lifecycle_policies.add_index(by_namespace)) {}

std::vector<Snapshot<api::Machine>> Caches::machines_of(const ObjectKey& cluster) const {
  return machines.find(machines_by_cluster_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::Machine>> Caches::control_plane_machines_of(const ObjectKey& cluster) const {
  return machines.find(control_plane_machines_, in_cluster(cluster.namespace_, cluster.name));
}

std::int32_t Caches::workers_of(const ObjectKey& cluster) const {
  const std::string scope = in_cluster(cluster.namespace_, cluster.name);
  return static_cast<std::int32_t>(machines.count(machines_by_cluster_, scope) -
                                   machines.count(control_plane_machines_, scope));
}

std::int32_t Caches::workers() const {
  return static_cast<std::int32_t>(machines.size() - machines.count(control_plane_machines_, kAllClusters));
}

std::vector<Snapshot<api::MachineSet>> Caches::machine_sets_of(const ObjectKey& cluster) const {
  return machine_sets.find(machine_sets_by_cluster_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachineDeployment>> Caches::machine_deployments_of(const ObjectKey& cluster) const {
  return machine_deployments.find(machine_deployments_by_cluster_,
                                  in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachinePool>> Caches::machine_pools_of(const ObjectKey& cluster) const {
  return machine_pools.find(machine_pools_by_cluster_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachineHealthCheck>> Caches::machine_health_checks_of(
    const ObjectKey& cluster) const {
  return machine_health_checks.find(machine_health_checks_by_cluster_,
                                    in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::Machine>> Caches::misnamed_machines_of(const ObjectKey& cluster) const {
  return machines.find(misnamed_machines_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachineSet>> Caches::misnamed_machine_sets_of(const ObjectKey& cluster) const {
  return machine_sets.find(misnamed_machine_sets_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachineDeployment>> Caches::misnamed_machine_deployments_of(
    const ObjectKey& cluster) const {
  return machine_deployments.find(misnamed_machine_deployments_,
                                  in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::MachinePool>> Caches::misnamed_machine_pools_of(const ObjectKey& cluster) const {
  return machine_pools.find(misnamed_machine_pools_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::Machine>> Caches::machines_only_labelled(const ObjectKey& cluster) const {
  return machines.find(mislabelled_machines_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::Machine>> Caches::uncontrolled_machines_of(const ObjectKey& cluster) const {
  return machines.find(machines_without_controller_, in_cluster(cluster.namespace_, cluster.name));
}

std::vector<Snapshot<api::Machine>> Caches::machines_with_fleet_request() const {
  return machines.find(machines_with_fleet_request_, kAllClusters);
}

std::vector<Snapshot<api::Machine>> Caches::machines_owned_by(const api::Uid& owner) const {
  return machines.find(machines_by_owner_, owner.str());
}

std::size_t Caches::count_machines_owned_by(const api::Uid& owner) const {
  return machines.count(machines_by_owner_, owner.str());
}

std::vector<Snapshot<api::MachineSet>> Caches::machine_sets_owned_by(const api::Uid& owner) const {
  return machine_sets.find(machine_sets_by_owner_, owner.str());
}

std::vector<Snapshot<api::MachineSet>> Caches::machine_sets_in(std::string_view namespace_) const {
  return machine_sets.find(machine_sets_by_namespace_, namespace_);
}

std::vector<Snapshot<api::MachineDeployment>> Caches::machine_deployments_in(
    std::string_view namespace_) const {
  return machine_deployments.find(machine_deployments_by_namespace_, namespace_);
}

std::vector<Snapshot<api::MachinePool>> Caches::machine_pools_in(std::string_view namespace_) const {
  return machine_pools.find(machine_pools_by_namespace_, namespace_);
}

std::vector<Snapshot<api::MachineDrainRule>> Caches::drain_rules_in(std::string_view namespace_) const {
  return machine_drain_rules.find(drain_rules_by_namespace_, namespace_);
}

std::vector<Snapshot<api::MachineLifecyclePolicy>> Caches::policies_in(std::string_view namespace_) const {
  return machine_lifecycle_policies.find(policies_by_namespace_, namespace_);
}

std::vector<Snapshot<api::Machine>> Caches::machines_with_provider_id(const ObjectKey& cluster,
                                                                      std::string_view provider_id) const {
  return machines.find(machines_by_provider_id_, {in_cluster(cluster.namespace_, cluster.name), provider_id});
}

std::vector<Snapshot<api::Machine>> Caches::machines_on_node(const ObjectKey& cluster,
                                                             std::string_view node) const {
  return machines.find(machines_by_node_, {in_cluster(cluster.namespace_, cluster.name), node});
}

std::vector<Snapshot<api::MachinePool>> Caches::machine_pools_with_provider_id(
    const ObjectKey& cluster, std::string_view provider_id) const {
  return machine_pools.find(machine_pools_by_provider_id_,
                            {in_cluster(cluster.namespace_, cluster.name), provider_id});
}

std::vector<Snapshot<api::MachinePool>> Caches::machine_pools_on_node(const ObjectKey& cluster,
                                                                      std::string_view node) const {
  return machine_pools.find(machine_pools_by_node_, {in_cluster(cluster.namespace_, cluster.name), node});
}

std::vector<Snapshot<api::Cluster>> Caches::clusters_referring_to(const ReferredObject& object) const {
  return referring_to(clusters, clusters_by_reference_, object);
}

std::vector<Snapshot<api::Machine>> Caches::machines_referring_to(const ReferredObject& object) const {
  return referring_to(machines, machines_by_reference_, object);
}

std::vector<Snapshot<api::MachinePool>> Caches::machine_pools_referring_to(
    const ReferredObject& object) const {
  return referring_to(machine_pools, machine_pools_by_reference_, object);
}

Snapshot<api::Cluster> Caches::cluster_of(std::string_view namespace_, std::string_view cluster_name) const {
  return clusters.get({.namespace_ = std::string(namespace_), .name = std::string(cluster_name)});
}

}  // namespace capstan::controllers
