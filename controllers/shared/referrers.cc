#include "controllers/shared/referrers.h"

#include "api/names.h"

namespace capstan::controllers {
namespace {

template <typename T>
std::vector<ObjectKey> keys_of_referrers(const std::vector<Snapshot<T>>& referring) {
  std::vector<ObjectKey> keys;
  for (const auto& each : referring) keys.push_back(runtime::key_of(*each));
  return keys;
}

}  // namespace

ReferredObject referred(const kube::Resource& resource, const ObjectKey& key) {
  return {.group = resource.group, .kind = resource.kind, .namespace_ = key.namespace_, .name = key.name};
}

runtime::ExternalRefs::Referrers referrers_of_kind(const Caches& caches, std::string_view kind) {
  if (kind == api::kind::kCluster) {
    return [&caches](const kube::Resource& resource, const ObjectKey& key) {
      return keys_of_referrers(caches.clusters_referring_to(referred(resource, key)));
    };
  }
  if (kind == api::kind::kMachine) {
    return [&caches](const kube::Resource& resource, const ObjectKey& key) {
      return keys_of_referrers(caches.machines_referring_to(referred(resource, key)));
    };
  }
  if (kind == api::kind::kMachinePool) {
    return [&caches](const kube::Resource& resource, const ObjectKey& key) {
      return keys_of_referrers(caches.machine_pools_referring_to(referred(resource, key)));
    };
  }
  return {};
}

}  // namespace capstan::controllers
