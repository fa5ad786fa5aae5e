// What the controller of the FleetPolicy shows in /metrics. Safe from any thread.
#pragma once

#include "base/metrics.h"
#include "controllers/fleetpolicy/plan.h"

namespace capstan::controllers::fleetpolicy {

struct Probes {
  explicit Probes(Metrics* metrics);  // null: nothing is shown

  void show(const Plan& plan) const;

  Gauge waiting = {};    // Machines whose deletion waits for a place
  Gauge in_flight = {};  // those whose deletion was granted, and that are there
};

}  // namespace capstan::controllers::fleetpolicy
