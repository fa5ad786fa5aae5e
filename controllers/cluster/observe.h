// What the Cluster controller looks at before it decides: one snapshot and the time. Visits one object per
// turn.
#pragma once

#include <optional>

#include "api/v1beta2/cluster.h"
#include "base/clock.h"
#include "base/time.h"
#include "runtime/store.h"

namespace capstan::controllers::cluster {

struct Observation {
  Time now = {};
  runtime::Snapshot<api::Cluster> cluster = {};  // never null
};

// Nothing when the Cluster is gone.
std::optional<Observation> observe(const runtime::Store<api::Cluster>& clusters, const Clock& clock,
                                   const kube::ObjectKey& key);

}  // namespace capstan::controllers::cluster
