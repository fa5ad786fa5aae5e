// The world around a fleet: an API server, a user who changes her mind, a cloud whose VMs come and go,
// workload clusters that are lost, and two processes (the manager and its providers) that are hit by faults,
// crash and start again. simulate_fleet() runs it for one seed and says which promise was broken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"

namespace capstan::simulation {

struct FleetOptions {
  std::uint64_t seed = 1;
  bool faults = true;
  std::function<void(std::string_view)> story = {};     // what happened, line by line
  std::function<void(std::string_view)> switches = {};  // every switch of threads
};

struct FleetVerdict {
  std::string broken = {};  // the first promise that was broken; empty: all were kept
  fakes::RunReport run = {};
  std::uint64_t crashes = 0;
  std::uint64_t requests = 0;

  bool good() const { return broken.empty(); }
};

FleetVerdict simulate_fleet(const FleetOptions& options);

}  // namespace capstan::simulation
