#include "infrastructure/controller/cluster/orphan_place.h"

#include <algorithm>

#include "api/policy/fleet_names.h"
#include "api/policy/fleet_request.h"
#include "api/policy/names.h"
#include "base/try.h"
#include "infrastructure/controller/cluster/orphans.h"
#include "kube/typed.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace rules = api::policy;

// Of two providers at a time one fails here.
Result<void> write(const ActContext& with, const api::Cluster& before, const api::Cluster& after) {
  const auto written = kube::patch_part(with.deps.client, before, after, kube::Part::Main, kube::Lock::Always,
                                        with.context.deadline);
  if (!written) return fail(written.error());
  return {};
}

bool asks(const api::Cluster& cluster) {
  return cluster.metadata.annotations.contains(rules::annotation::kFleetRequest);
}

// By the status of the FleetPolicy, which is written before: an annotation alone is no grant.
Result<bool> has_grant(const ActContext& with, const api::Cluster& cluster, Time now) {
  if (!asks(cluster) || !rules::fleet_grant_left(cluster.metadata, now)) return false;
  const auto settings = TRY(with.deps.orphans.live_settings(with.context.deadline));
  return std::ranges::find(settings.granted, cluster.metadata.uid) != settings.granted.end();
}

// The grant stays: without the request it says that it was used.
Result<void> use_grant(const ActContext& with, const api::Cluster& cluster) {
  api::Cluster after = cluster;
  after.metadata.annotations.erase(rules::annotation::kFleetRequest);
  return write(with, cluster, after);
}

Result<void> ask(const ActContext& with, const api::Cluster& cluster, Time now) {
  api::Cluster asking = cluster;
  asking.metadata.annotations.set(
      Text(rules::annotation::kFleetRequest),
      Text(rules::to_text({.reason = std::string(rules::deletion::kOrphans), .since = now})));
  return write(with, cluster, asking);
}

}  // namespace

Result<bool> take_place(const ActContext& with, const ObjectKey& cluster, const OrphanSettings& settings,
                        Time now) {
  const auto live = TRY(kube::get<api::Cluster>(with.deps.client, cluster, with.context.deadline));
  if (!why_held(live, settings).empty()) return false;
  if (TRY(has_grant(with, live, now))) {
    TRY(use_grant(with, live));
    return true;
  }
  if (!rules::concerns_fleet(live.metadata)) TRY(ask(with, live, now));
  return false;
}

Result<void> give_up_place(const ActContext& with, const api::Cluster& cluster) {
  api::Cluster after = cluster;
  after.metadata.annotations.erase(rules::annotation::kFleetRequest);
  after.metadata.annotations.erase(rules::annotation::kFleetGrant);
  return write(with, cluster, after);
}

}  // namespace capstan::infrastructure::cluster
