// The world around a toy manager: an API server, a user who changes her mind, a provider that takes its time,
// and a manager process that is hit by faults, crashes and is started again. simulate() runs it for one seed
// and says what went wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/simulation/toy_controller.h"

namespace capstan::simulation {

struct SimulationOptions {
  std::uint64_t seed = 1;
  Mutant mutant = Mutant::None;
  bool faults = true;
  std::function<void(std::string_view)> story = {};     // what happened, line by line
  std::function<void(std::string_view)> switches = {};  // every switch of threads
};

struct Verdict {
  std::string broken = {};  // the first promise that was broken; empty: all were kept
  fakes::RunReport run = {};
  std::map<std::pair<fakes::Call, fakes::Fault>, std::uint64_t> fired = {};
  std::uint64_t crashes = 0;

  bool good() const { return broken.empty(); }
};

Verdict simulate(const SimulationOptions& options);

}  // namespace capstan::simulation
