#include "controllers/fleetpolicy/orphan_grants.h"

#include "api/policy/fleet_request.h"

namespace capstan::controllers::fleetpolicy {

OrphanGrant standing_of(const OpenGrant& open, Time now) {
  if (!open.cluster) return OrphanGrant::Over;
  const bool asks = asks_for_orphan(*open.cluster);
  const bool in_time = open.grant.granted_at + api::policy::kFleetGrantExpires > now;
  if (api::policy::has_fleet_grant(open.cluster->metadata)) {
    if (!asks) return OrphanGrant::Used;
    return in_time ? OrphanGrant::Open : OrphanGrant::Expired;
  }
  if (open.grant.begun_at.is_set()) return OrphanGrant::Over;
  return asks && in_time ? OrphanGrant::Unwritten : OrphanGrant::GivenBack;
}

bool is_for_orphan(const api::FleetGrant& grant) { return grant.reason == api::policy::deletion::kOrphans; }

bool asks_for_orphan(const api::Cluster& cluster) {
  const auto request = api::policy::fleet_request_in(cluster.metadata);
  return request && request->reason == api::policy::deletion::kOrphans;
}

}  // namespace capstan::controllers::fleetpolicy
