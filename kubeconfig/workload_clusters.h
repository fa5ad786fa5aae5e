// The seam to workload clusters: what controllers ask when they need a cluster's Nodes or its
// API server. Connected or NotConnected, never a wait. WorkloadRegistry is the product, test/fakes has one in
// hand. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/core/node.h"
#include "base/result.h"
#include "kube/client.h"
#include "kubeconfig/reach.h"
#include "runtime/store.h"

namespace capstan::kubeconfig {

using kube::ObjectKey;

// A connected cluster. Its holder keeps it alive, not connected: when the connection goes, its calls
// answer NotConnected.
class WorkloadCluster {
 public:
  virtual ~WorkloadCluster() = default;

  // Limited to a few requests in flight and to the cluster's own request rate.
  virtual kube::Client& client() = 0;
  // Complete: a cluster counts as connected once its Nodes have been listed.
  virtual const runtime::Store<api::Node>& nodes() const = 0;
  // By spec.providerID, in the order of their names: two are an error of the cluster, never a choice of ours.
  virtual std::vector<runtime::Snapshot<api::Node>> nodes_with(std::string_view provider_id) const = 0;
};

class WorkloadClusters {
 public:
  virtual ~WorkloadClusters() = default;

  // NotConnected says why in its message (no kubeconfig Secret, refused, which probe failed, since when).
  virtual Result<std::shared_ptr<WorkloadCluster>> get(const ObjectKey& cluster) = 0;
  virtual Reach reach(const ObjectKey& cluster) const = 0;

  // Subscribe before controllers start; handlers run on threads of the registry, hold no lock and must not
  // block.
  using ClusterHandler = std::function<void(const ObjectKey& cluster)>;
  virtual void on_reach_change(ClusterHandler handler) = 0;  // connected, lost, probe outcome turned
  using NodeHandler = std::function<void(const ObjectKey& cluster, const runtime::Change<api::Node>& change)>;
  virtual void on_node_change(NodeHandler handler) = 0;
};

}  // namespace capstan::kubeconfig
