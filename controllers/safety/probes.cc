#include "controllers/safety/probes.h"

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/safety/frozen_condition.h"

namespace capstan::controllers::safety {
namespace {

template <typename T>
double frozen_in(const runtime::Store<T>& store) {
  return static_cast<double>(std::ranges::count_if(
      store.all(), [](const auto& object) { return is_shown_frozen(object->status.conditions); }));
}

template <typename T>
double released_in(const runtime::Store<T>& store) {
  return static_cast<double>(std::ranges::count_if(store.all(), [](const auto& object) {
    return object->metadata.annotations.contains(api::policy::annotation::kReleased);
  }));
}

}  // namespace

Probes::Probes(Metrics* metrics) {
  if (metrics == nullptr) return;
  const auto frozen =
      metrics->gauges("capstan_frozen", "Objects whose condition capstan.dev/Frozen is True", {"kind"});
  clusters_ = frozen.with({api::kind::kCluster});
  deployments_ = frozen.with({api::kind::kMachineDeployment});
  sets_ = frozen.with({api::kind::kMachineSet});
  pools_ = frozen.with({api::kind::kMachinePool});
  const auto released = metrics->gauges(
      "capstan_released", "Objects with a record of what a change of labels released, which still counts",
      {"kind"});
  deployments_that_released_ = released.with({api::kind::kMachineDeployment});
  sets_that_released_ = released.with({api::kind::kMachineSet});
}

void Probes::refresh(const Caches& caches) const {
  clusters_.set(frozen_in(caches.clusters));
  deployments_.set(frozen_in(caches.machine_deployments));
  sets_.set(frozen_in(caches.machine_sets));
  pools_.set(frozen_in(caches.machine_pools));
  deployments_that_released_.set(released_in(caches.machine_deployments));
  sets_that_released_.set(released_in(caches.machine_sets));
}

}  // namespace capstan::controllers::safety
