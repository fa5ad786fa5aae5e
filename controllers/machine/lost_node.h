// Whether the Node that a Machine had is gone for good: then a policy has the Machine replaced without
// waiting for its health timeout. Used by the reconciler once per turn. A live read, where the cache shows no
// Node and only there; blocks as the client does.
#pragma once

#include "controllers/machine/observation.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machine {

// Fills in seen.node.deleted. What could not be found out is no proof.
void look_for_lost_node(const ObserveContext& with, Observation& seen);

}  // namespace capstan::controllers::machine
