// Holds a simulated fleet with brakes to what they promise: no Machine is made or deleted while a freeze
// forbids it or the API server is away, no Pod evicted for a deletion that a freeze holds, no instance of a
// frozen pool removed, no Machine deleted outside of the window that it waits for, no more within a time than
// the FleetPolicy allows. And says which brake is still shut.
// Lives in the world; called by the thread that holds the baton.
#pragma once

#include <compare>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/api.h"
#include "infrastructure/vm.h"
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
    // What there is in the cloud (empty: it is not looked at), and whether one of that name went by itself.
    std::function<std::vector<infrastructure::Vm>()> vms = {};
    std::function<bool(const std::string& vm)> has_vanished = {};
    // On which Node a Pod of the workload cluster is; empty: it is not there.
    std::function<std::string(const std::string& pod)> node_of = {};
  };
  explicit BrakeAuditor(Deps deps) : deps_(std::move(deps)) {}

  // Before a process sends anything: since when is what as it is.
  void look();
  // `before`: the fleet as it was.
  void took_effect(const fakes::Asked& asked, const FleetFacts& before);
  // Machines of MachineSets that stay, as the manager may see them: news take a while.
  void note(const FleetFacts& facts);
  // Which objects still say that something is held; empty: none.
  std::string shut() const;

 private:
  std::optional<Nanoseconds> span_since(const std::optional<SteadyTime>& since) const;
  std::optional<Nanoseconds> closed_for() const;
  // What carries the annotation: uids, and words for what there is one of.
  std::set<std::string> frozen() const;
  // The longest of these.
  std::optional<Nanoseconds> frozen_for(std::span<const std::string> whom) const;
  std::optional<Nanoseconds> frozen_set_for(const std::string& set, const FleetFacts& before) const;
  std::optional<Nanoseconds> frozen_pool_for(const PoolFacts& pool) const;
  bool was_initialized() const;
  std::optional<SteadyTime> away_since() const;
  void machine_made(const std::string& name, const std::string& set, const FleetFacts& before) const;
  void machine_removed(const MachineFacts& machine, const FleetFacts& before);
  void check_held(const std::string& what, const std::string& set, const FleetFacts& before) const;
  void check_pool_held(const std::string& what, const PoolFacts& pool) const;
  void look_at_instances(const FleetFacts& before);
  void instance_gone(const std::string& vm, const FleetFacts& before) const;
  void pod_evicted(const std::string& pod, const FleetFacts& before) const;
  void count_deletion();
  void look_at_request(const fakes::Asked& asked, const MachineFacts& machine, const FleetFacts& before);
  int most_governed() const;
  void check_ceiling(const std::string& machine, const std::string& set, const FleetFacts& before) const;
  bool counts_for(const MachineFacts& machine, const std::string& deployment, const FleetFacts& facts) const;
  void check(const Broken& broken) const;

  const Deps deps_;
  std::map<std::string, SteadyTime> frozen_since_;
  std::optional<SteadyTime> initialized_since_;
  std::deque<SteadyTime> deletions_;
  std::map<std::string, std::string> instances_;  // of the pool: names by provider ID
  // One of a MachineSet. The guard does not count again what has a place or was deleted by then.
  struct Decision {
    std::string set = {};  // uid
    int replicas = 0;
    std::string request = {};  // what it wrote on Machines
    std::ptrdiff_t placed = 0;
    int deleted = 0;
    auto operator<=>(const Decision&) const = default;
  };
  std::map<Decision, int> doomed_;
  std::map<std::string, int> deleted_;                     // Machines of a set so far, by its uid
  using Numbers = std::deque<std::pair<SteadyTime, int>>;  // each since when
  Numbers governed_;
  std::map<std::string, Numbers> wanted_;      // of MachineDeployments, by uid: their surge included
  std::map<std::string, std::string> set_of_;  // the last MachineSet of each Machine, by uids
};

}  // namespace capstan::simulation
