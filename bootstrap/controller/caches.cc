#include "bootstrap/controller/caches.h"

#include "api/names.h"

namespace capstan::bootstrap {
namespace {

runtime::IndexValues cluster_of(const api::CloudConfig& config) {
  const auto* label = config.metadata.labels.find(api::label::kClusterName);
  if (label == nullptr) return {};
  const ObjectKey key{.namespace_ = config.metadata.namespace_.str(), .name = label->str()};
  return {Text(key.describe())};
}

}  // namespace

Caches::Caches() : by_cluster_(cloud_configs.add_index(cluster_of)) {}

std::vector<Snapshot<api::CloudConfig>> Caches::cloud_configs_of(const ObjectKey& cluster) const {
  return cloud_configs.find(by_cluster_, cluster.describe());
}

Snapshot<api::Machine> Caches::owner_machine(const api::ObjectMeta& object) const {
  for (const auto& reference : *object.owner_references) {
    if (reference.kind != api::kind::kMachine || reference.group() != api::group::kCluster) continue;
    auto found = machines.get({.namespace_ = object.namespace_.str(), .name = reference.name.str()});
    if (found && found->metadata.uid == reference.uid) return found;
  }
  return nullptr;
}

}  // namespace capstan::bootstrap
