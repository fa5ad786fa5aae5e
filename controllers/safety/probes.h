// What is frozen and what was released, for /metrics: the gauges capstan_frozen and capstan_released by kind,
// read off the conditions and annotations of what the caches have whenever metrics are asked for. Safe from
// any thread.
#pragma once

#include "base/metrics.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {

class Probes {
 public:
  explicit Probes(Metrics* metrics);  // null: nothing is counted

  void refresh(const Caches& caches) const;

 private:
  Gauge clusters_ = {};
  Gauge deployments_ = {};
  Gauge sets_ = {};
  Gauge pools_ = {};
  Gauge deployments_that_released_ = {};
  Gauge sets_that_released_ = {};
};

}  // namespace capstan::controllers::safety
