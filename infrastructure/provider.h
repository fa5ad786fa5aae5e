// Provider: the infrastructure provider as one object. It owns caches, informers and controllers; the
// management API server, the drivers and the control planes are lent to it. cmd/dev and simulations make one;
// start() and stop() from one thread.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "infrastructure/controller/orphans/settings.h"
#include "infrastructure/drivers.h"
#include "infrastructure/sim/control_plane.h"
#include "kube/client.h"
#include "runtime/controller.h"
#include "runtime/informer.h"

namespace capstan::infrastructure {

// All of it lives longer.
struct ProviderDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // of the management cluster
  Drivers drivers;
  sim::ControlPlanes& control_planes;
  Randomness& randomness;  // mints instance keys: never the same numbers in two processes
  Log log = {};
  Metrics* metrics = nullptr;
};

struct ProviderOptions {
  std::size_t machine_concurrency = 100;  // a create blocks for as long as the cloud takes
  std::size_t cluster_concurrency = 10;
  std::size_t pool_concurrency = 10;
  Nanoseconds machine_pace = std::chrono::milliseconds(100);
  Nanoseconds cluster_pace = std::chrono::milliseconds(100);
  Nanoseconds pool_pace = std::chrono::seconds(1);         // its instances come one by one
  Nanoseconds inventory_every = std::chrono::seconds(30);  // zero: VMs that vanish go unnoticed
  std::uint64_t seed = 0;                                  // of watch lengths and back-offs
  // False: a DriverCluster is provisioned as its user wrote it, with an endpoint or without; one without says
  // that it waits for a user or a control plane provider to bring it.
  bool makes_control_planes = true;
  OrphanSettingsSource orphans = {};  // in place of the FleetPolicy; empty: it is read
};

class Provider {
 public:
  explicit Provider(const ProviderDeps& deps, ProviderOptions options = {});
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  // Returns when the caches are complete and the controllers run. Timeout: a kind can't be listed, most
  // likely because its CRD is missing.
  Result<void> start(const Deadline& deadline);
  void stop();
  // The two halves of start() and stop(): a process that stands by has full caches and no controller.
  Result<void> start_caches(const Deadline& deadline);
  void start_controllers();
  void stop_controllers();
  void stop_caches();

  // For probes and /debug; the informers there are from the beginning.
  std::vector<runtime::InformerState*> informers();
  std::vector<const runtime::Controller*> controllers() const;
  // Before a scrape.
  void refresh_metrics();
  // Turns done or waiting to be done now: nothing left is what a test waits for.
  bool idle() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::infrastructure
