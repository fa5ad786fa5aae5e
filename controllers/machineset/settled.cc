#include "controllers/machineset/settled.h"

#include <utility>

#include "api/names.h"
#include "runtime/store.h"

namespace capstan::controllers::machineset {
namespace {

constexpr Seconds kTrusted{60};

}  // namespace

Settled::Known Settled::take(const api::MachineSet& set, Time at) {
  Known now{.set = set.metadata.uid,
            .since = at,
            .wanted = set.spec.machine_template,
            .cluster = set.spec.cluster_name,
            .deployment = Text(set.metadata.labels.value_or_empty(api::label::kDeploymentName))};
  Known then = sets_.with([&](auto& sets) {
    const auto found = sets.find(runtime::key_of(set));
    return found == sets.end() ? Known() : std::exchange(found->second, Known());
  });
  const bool same = then.set == now.set && then.wanted == now.wanted && then.cluster == now.cluster &&
                    then.deployment == now.deployment && at - then.since < kTrusted;
  if (!same) return now;
  now.since = then.since;
  now.machines = std::move(then.machines);
  return now;
}

void Settled::put(const kube::ObjectKey& key, Known known) {
  sets_.with([&](auto& sets) { sets[key] = std::move(known); });
}

void Settled::forget(const kube::ObjectKey& key) {
  sets_.with([&](auto& sets) { sets.erase(key); });
}

}  // namespace capstan::controllers::machineset
