// What became of a plan. Made by act.h, read by report.h. A plain value.
#pragma once

#include <optional>

#include "api/driver/driver_cluster.h"
#include "base/result.h"
#include "infrastructure/controller/trouble.h"
#include "runtime/index.h"

namespace capstan::infrastructure::cluster {

struct Effects {
  runtime::Snapshot<api::DriverCluster> object = {};  // with what was written; null: as it was seen
  bool provided = false;                              // there is a control plane, or it is another's matter
  bool released = false;                              // the finalizer is off: there is no status to write
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::cluster
