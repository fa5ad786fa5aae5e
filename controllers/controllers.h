// All controllers of the core in one object: caches and the informers that feed them, reconcilers and what
// runs them. The manager, capstan-dev and simulations make the same one, each with its own seams. One thread
// makes, starts and stops it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/randomness.h"
#include "controllers/cluster/reconciler.h"
#include "controllers/crdmigration/observation.h"
#include "controllers/machine/settings.h"
#include "controllers/machineset/settings.h"
#include "controllers/shared/caches.h"
#include "kube/watch_loop.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/brake.h"
#include "runtime/controller.h"
#include "runtime/dynamic_informers.h"
#include "runtime/informer.h"

namespace capstan::controllers {

// All of it lives longer.
struct Seams {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  Randomness& randomness;
  kube::WatchLoop& loop;
  kubeconfig::WorkloadClusters& workload_clusters;
  const runtime::Brake& brake;
  Log log = {};
  Metrics* metrics = nullptr;
  std::function<void()> after_load = {};  // runtime/controller.h
};

struct Concurrency {
  std::size_t cluster = 50;
  std::size_t machine = 100;
  std::size_t machine_set = 50;
  std::size_t machine_deployment = 50;
  std::size_t machine_pool = 50;
  std::size_t machine_health_check = 50;
};

// Every controller there is, in the order in which they start.
std::span<const std::string_view> controller_names();

struct Settings {
  std::string namespace_ = {};    // --namespace; empty: all
  std::string watch_filter = {};  // --watch-filter
  Nanoseconds sync_period = std::chrono::minutes(10);
  Nanoseconds api_loss_grace = std::chrono::seconds(30);  // --api-loss-grace
  Concurrency concurrency = {};
  Seconds unmanaged_node_after{1200};  // --unmanaged-node-after
  bool mcm_aliases = false;            // --mcm-aliases
  bool machine_pools = true;           // feature gate MachinePool
  bool owns_fleet_policy = true;       // of several managers one grants deletions (--owns-fleet-policy)
  std::set<std::string, std::less<>> left_out = {};  // controllers that do not run, by name (--controllers)
  cluster::Settings cluster = {};
  machine::Settings machine = {};
  machineset::Settings machine_set = {};
  std::optional<crdmigration::Settings> crd_migration = {};  // nothing: stored objects are left as they are
  kube::WatchLimits watches = {};
};

class Controllers {
 public:
  Controllers(const Seams& seams, const Settings& settings);
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  Caches& caches();

  void start_informers();
  // Which cache is not complete yet, and why; nothing when all are.
  std::optional<std::string> not_synced() const;
  void start();
  // In reverse. What is waiting to be told as an Event is sent within `goodbye`.
  void stop(Nanoseconds goodbye = std::chrono::seconds(2));
  void stop_informers();

  // For probes, metrics and /debug.
  const std::vector<runtime::InformerState*>& informers() const;
  // False: its kind need not be installed, and is not; the start does not wait for that cache.
  bool is_wanted(const runtime::InformerState& informer) const;
  std::vector<const runtime::Controller*> controllers() const;
  void refresh_metrics();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::controllers
