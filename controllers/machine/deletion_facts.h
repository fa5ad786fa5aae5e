// What deletion.h wants to know of a Machine, out of an Observation and the caches. Used by the reconciler
// once per turn of a Machine that is being deleted; reads caches, never blocks.
#pragma once

#include "controllers/machine/deletion_turn.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

struct DeletionSeen {
  DeletionFacts facts = {};
  DeletionObjects objects = {};
};
// The facts refer to what `seen` holds.
DeletionSeen deletion_facts(const Deps& deps, const Host& host, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machine
