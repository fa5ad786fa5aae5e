// The flags of the DriverMachinePool controller, which remembers between turns what drivers have refused and
// nothing else. Safe from any thread.
#pragma once

#include "base/instant.h"

namespace capstan::infrastructure::pool {

struct Memory {
  const Nanoseconds look_every = std::chrono::seconds(30);  // at what the cloud lists; zero: never
};

}  // namespace capstan::infrastructure::pool
