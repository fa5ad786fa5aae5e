// The census of a MachineSet or MachineDeployment by the caches, for observe() of both kinds. Visits the
// Machines of all MachineSets of one MachineDeployment, where a policy asks for it; safe from any thread.
#pragma once

#include <optional>

#include "controllers/safety/census.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {

// What the policy of an object says of it; nothing: there is none, or it does not ask.
using Overshoot = std::optional<api::PolicyOvershoot>;

SetCensus census_of(const Caches& caches, const api::MachineSet& set, const Overshoot& overshoot, Time now);
DeploymentCensus census_of(const Caches& caches, const api::MachineDeployment& deployment,
                           const Overshoot& overshoot, Time now);

// Of a MachinePool nothing but the freeze: its provider makes and deletes its instances, and reads there
// whether it may.
Frozen freeze_of(const Caches& caches, const api::MachinePool& pool, const Overshoot& overshoot, Time now);

}  // namespace capstan::controllers::safety
