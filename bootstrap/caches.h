// The caches that the controllers of CloudConfigs and NodeConfigs read. Provider makes one and feeds it by
// informers. Safe from any thread.
#pragma once

#include <optional>
#include <vector>

#include "api/bootstrap/cloud_config.h"
#include "api/bootstrap/node_config.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_pool.h"
#include "bootstrap/owner.h"
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
  runtime::Store<api::NodeConfig> node_configs{"NodeConfig"};

  // By the label that says which cluster they belong to.
  std::vector<Snapshot<api::CloudConfig>> cloud_configs_of(const ObjectKey& cluster) const;
  // The CloudConfigs that refer to that NodeConfig.
  std::vector<Snapshot<api::CloudConfig>> users_of(const ObjectKey& node_config) const;
  std::vector<Snapshot<api::NodeConfig>> node_configs_of(const ObjectKey& cluster) const;
  // "" when it has no such label.
  static std::string cluster_label_of(const api::CloudConfig& config);
  // If the cache has it and its uid is the one the owner reference means.
  std::optional<Owner> owner_of(const api::ObjectMeta& object) const;

 private:
  runtime::IndexId<api::CloudConfig> by_cluster_;
  runtime::IndexId<api::CloudConfig> by_node_config_;
  runtime::IndexId<api::NodeConfig> node_configs_by_cluster_;
};

}  // namespace capstan::bootstrap
