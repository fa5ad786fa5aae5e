// The caches the CloudConfig controller reads. Provider makes one and feeds it by informers. Safe from any
// thread.
#pragma once

#include <optional>
#include <vector>

#include "api/bootstrap/cloud_config.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "bootstrap/controller/owner.h"
#include "runtime/store.h"

namespace capstan::bootstrap {

using kube::ObjectKey;
using runtime::Snapshot;

class Caches {
 public:
  Caches();
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;

  runtime::Store<api::Cluster> clusters{"Cluster"};
  runtime::Store<api::Machine> machines{"Machine"};
  runtime::Store<api::MachinePool> machine_pools{"MachinePool"};
  runtime::Store<api::CloudConfig> cloud_configs{"CloudConfig"};

  // By the label that says which cluster they belong to.
  std::vector<Snapshot<api::CloudConfig>> cloud_configs_of(const ObjectKey& cluster) const;
  // "" when it has no such label.
  static std::string cluster_label_of(const api::CloudConfig& config);
  // If the cache has it and its uid is the one the owner reference means.
  std::optional<Owner> owner_of(const api::ObjectMeta& object) const;

 private:
  runtime::IndexId<api::CloudConfig> by_cluster_;
};

}  // namespace capstan::bootstrap
