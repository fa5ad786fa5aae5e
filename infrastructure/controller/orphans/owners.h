// What classify.h compares VMs with, gathered from the caches: visits every object of the provider, and every
// Machine and MachinePool, once per period. Safe from any thread.
#pragma once

#include "infrastructure/controller/caches.h"
#include "infrastructure/controller/orphans/classify.h"

namespace capstan::infrastructure {

Owners owners_in(const Caches& caches);

}  // namespace capstan::infrastructure
