#include "infrastructure/probes.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure {
namespace {

template <typename T>
double in_wrong_account(const runtime::Store<T>& store) {
  return static_cast<double>(std::ranges::count_if(store.all(), [](const auto& object) {
    const auto ready = api::conditions::find(object->status.conditions, api::condition::kReady);
    return ready != nullptr && ready->reason == api::driver::reason::kWrongAccount;
  }));
}

double orphans_in(const runtime::Store<api::DriverCluster>& store) {
  double sum = 0;
  for (const auto& cluster : store.all()) sum += static_cast<double>(cluster->status.orphans.size());
  return sum;
}

}  // namespace

Probes::Probes(Metrics* metrics) {
  if (metrics == nullptr) return;
  orphans_ = metrics->gauges("capstan_orphan_vms", "VMs that are no object's, by status.orphans").with({});
  const auto accounts =
      metrics->gauges("capstan_wrong_account",
                      "Objects whose credentials lead to another account than their VM is in", {"kind"});
  machines_ = accounts.with({api::driver::kind::kDriverMachine});
  pools_ = accounts.with({api::driver::kind::kDriverMachinePool});
}

void Probes::refresh(const Caches& caches) const {
  orphans_.set(orphans_in(caches.driver_clusters));
  machines_.set(in_wrong_account(caches.driver_machines));
  pools_.set(in_wrong_account(caches.driver_machine_pools));
}

}  // namespace capstan::infrastructure
