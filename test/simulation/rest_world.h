// A big fleet at rest, in virtual time: many clusters whose MachineDeployments stand, one manager, one
// provider, no faults. What the manager asks of any server while nothing happens, and what it writes when it
// starts again after that. Used by `sim --world rest`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace capstan::simulation {

struct RestOptions {
  std::uint64_t seed = 1;
  int clusters = 2;
  int machines = 10;  // in all
  Nanoseconds span = std::chrono::minutes(10);
  std::function<void(std::string_view)> story = {};
};

// Of the manager, in that span, management and workload servers together.
struct RestReport {
  std::string broken = {};  // why there is nothing to report; empty: there is
  std::uint64_t requests = 0;
  std::vector<std::string> told = {};  // the first of them
  std::uint64_t watches = 0;           // begun again
  std::uint64_t probes = 0;            // of workload clusters

  std::uint64_t writes_after_restart = 0;  // in five minutes, Events apart
  std::vector<std::string> written = {};   // the first of them
};

RestReport rest(const RestOptions& options);

}  // namespace capstan::simulation
