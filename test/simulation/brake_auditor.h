// Holds a simulated fleet with brakes to what they promise: no Machine is made or deleted while a freeze
// forbids it or the API server is away, none outside of the window that it waits for, no more within a time
// than the FleetPolicy allows. And says which brake is still shut. Lives in the world; called by the thread
// that holds the baton.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "apiserver/api.h"
#include "test/fakes/baton.h"
#include "test/fakes/relay_client.h"
#include "test/simulation/invariants.h"

namespace capstan::simulation {

// Which runs have brakes is decided by the seed alone: none of those with a clumsy user.
bool has_brakes(std::uint64_t seed);

class BrakeAuditor {
 public:
  struct Deps {
    const fakes::Baton& baton;
    const apiserver::Api& api;
    // The API server of the workload cluster; nothing: it is not.
    std::function<std::optional<SteadyTime>()> away_since = {};
    std::function<void(std::string)> broke = {};
  };
  explicit BrakeAuditor(Deps deps) : deps_(std::move(deps)) {}

  // Before a process sends anything: since when is what as it is.
  void look();
  // `before`: the fleet as it was.
  void took_effect(const fakes::Asked& asked, const FleetFacts& before);
  // Machines of MachineSets that stay, as the manager may see them: news take a while.
  void note_governed(const FleetFacts& facts);
  // Which objects still say that something is held; empty: none.
  std::string shut() const;

 private:
  std::optional<Nanoseconds> span_since(const std::optional<SteadyTime>& since) const;
  std::optional<Nanoseconds> closed_for() const;
  bool is_frozen() const;
  bool was_initialized() const;
  std::optional<SteadyTime> away_since() const;
  void machine_removed(const MachineFacts& machine);
  void check_held(const std::string& what) const;
  void count_deletion();
  void look_at_request(const fakes::Asked& asked, const MachineFacts& machine, const FleetFacts& before);
  int most_governed() const;
  void check(const Broken& broken) const;

  const Deps deps_;
  std::optional<SteadyTime> frozen_since_;
  std::optional<SteadyTime> initialized_since_;
  std::deque<SteadyTime> deletions_;
  // One decision of a MachineSet: its uid, the size it was given, what it wrote on Machines, and how many of
  // them had a place by then: the guard does not count those again.
  using Decision = std::tuple<std::string, int, std::string, std::ptrdiff_t>;
  std::map<Decision, int> doomed_;
  std::deque<std::pair<SteadyTime, int>> governed_;
};

}  // namespace capstan::simulation
