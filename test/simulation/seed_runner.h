// Runs many seeds and adds up what they saw. Several at a time are several processes: each has a heap and a
// pool of interned strings of its own, so that none waits for another, and one that dies takes only itself
// along. Used by the program `sim`; called from a process that has no other threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "test/simulation/fault_census.h"
#include "test/simulation/invariants.h"

namespace capstan::simulation {

// What all seeds together have seen.
struct Sum {
  FaultCensus faults = {};
  std::map<LegalCase, std::uint64_t> excused = {};
  std::map<std::string, std::uint64_t> acts = {};
  std::int64_t failed = 0;
  std::uint64_t crashes = 0;
  std::optional<std::uint64_t> first_failed = {};  // by a promise; a process that died broke none

  void add(const Sum& other);
};

struct SeedRange {
  std::uint64_t first = 1;
  std::int64_t count = 1;
  int jobs = 1;
  bool until_one_fails = false;
};

// `run_one` adds one seed to the sum of its process.
Sum run_seeds(const SeedRange& range, const std::function<void(std::uint64_t seed, Sum&)>& run_one);

}  // namespace capstan::simulation
