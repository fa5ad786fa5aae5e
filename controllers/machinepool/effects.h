// What became of the plan of a turn. Made by act.h, shown by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "controllers/machinepool/plan.h"

namespace capstan::controllers::machinepool {

struct Effects {
  api::MachinePool pool = {};                  // as the server has it now
  std::vector<Snapshot<api::Node>> kept = {};  // retired, but not deleted yet
  bool went = false;                           // the finalizer is off: nobody is left to report to
  bool unfinished = false;                     // there was too much for one turn
  std::vector<Error> errors = {};
  std::string node_trouble = {};  // why Nodes could not be written or deleted
  std::string draining = {};      // what holds up Nodes that are to go
  std::optional<Seconds> recheck = {};
};

}  // namespace capstan::controllers::machinepool
