// The world around a fleet: an API server, a user who changes her mind, strangers who write to the same
// objects, a cloud whose VMs come and go, its driver that may be a process of its own, workload clusters that
// are lost, and two processes (the manager and its providers) that are hit by faults, crash and start again.
// simulate_fleet() runs it for one seed and says which promise was broken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/safeguards.h"
#include "test/fakes/baton.h"
#include "test/simulation/fault_census.h"
#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/invariants.h"

namespace capstan::simulation {

struct FleetOptions {
  std::uint64_t seed = 1;
  bool faults = true;
  // What a clumsy user does to it: nothing, or these to every other fleet, or to every one.
  std::span<const ClumsyAct> clumsy_acts = kClumsyActs;
  bool always_clumsy = false;
  std::optional<Safeguard> without = {};  // taken away, to see it noticed; only with CAPSTAN_DEFECTS
  std::function<void(std::string_view)> story = {};     // what happened, line by line
  std::function<void(std::string_view)> switches = {};  // every switch of threads
};

struct FleetVerdict {
  std::string broken = {};  // the first promise that was broken; empty: all were kept
  fakes::RunReport run = {};
  FaultCensus faults = {};
  std::map<LegalCase, std::uint64_t> excused = {};
  std::map<std::string, std::uint64_t> acts = {};  // of the user and the world, by sort
  std::uint64_t crashes = 0;

  bool good() const { return broken.empty(); }
};

FleetVerdict simulate_fleet(const FleetOptions& options);

}  // namespace capstan::simulation
