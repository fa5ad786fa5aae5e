// What a turn over a MachineDeployment or MachineSet of a topology looks at. Gathered by observe.h, judged by
// decide.h. A plain value.
#pragma once

#include <optional>
#include <vector>

#include "api/v1beta2/common.h"

namespace capstan::controllers::topology {

using Templates = std::vector<api::ContractRef>;

struct Observation {
  bool deleting = false;
  bool has_finalizer = false;  // the topology's, of its kind
  bool paused = false;
  bool may_have_health_check = false;
  Templates templates = {};  // its Machines' infrastructure and bootstrap objects are made from
  // What stays of its MachineDeployment makes Machines from these. Only of an object that is on its way out;
  // nothing: it can't be known.
  std::optional<Templates> in_use = {};
};

}  // namespace capstan::controllers::topology
