// What the infrastructure provider tells of its brakes on /metrics: VMs that are no object's, and objects
// whose credentials lead to another account than their VM is in, read off the status of what the caches have
// whenever metrics are asked for. Safe from any thread.
#pragma once

#include "base/metrics.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure {

class Probes {
 public:
  explicit Probes(Metrics* metrics);  // null: nothing is counted

  void refresh(const Caches& caches) const;

 private:
  Gauge orphans_ = {};
  Gauge machines_ = {};
  Gauge pools_ = {};
};

}  // namespace capstan::infrastructure
