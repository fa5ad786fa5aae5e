// What wakes the FleetPolicy controller: policies, and what Machines ask of them.
#include "runtime/triggers.h"

#include <tuple>

#include "api/policy/names.h"
#include "controllers/fleetpolicy/reconciler.h"
#include "controllers/safety/fleet_request.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using runtime::Change;

bool concerns(const runtime::Snapshot<api::Machine>& machine) {
  return machine && safety::concerns_fleet(*machine);
}

auto facts_of(const api::Machine& machine) {
  const auto& metadata = machine.metadata;
  return std::tuple{metadata.annotations.value_or_empty(api::policy::annotation::kFleetRequest),
                    safety::has_fleet_grant(machine), metadata.deleting()};
}

bool asks_the_same(const Change<api::Machine>& change) {
  if (!concerns(change.before) && !concerns(change.after)) return true;
  return change.before && change.after && facts_of(*change.before) == facts_of(*change.after);
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.fleet_policies, queue);
  runtime::trigger<api::Machine>(caches.machines, queue, [](const Change<api::Machine>& change) {
    if (asks_the_same(change)) return std::vector<kube::ObjectKey>();
    return std::vector{kube::ObjectKey{.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)}};
  });
}

}  // namespace capstan::controllers::fleetpolicy
