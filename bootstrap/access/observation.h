// All that a turn about a Cluster's bindings looks at. Gathered by observe.h, judged by decide.h. A plain
// value.
#pragma once

#include <string>
#include <vector>

#include "api/meta/object_key.h"
#include "bootstrap/access/bindings.h"

namespace capstan::bootstrap::access {

struct Observation {
  api::ObjectKey cluster = {};
  bool wanted = false;                    // some CloudConfig of the Cluster joins machines
  std::vector<BindingState> states = {};  // of bindings(), in their order
  std::vector<std::string> orphans = {};  // ids of tokens whose CloudConfig is gone
};

}  // namespace capstan::bootstrap::access
