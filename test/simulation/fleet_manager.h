// One simulated manager process: all controllers of the core and the registry of workload clusters, wired,
// started and stopped in the order of cmd/manager/wiring.cc. Made and run by the head thread of its process;
// a crash unwinds it.
#pragma once

#include <functional>

#include "base/randomness.h"
#include "controllers/controllers.h"
#include "kube/watch_loop.h"
#include "kubeconfig/workload_registry.h"
#include "runtime/brake.h"

namespace capstan::simulation {

struct FleetManagerDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  kubeconfig::Dial dial = {};
  Log log = {};
  std::uint64_t seed = 0;
};

class FleetManager {
 public:
  explicit FleetManager(const FleetManagerDeps& deps);

  // Caches, synced, then workload clusters and controllers, until stopped.
  void run(const std::stop_token& stop);

  controllers::Controllers& core() { return core_; }

 private:
  const FleetManagerDeps deps_;
  SeededRandomness randomness_;
  kube::WatchLoop loop_;
  runtime::OpenBrake brake_;
  kubeconfig::WorkloadRegistry workload_clusters_;
  controllers::Controllers core_;
};

}  // namespace capstan::simulation
