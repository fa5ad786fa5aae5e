// All that a turn of a CloudConfig looks at. Gathered by observe.h, judged by decide.h and report.h. A plain
// value.
#pragma once

#include <optional>

#include "api/bootstrap/cloud_config.h"
#include "api/v1beta2/cluster.h"
#include "bootstrap/controller/owner.h"
#include "runtime/index.h"

namespace capstan::bootstrap::controller {

struct Observation {
  Time now = {};
  bool fresh = true;                                // the cache knows all we wrote
  runtime::Snapshot<api::CloudConfig> object = {};  // never null
  std::optional<Owner> owner = {};                  // nothing: none yet, or not in the cache
  runtime::Snapshot<api::Cluster> cluster = {};     // null: not in the cache
};

}  // namespace capstan::bootstrap::controller
