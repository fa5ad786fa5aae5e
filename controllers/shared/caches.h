// The caches all controllers read, with every index any of them needs: a controller that looks for "the
// Machines of" something asks an index, never the whole fleet. Wiring makes one and feeds it by informers;
// controllers only read. Safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/core/custom_resource_definition.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "runtime/store.h"

namespace capstan::controllers {

using kube::ObjectKey;
using runtime::Snapshot;

// An object of a provider, as a reference names it; any version of its kind.
struct ReferredObject {
  std::string_view group = {};
  std::string_view kind = {};
  std::string_view namespace_ = {};
  std::string_view name = {};
};

class Caches {
 public:
  Caches();
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;

  runtime::Store<api::Cluster> clusters{"Cluster"};
  runtime::Store<api::Machine> machines{"Machine"};
  runtime::Store<api::MachineSet> machine_sets{"MachineSet"};
  runtime::Store<api::MachineDeployment> machine_deployments{"MachineDeployment"};
  runtime::Store<api::MachinePool> machine_pools{"MachinePool"};
  runtime::Store<api::MachineHealthCheck> machine_health_checks{"MachineHealthCheck"};
  runtime::Store<api::MachineDrainRule> machine_drain_rules{"MachineDrainRule"};
  // Both empty where the kind is not installed.
  runtime::Store<api::MachineLifecyclePolicy> machine_lifecycle_policies{"MachineLifecyclePolicy"};
  runtime::Store<api::FleetPolicy> fleet_policies{"FleetPolicy"};
  runtime::Store<api::CustomResourceDefinition> crds{"CustomResourceDefinition"};

  // Of one Cluster (by spec.clusterName), in the order of their names.
  std::vector<Snapshot<api::Machine>> machines_of(const ObjectKey& cluster) const;
  // Those with the control-plane label.
  std::vector<Snapshot<api::Machine>> control_plane_machines_of(const ObjectKey& cluster) const;
  // Without that label: of one Cluster, or of all.
  std::int32_t workers_of(const ObjectKey& cluster) const;
  std::int32_t workers() const;
  std::vector<Snapshot<api::MachineSet>> machine_sets_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachineDeployment>> machine_deployments_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachinePool>> machine_pools_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachineHealthCheck>> machine_health_checks_of(const ObjectKey& cluster) const;

  // With an owner reference to that Cluster, whatever its uid, while spec.clusterName names another one.
  std::vector<Snapshot<api::Machine>> misnamed_machines_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachineSet>> misnamed_machine_sets_of(const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachineDeployment>> misnamed_machine_deployments_of(
      const ObjectKey& cluster) const;
  std::vector<Snapshot<api::MachinePool>> misnamed_machine_pools_of(const ObjectKey& cluster) const;
  // With that Cluster in the label cluster-name alone.
  std::vector<Snapshot<api::Machine>> machines_only_labelled(const ObjectKey& cluster) const;

  // Of one Cluster, without a controller: who may be adopted.
  std::vector<Snapshot<api::Machine>> uncontrolled_machines_of(const ObjectKey& cluster) const;

  // With the annotation capstan.dev/fleet-request or capstan.dev/fleet-grant.
  std::vector<Snapshot<api::Machine>> machines_with_fleet_request() const;

  // With an owner reference of that uid, controller or not.
  std::vector<Snapshot<api::Machine>> machines_owned_by(const api::Uid& owner) const;
  std::size_t count_machines_owned_by(const api::Uid& owner) const;
  std::vector<Snapshot<api::MachineSet>> machine_sets_owned_by(const api::Uid& owner) const;

  // Of a namespace; for adoption and other selection by labels.
  std::vector<Snapshot<api::MachineSet>> machine_sets_in(std::string_view namespace_) const;
  std::vector<Snapshot<api::MachineDeployment>> machine_deployments_in(std::string_view namespace_) const;
  std::vector<Snapshot<api::MachinePool>> machine_pools_in(std::string_view namespace_) const;
  std::vector<Snapshot<api::MachineDrainRule>> drain_rules_in(std::string_view namespace_) const;
  // For policy_for() in policies.h.
  std::vector<Snapshot<api::MachineLifecyclePolicy>> policies_in(std::string_view namespace_) const;

  // In that cluster, with spec.providerID or status.nodeRef.name like this; more than one is the cluster's
  // mistake.
  std::vector<Snapshot<api::Machine>> machines_with_provider_id(const ObjectKey& cluster,
                                                                std::string_view provider_id) const;
  std::vector<Snapshot<api::Machine>> machines_on_node(const ObjectKey& cluster, std::string_view node) const;
  // In that cluster, with it in spec.providerIDList or among the names of status.nodeRefs.
  std::vector<Snapshot<api::MachinePool>> machine_pools_with_provider_id(const ObjectKey& cluster,
                                                                         std::string_view provider_id) const;
  std::vector<Snapshot<api::MachinePool>> machine_pools_on_node(const ObjectKey& cluster,
                                                                std::string_view node) const;

  // Those whose spec names that object as infrastructure, bootstrap configuration or control plane, in the
  // order of their names.
  std::vector<Snapshot<api::Cluster>> clusters_referring_to(const ReferredObject& object) const;
  std::vector<Snapshot<api::Machine>> machines_referring_to(const ReferredObject& object) const;
  std::vector<Snapshot<api::MachinePool>> machine_pools_referring_to(const ReferredObject& object) const;

  // The Cluster an object belongs to by spec.clusterName; null while it is not in the cache.
  Snapshot<api::Cluster> cluster_of(std::string_view namespace_, std::string_view cluster_name) const;

 private:
  runtime::IndexId<api::Cluster> clusters_by_reference_;
  runtime::IndexId<api::Machine> machines_by_cluster_;
  runtime::IndexId<api::Machine> control_plane_machines_;
  runtime::IndexId<api::Machine> machines_with_fleet_request_;
  runtime::IndexId<api::Machine> misnamed_machines_;
  runtime::IndexId<api::Machine> mislabelled_machines_;
  runtime::IndexId<api::Machine> machines_by_owner_;
  runtime::IndexId<api::Machine> machines_without_controller_;
  runtime::IndexId<api::Machine> machines_by_provider_id_;
  runtime::IndexId<api::Machine> machines_by_node_;
  runtime::IndexId<api::Machine> machines_by_reference_;
  runtime::IndexId<api::MachineSet> machine_sets_by_cluster_;
  runtime::IndexId<api::MachineSet> misnamed_machine_sets_;
  runtime::IndexId<api::MachineSet> machine_sets_by_owner_;
  runtime::IndexId<api::MachineSet> machine_sets_by_namespace_;
  runtime::IndexId<api::MachineDeployment> machine_deployments_by_cluster_;
  runtime::IndexId<api::MachineDeployment> misnamed_machine_deployments_;
  runtime::IndexId<api::MachineDeployment> machine_deployments_by_namespace_;
  runtime::IndexId<api::MachinePool> machine_pools_by_cluster_;
  runtime::IndexId<api::MachinePool> misnamed_machine_pools_;
  runtime::IndexId<api::MachinePool> machine_pools_by_namespace_;
  runtime::IndexId<api::MachinePool> machine_pools_by_provider_id_;
  runtime::IndexId<api::MachinePool> machine_pools_by_node_;
  runtime::IndexId<api::MachinePool> machine_pools_by_reference_;
  runtime::IndexId<api::MachineHealthCheck> machine_health_checks_by_cluster_;
  runtime::IndexId<api::MachineDrainRule> drain_rules_by_namespace_;
  runtime::IndexId<api::MachineLifecyclePolicy> policies_by_namespace_;
};

}  // namespace capstan::controllers
