#include "bootstrap/caches.h"

#include <algorithm>

#include "api/names.h"

namespace capstan::bootstrap {
namespace {

runtime::IndexValues cluster_of(const api::CloudConfig& config) {
  const auto* label = config.metadata.labels.find(api::label::kClusterName);
  if (label == nullptr) return {};
  const ObjectKey key{.namespace_ = config.metadata.namespace_.str(), .name = label->str()};
  return {Text(key.describe())};
}

runtime::IndexValues node_config_of(const api::CloudConfig& config) {
  if (!config.spec.node_config_ref) return {};
  const ObjectKey key{.namespace_ = config.metadata.namespace_.str(),
                      .name = config.spec.node_config_ref->name.str()};
  return {Text(key.describe())};
}

runtime::IndexValues cluster_named_by(const api::NodeConfig& config) {
  const ObjectKey key{.namespace_ = config.metadata.namespace_.str(), .name = config.spec.cluster_name.str()};
  return {Text(key.describe())};
}

const api::MachineSpec& machine_spec(const api::Machine& machine) { return machine.spec; }
const api::MachineSpec& machine_spec(const api::MachinePool& pool) { return pool.spec.machine_template.spec; }

// What a VM has made of the data so far.
void add_progress(const api::Machine& machine, Owner& owner) {
  owner.has_vm = !machine.spec.provider_id.empty() ||
                 machine.status.initialization.infrastructure_provisioned.value_or(false);
  owner.nodes_missing = !machine.status.node_ref.has_value();
  if (machine.status.node_ref) owner.nodes.push_back(machine.status.node_ref->name.str());
}

void add_progress(const api::MachinePool& pool, Owner& owner) {
  const auto wanted = static_cast<std::size_t>(std::max(0, pool.spec.replicas.value_or(1)));
  owner.nodes_missing = pool.status.node_refs.size() < wanted;
  for (const auto& node : pool.status.node_refs) owner.nodes.push_back(node.name.str());
}

// References name an owner by kind and name; the uid shows whether it is the same one still.
template <typename T>
std::optional<Owner> described(const runtime::Store<T>& store, const api::ObjectMeta& object,
                               const api::OwnerReference& reference) {
  const auto found = store.get({.namespace_ = object.namespace_.str(), .name = reference.name.str()});
  if (!found || found->metadata.uid != reference.uid) return std::nullopt;
  const api::MachineSpec& spec = machine_spec(*found);
  Owner owner{.kind = reference.kind.str(),
              .name = reference.name.str(),
              .cluster = found->spec.cluster_name.str(),
              .version = spec.version.str(),
              .data_secret = spec.bootstrap.data_secret_name.value_or(Text()).str(),
              .control_plane = found->metadata.labels.contains(api::label::kControlPlane),
              .deleting = found->metadata.deleting()};
  add_progress(*found, owner);
  return owner;
}

}  // namespace

bool Owner::is_pool() const { return kind == api::kind::kMachinePool; }

Caches::Caches()
    : by_cluster_(cloud_configs.add_index(cluster_of)),
      by_node_config_(cloud_configs.add_index(node_config_of)),
      node_configs_by_cluster_(node_configs.add_index(cluster_named_by)) {}

std::string Caches::cluster_label_of(const api::CloudConfig& config) {
  return std::string(config.metadata.labels.value_or_empty(api::label::kClusterName));
}

std::vector<Snapshot<api::CloudConfig>> Caches::cloud_configs_of(const ObjectKey& cluster) const {
  return cloud_configs.find(by_cluster_, cluster.describe());
}

std::vector<Snapshot<api::CloudConfig>> Caches::users_of(const ObjectKey& node_config) const {
  return cloud_configs.find(by_node_config_, node_config.describe());
}

std::vector<Snapshot<api::NodeConfig>> Caches::node_configs_of(const ObjectKey& cluster) const {
  return node_configs.find(node_configs_by_cluster_, cluster.describe());
}

std::optional<Owner> Caches::owner_of(const api::ObjectMeta& object) const {
  for (const auto& reference : *object.owner_references) {
    if (reference.group() != api::group::kCluster) continue;
    std::optional<Owner> owner;
    if (reference.kind == api::kind::kMachine) owner = described(machines, object, reference);
    if (reference.kind == api::kind::kMachinePool) owner = described(machine_pools, object, reference);
    if (owner) return owner;
  }
  return std::nullopt;
}

}  // namespace capstan::bootstrap
