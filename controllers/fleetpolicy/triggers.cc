// What wakes the FleetPolicy controller: policies, and what Machines and Clusters ask of them.
#include "runtime/triggers.h"

#include <tuple>

#include "api/policy/fleet_request.h"
#include "api/policy/names.h"
#include "controllers/fleetpolicy/reconciler.h"

namespace capstan::controllers::fleetpolicy {
namespace {

using runtime::Change;

template <typename T>
bool concerns(const runtime::Snapshot<T>& object) {
  return object && api::policy::concerns_fleet(object->metadata);
}

auto facts_of(const api::ObjectMeta& object) {
  return std::tuple{object.annotations.value_or_empty(api::policy::annotation::kFleetRequest),
                    api::policy::has_fleet_grant(object), object.deleting()};
}

template <typename T>
bool asks_the_same(const Change<T>& change) {
  if (!concerns(change.before) && !concerns(change.after)) return true;
  return change.before && change.after &&
         facts_of(change.before->metadata) == facts_of(change.after->metadata);
}

template <typename T>
std::vector<kube::ObjectKey> the_policy(const Change<T>& change) {
  if (asks_the_same(change)) return {};
  return {{.namespace_ = {}, .name = std::string(api::policy::kFleetPolicyName)}};
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.fleet_policies, queue);
  runtime::trigger<api::Machine>(caches.machines, queue, the_policy<api::Machine>);
  runtime::trigger<api::Cluster>(caches.clusters, queue, the_policy<api::Cluster>);
}

}  // namespace capstan::controllers::fleetpolicy
