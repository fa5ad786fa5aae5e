#include "controllers/fleetpolicy/act.h"

#include "api/policy/names.h"
#include "base/try.h"
#include "controllers/safety/fleet_annotations.h"
#include "kube/kinds.h"

namespace capstan::controllers::fleetpolicy {
namespace {

class Granting {
 public:
  Granting(const ActContext& with, const Observation& seen)
      : with_(with), now_(seen.now.to_string()), key_(kube::key_of(*seen.policy)) {}

  Result<void> operator()(const GiveGrant& action) const {
    return write(with_.deps.caches.machines, *action.machine, granted(action.machine->metadata));
  }
  Result<void> operator()(const TakeBack& action) const {
    return write(with_.deps.caches.machines, *action.machine, {});
  }
  Result<void> operator()(const GrantOrphan& action) const {
    return write(with_.deps.caches.clusters, *action.cluster, granted(action.cluster->metadata));
  }
  Result<void> operator()(const EndOrphanGrant& action) const {
    return write(with_.deps.caches.clusters, *action.cluster, {});
  }

 private:
  safety::FleetAnnotations granted(const api::ObjectMeta& object) const {
    return {.request = std::string(object.annotations.value_or_empty(api::policy::annotation::kFleetRequest)),
            .grant = now_};
  }

  template <typename T>
  Result<void> write(const runtime::Store<T>& cache, const T& object,
                     const safety::FleetAnnotations& to) const {
    const auto version =
        TRY(safety::write_fleet_annotations(with_.deps.client, object, to, with_.context.deadline));
    if (version) with_.host.consistency.wrote(key_, cache, *version);
    return {};
  }

  const ActContext& with_;
  const std::string now_;
  const kube::ObjectKey key_;
};

}  // namespace

Result<void> act(const ActContext& with, const Observation& seen, const Plan& plan) {
  const Granting granting(with, seen);
  for (const Action& action : plan.actions) TRY(std::visit(granting, action));
  return {};
}

}  // namespace capstan::controllers::fleetpolicy
