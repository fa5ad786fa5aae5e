// What the MachineSet controller remembers between turns, and its flags. Losing it costs looks at caches,
// never a write. Safe from any thread.
#pragma once

#include "controllers/machineset/settings.h"
#include "controllers/machineset/settled.h"

namespace capstan::controllers::machineset {

struct Memory {
  const Settings settings = {};
  Settled settled = {};
};

}  // namespace capstan::controllers::machineset
