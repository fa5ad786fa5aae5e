// NodeReady and NodeHealthy of a Machine, and the older NodeHealthy: what its Node says, or why that is
// not known. Pure functions.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

struct NodeConditions {
  bool keep = false;  // what was said before still holds, unless nothing was
  api::Condition ready = {};
  api::Condition healthy = {};
  std::optional<Seconds> recheck = {};  // when what is kept stops to hold
};
// `after`: the Machine with the values of this turn.
NodeConditions node_conditions(const Observation& seen, const api::Machine& after);

// `leaving`: a DELETE has been sent for the infrastructure under the Node. Nothing: as it was.
std::optional<api::V1Beta1Condition> v1beta1_node_healthy(const Observation& seen, const api::Machine& after,
                                                          bool leaving);

}  // namespace capstan::controllers::machine
