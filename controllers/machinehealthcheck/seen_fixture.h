// Observations for tests of decide and report, in words: a check, its Cluster, its targets.
#pragma once

#include <string_view>
#include <utility>

#include "controllers/machinehealthcheck/observation.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machinehealthcheck {

Time at(std::int64_t seconds);  // after noon

// Of Cluster c1, selects role=worker; long enough ago for everything to be set up.
api::MachineHealthCheck a_check(std::string_view name = "mhc");
// Up and running for an hour.
builders::ClusterBuilder a_running_cluster();
builders::MachineBuilder a_worker(std::string_view name = "w");

class Seen {
 public:
  explicit Seen(const api::MachineHealthCheck& check = a_check());

  Seen& cluster(const api::Cluster& cluster);
  // On a Node of the same name.
  Seen& on_node(const api::Machine& machine, const api::Node& node);
  Seen& healthy(std::string_view name);
  Seen& without_node(const api::Machine& machine, Target::NodeState state = Target::NodeState::None);
  Seen& sick(std::string_view name);
  template <typename Fn>
  Seen& with(Fn&& change) {
    std::forward<Fn>(change)(seen_);
    return *this;
  }
  const Observation& operator*() const { return seen_; }

 private:
  Observation seen_ = {};
};

}  // namespace capstan::controllers::machinehealthcheck
