// What became of a plan. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "controllers/machinedeployment/observation.h"

namespace capstan::controllers::machinedeployment {

struct Effects {
  Snapshot<api::MachineDeployment> deployment = {};  // as it is by now; the base of the status patch
  std::vector<Error> errors = {};
  std::vector<Unadopted> unadopted = {};  // a refusal is no error
  std::vector<std::string> held = {};     // drains of Nodes whose Machines are to be updated in place
  std::optional<Seconds> recheck = {};    // when they go on
  bool gone = false;                      // the last finalizer is off

  bool failed() const { return !errors.empty(); }
};

}  // namespace capstan::controllers::machinedeployment
