#include "bootstrap/controller/observe.h"

#include "api/bootstrap/names.h"
#include "bootstrap/controller/live.h"

namespace capstan::bootstrap::controller {
namespace {

// A machine that goes may have taken the owner of a token along.
std::string cluster_of(const Observation& seen) {
  if (seen.owner) return seen.owner->cluster;
  const bool may_have_token = seen.object->metadata.has_finalizer(api::bootstrap::finalizer::kToken);
  return may_have_token ? Caches::cluster_label_of(*seen.object) : std::string();
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .object = caches.cloud_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_of(seen.object->metadata);
  const std::string cluster = cluster_of(seen);
  if (!cluster.empty()) seen.cluster = caches.clusters.get({.namespace_ = key.namespace_, .name = cluster});
  seen.live = read_live(with, seen);
  return seen;
}

}  // namespace capstan::bootstrap::controller
