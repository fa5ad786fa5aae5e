// What deletion.h wants to know of a Machine that is being deleted, out of an Observation and the caches.
// Used by the reconciler once per turn. deletion_facts() reads caches and never blocks; look_at_unreadable()
// blocks as the client does.
#pragma once

#include "controllers/machine/deletion_turn.h"
#include "controllers/machine/plan.h"
#include "controllers/shared/live_object.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machine {

struct DeletionSeen {
  DeletionFacts facts = {};
  DeletionObjects objects = {};
};
// The facts refer to what `seen` holds.
DeletionSeen deletion_facts(const ObserveContext& with, const Observation& seen, const Plan& plan);

// Live reads: what the server says of the provider's objects that the caches can't show. Afterwards they are
// Found and `live`, Missing and `live`, or Undefined; what could not be found out stays Unreadable.
Result<void> look_at_unreadable(const ObserveContext& with, LiveLooks& live_looks, Observation& seen);

}  // namespace capstan::controllers::machine
