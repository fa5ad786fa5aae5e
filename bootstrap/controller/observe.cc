#include "bootstrap/controller/observe.h"

#include "bootstrap/controller/live.h"
#include "bootstrap/controller/stage.h"

namespace capstan::bootstrap::controller {
namespace {

// A machine that goes may have taken the owner of a token along, and the CloudConfig may have lost its label.
Result<std::string> cluster_of(const ObserveContext& with, const Observation& seen) {
  if (seen.owner) return seen.owner->cluster;
  if (!may_have_token(*seen.object)) return std::string();
  std::string name = Caches::cluster_label_of(*seen.object);
  if (!name.empty() || stage_of(seen) != Stage::Leaving) return name;
  return cluster_in_data(with, seen);
}

void add_cluster(const ObserveContext& with, Observation& seen) {
  const auto name = cluster_of(with, seen);
  if (!name)
    seen.live = Live{.error = name.error()};
  else if (!name->empty())
    seen.cluster =
        with.deps.caches.clusters.get({.namespace_ = seen.object->metadata.namespace_.str(), .name = *name});
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .object = caches.cloud_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.owner = caches.owner_of(seen.object->metadata);
  add_cluster(with, seen);
  if (const auto& ref = seen.object->spec.node_config_ref)
    seen.node_config = caches.node_configs.get({.namespace_ = key.namespace_, .name = ref->name.str()});
  if (!seen.live) seen.live = read_live(with, seen);
  return seen;
}

}  // namespace capstan::bootstrap::controller
