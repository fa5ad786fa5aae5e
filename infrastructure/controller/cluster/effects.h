// What became of a plan. Made by act.h, read by report.h. A plain value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/driver/driver_cluster.h"
#include "base/result.h"
#include "infrastructure/controller/trouble.h"
#include "runtime/index.h"
#include "runtime/note.h"

namespace capstan::infrastructure::cluster {

struct Effects {
  runtime::Snapshot<api::DriverCluster> object = {};  // with what was written; null: as it was seen
  bool provided = false;                              // there is a control plane, or it is another's matter
  bool released = false;                              // the finalizer is off: there is no status to write
  std::map<std::string, Time> marked = {};            // orphans, by provider ID
  std::map<std::string, std::string> kept = {};       // orphans, and why
  std::set<std::string> settled = {};                 // orphans that are none any more
  std::vector<runtime::Note> notes = {};              // what became of orphans
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::cluster
