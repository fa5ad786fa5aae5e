// Shut for what a MachineLifecyclePolicy governs while the API server of its Cluster, or that of the
// management cluster, is lost. Never for control plane Machines, and for Clusters whose control plane has not
// been initialized yet: those have to come up without an API server. Safe from any thread; reads caches and
// never blocks.
#pragma once

#include <functional>

#include "base/clock.h"
#include "controllers/safety/api_loss.h"
#include "controllers/shared/caches.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/brake.h"

namespace capstan::controllers::safety {

// All of it lives longer.
struct ApiLossDeps {
  const Clock& clock;
  const Caches& caches;
  const kubeconfig::WorkloadClusters& workload_clusters;
  std::function<ApiHealth()> management = {};
  Seconds grace{30};
};

class ApiLossBrake final : public runtime::Brake {
 public:
  explicit ApiLossBrake(ApiLossDeps deps) : deps_(std::move(deps)) {}
  runtime::Verdict ask(runtime::Intent intent, const runtime::Asker& asker) const override;

 private:
  runtime::Verdict ask_about(const api::Cluster& cluster) const;

  const ApiLossDeps deps_;
};

}  // namespace capstan::controllers::safety
