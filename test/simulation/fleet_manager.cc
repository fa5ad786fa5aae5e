#include "test/simulation/fleet_manager.h"

#include "kubeconfig/wanted.h"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kSyncCheck = 20ms;

// Two at a time are enough for two to meet.
controllers::Settings settings() {
  return {.concurrency = {.cluster = 2,
                          .machine = 3,
                          .machine_set = 2,
                          .machine_deployment = 2,
                          .machine_pool = 1,
                          .machine_health_check = 1},
          // A Node that its Machine has left behind would be marked whenever it is that old.
          .unmanaged_node_after = Seconds(24 * 3600)};
}

}  // namespace

FleetManager::FleetManager(const FleetManagerDeps& deps)
    : deps_(deps),
      randomness_(deps.seed),
      loop_(deps.threads, deps.clock),
      workload_clusters_({.clock = deps.clock,
                          .threads = deps.threads,
                          .management = deps.client,
                          .randomness = randomness_,
                          .loop = loop_,
                          .log = deps.log},
                         deps.dial, {.concurrency = 1}),
      core_({.clock = deps.clock,
             .threads = deps.threads,
             .client = deps.client,
             .randomness = randomness_,
             .loop = loop_,
             .workload_clusters = workload_clusters_,
             .brake = brake_,
             .log = deps.log},
            settings()) {
  kubeconfig::follow(core_.caches().clusters, workload_clusters_);
}

void FleetManager::run(const std::stop_token& stop) {
  core_.start_informers();
  while (core_.not_synced()) {
    if (deps_.threads.pause(Deadline::in(deps_.clock, kSyncCheck, stop)) == Woken::Stopped) return;
  }
  workload_clusters_.start();
  core_.start();
  deps_.threads.pause(Deadline::never(stop));
  core_.stop();
  workload_clusters_.stop();
  core_.stop_informers();
}

}  // namespace capstan::simulation
