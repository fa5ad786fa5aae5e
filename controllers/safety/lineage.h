// Whether a person has frozen an object: itself, its MachineDeployment, its Cluster or the fleet. Reads
// caches; safe from any thread.
#pragma once

#include "controllers/safety/freeze.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::safety {

Frozen frozen_by_a_person(const Caches& caches, const api::MachineSet& set);
Frozen frozen_by_a_person(const Caches& caches, const api::MachineDeployment& deployment);
Frozen frozen_by_a_person(const Caches& caches, const api::MachinePool& pool);
// Not by the fleet.
Frozen frozen_by_a_person(const api::Cluster& cluster);

}  // namespace capstan::controllers::safety
