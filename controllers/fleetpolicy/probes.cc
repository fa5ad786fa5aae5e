#include "controllers/fleetpolicy/probes.h"

namespace capstan::controllers::fleetpolicy {

Probes::Probes(Metrics* metrics) {
  if (metrics == nullptr) return;
  waiting = metrics
                ->gauges("capstan_fleet_deletions_waiting",
                         "Machines whose deletion waits for a place in the limits of the FleetPolicy", {})
                .with({});
  in_flight = metrics
                  ->gauges("capstan_fleet_deletions_in_flight",
                           "Machines whose deletion the FleetPolicy has granted, and that are there", {})
                  .with({});
}

void Probes::show(const Plan& plan) const {
  waiting.set(plan.waiting.count);
  in_flight.set(static_cast<double>(plan.grants.size()));
}

}  // namespace capstan::controllers::fleetpolicy
