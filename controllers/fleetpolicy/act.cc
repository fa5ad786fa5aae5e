#include "controllers/fleetpolicy/act.h"

#include "api/policy/names.h"
#include "base/try.h"
#include "controllers/safety/fleet_annotations.h"
#include "kube/kinds.h"

namespace capstan::controllers::fleetpolicy {
namespace {

class Granting {
 public:
  Granting(const ObserveContext& with, const Observation& seen)
      : with_(with), now_(seen.now.to_string()), key_(kube::key_of(*seen.policy)) {}

  Result<void> operator()(const GiveGrant& action) const {
    const auto& annotations = action.machine->metadata.annotations;
    return write(*action.machine,
                 {.request = std::string(annotations.value_or_empty(api::policy::annotation::kFleetRequest)),
                  .grant = now_});
  }
  Result<void> operator()(const TakeBack& action) const { return write(*action.machine, {}); }

 private:
  Result<void> write(const api::Machine& machine, const safety::FleetAnnotations& to) const {
    const auto version =
        TRY(safety::write_fleet_annotations(with_.deps.client, machine, to, with_.context.deadline));
    if (version) with_.host.consistency.wrote(key_, with_.deps.caches.machines, *version);
    return {};
  }

  const ObserveContext& with_;
  const std::string now_;
  const kube::ObjectKey key_;
};

}  // namespace

Result<void> act(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  const Granting tell(with, seen);
  for (const Action& action : plan.actions) TRY(std::visit(tell, action));
  return {};
}

}  // namespace capstan::controllers::fleetpolicy
