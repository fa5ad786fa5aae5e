// What is frozen, for /metrics: the gauge capstan_frozen by kind, read off the conditions of what the caches
// have whenever metrics are asked for. Safe from any thread.
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
};

}  // namespace capstan::controllers::safety
