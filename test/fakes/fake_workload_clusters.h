// Workload clusters in hand, for tests of controllers: the test connects and loses them, puts Nodes in by
// hand and sees the handlers fire in its own thread before the call returns. Safe from any thread; one test
// thread at a time changes it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kubeconfig/workload_clusters.h"

namespace capstan::fakes {

class FakeWorkloadClusters final : public kubeconfig::WorkloadClusters {
 public:
  using ObjectKey = kube::ObjectKey;

  FakeWorkloadClusters();
  ~FakeWorkloadClusters() override;

  // From now on its API server is `client`, which lives longer (none: every call answers Internal). Its
  // Nodes, as they were put so far, are handed over as initial changes, then the cluster as connected.
  void connect(const ObjectKey& cluster, kube::Client* client = nullptr, Time at = {});
  // Holders of the WorkloadCluster keep its Nodes; its client answers NotConnected. Also for a cluster
  // that never was connected, to give it a problem of its own.
  void lose(const ObjectKey& cluster, std::string problem = "probe failed: connection refused",
            Time since = {});
  // Anything else there is to say (insecure, times); `connected` stays what it is.
  void set_reach(const ObjectKey& cluster, kubeconfig::Reach reach);

  // Adds the Node, or replaces the one of that name; the version is given here. Handlers are called when
  // connected.
  void put_node(const ObjectKey& cluster, api::Node node);
  // The same in the version that its API server gave it, so that a write can be bound to what was seen.
  void mirror_node(const ObjectKey& cluster, api::Node node);
  void remove_node(const ObjectKey& cluster, std::string_view name);

  Result<std::shared_ptr<kubeconfig::WorkloadCluster>> get(const ObjectKey& cluster) override;
  kubeconfig::Reach reach(const ObjectKey& cluster) const override;
  void on_reach_change(ClusterHandler handler) override;
  void on_node_change(NodeHandler handler) override;

 private:
  class Cluster;
  struct Known {
    std::map<std::string, api::Node, std::less<>> nodes = {};
    kubeconfig::Reach reach = {.problem = "no connection has been made yet"};
    std::shared_ptr<Cluster> connected = {};
  };
  struct Inside {
    std::map<ObjectKey, Known> clusters = {};
    std::vector<ClusterHandler> cluster_handlers = {};
    std::vector<NodeHandler> node_handlers = {};
    std::uint64_t version = 1000;
  };

  void call_reach_handlers(const ObjectKey& cluster) const;

  SystemClock clock_;
  SystemThreads threads_;
  std::unique_ptr<kube::Client> silent_;
  Guarded<Inside> inside_;
};

}  // namespace capstan::fakes
