// Gathers what a turn of a Machine looks at: one object of each kind, from caches; never blocks. Safe from
// any thread.
#pragma once

#include "controllers/claims/claims.h"
#include "controllers/machine/memory.h"
#include "controllers/machine/observation.h"
#include "controllers/shared/belonging.h"
#include "controllers/shared/turn.h"

namespace capstan::controllers::machine {

Observation observe(const ObserveContext& with, Memory& memory, Snapshot<api::Machine> machine);

// A Node under the Machine's providerID, or under the Node's own where the Machine has none.
claims::Instance instance_of(const api::Machine& machine, const api::Node& node);

// `machine` as if it named the Cluster it belongs to: then nothing is made, labelled or deleted for another
// one. The same snapshot where it does.
Snapshot<api::Machine> of_its_cluster(Snapshot<api::Machine> machine, const Belonging& belonging);

}  // namespace capstan::controllers::machine
