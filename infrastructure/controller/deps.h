// What every controller of the infrastructure provider is made of: the seams of the process and the caches,
// handed over once by provider.cc. Everything lives longer than the controllers.
#pragma once

#include "base/clock.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/controller/inventory.h"
#include "infrastructure/controller/orphans/search.h"
#include "infrastructure/drivers.h"
#include "infrastructure/sim/control_plane.h"
#include "kube/client.h"
#include "runtime/events.h"

namespace capstan::infrastructure {

struct Deps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // of the management cluster
  Drivers drivers;
  sim::ControlPlanes& control_planes;
  Randomness& randomness;  // mints instance keys and names
  Caches& caches;
  Inventory& inventory;
  OrphanSearch& orphans;
  runtime::EventRecorder& events;
};

}  // namespace capstan::infrastructure
