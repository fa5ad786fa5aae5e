// The product behind WorkloadClusters. For each cluster that is wanted it reads their kubeconfig Secrets,
// dials, watches their Nodes, probes, loses and reconnects, each cluster by itself on a few shared threads.
// The manager makes one; want() and forget() are called by wanted.h. Safe from any thread, but for start()
// and stop().
#pragma once

#include <memory>
#include <optional>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "kube/watch_loop.h"
#include "kube/watch_protocol.h"
#include "kubeconfig/access.h"
#include "kubeconfig/dial.h"
#include "kubeconfig/gated_client.h"
#include "kubeconfig/probe.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/controller.h"

namespace capstan::kubeconfig {

// All of it lives longer.
struct RegistrySeams {
  const Clock& clock;
  Threads& threads;
  kube::Client& management;
  Randomness& randomness;
  kube::WatchLoop& loop;
  Log log = {};
  Metrics* metrics = nullptr;
};

struct RegistryOptions {
  std::size_t concurrency = 100;  // --clustercache-concurrency; threads are started as load asks for them
  Limits limits = {};
  GateLimits gate = {};
  ProbeRules probe = {};
  kube::WatchLimits watches = {};
  Nanoseconds secret_timeout = std::chrono::seconds(10);
  Nanoseconds list_timeout = std::chrono::minutes(5);  // of the first list of Nodes
  // Between attempts to connect.
  Backoff backoff = {.initial = std::chrono::seconds(1), .cap = std::chrono::seconds(30), .jitter = 0.2};
  // So long a silent server is tried with a kubeconfig that has worked before its Secret is read again.
  Nanoseconds secret_every = std::chrono::minutes(10);
  std::optional<OwnPod> own_pod = {};  // unset: we run in no cluster
};

class WorkloadRegistry final : public WorkloadClusters {
 public:
  WorkloadRegistry(const RegistrySeams& seams, Dial dial, RegistryOptions options = {});
  ~WorkloadRegistry() override;  // stop()
  WorkloadRegistry(const WorkloadRegistry&) = delete;
  WorkloadRegistry& operator=(const WorkloadRegistry&) = delete;

  // After the handlers have been subscribed.
  void start();
  // Every connection ends; no handler is called any more. A client that is still held answers NotConnected.
  void stop();

  // A cluster to be connected to: its infrastructure is provisioned. Again: nothing.
  void want(const ObjectKey& cluster);
  // Something happened that may help (its control plane came up, its Secret was written): an attempt that
  // waits out its back-off is made now.
  void hurry(const ObjectKey& cluster);
  // It is gone. From now on get() says so; what is being dialled is given up.
  void forget(const ObjectKey& cluster);

  Result<std::shared_ptr<WorkloadCluster>> get(const ObjectKey& cluster) override;
  Reach reach(const ObjectKey& cluster) const override;
  void on_reach_change(ClusterHandler handler) override;
  void on_node_change(NodeHandler handler) override;

  const runtime::Controller& controller() const;  // for /debug
  void refresh_metrics();                         // before a scrape

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::kubeconfig
