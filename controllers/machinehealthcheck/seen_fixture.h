// Observations for tests of decide and report, in words: a check, its Cluster, its targets.
#pragma once

#include <string_view>

#include "controllers/machinehealthcheck/observation.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/node.h"

namespace capstan::controllers::machinehealthcheck {

inline Time at(std::int64_t seconds) { return builders::noon() + Seconds(seconds); }

// Of Cluster c1, selects role=worker; long enough ago for everything to be set up.
inline api::MachineHealthCheck a_check(std::string_view name = "mhc") {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, name);
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  return check;
}

// Up and running for an hour.
inline builders::ClusterBuilder a_running_cluster() {
  auto cluster = builders::a_cluster();
  cluster.endpoint("10.0.0.1", 6443)
      .condition(api::condition::kControlPlaneInitialized, "True", "Initialized", "", at(-3600))
      .condition(api::condition::kInfrastructureReady, "True", "Ready", "", at(-3600));
  return cluster;
}

inline builders::MachineBuilder a_worker(std::string_view name = "w") {
  auto machine = builders::a_machine(name);
  machine.labelled("role", "worker").created(at(-3600));
  return machine;
}

class Seen {
 public:
  explicit Seen(const api::MachineHealthCheck& check = a_check()) {
    world_.now = builders::noon().wall();
    world_.check = std::make_shared<const api::MachineHealthCheck>(check);
    cluster(a_running_cluster());
  }
  Seen& cluster(const api::Cluster& cluster) {
    world_.cluster = std::make_shared<const api::Cluster>(cluster);
    return *this;
  }
  // On a Node of the same name.
  Seen& on_node(const api::Machine& machine, const api::Node& node) {
    world_.targets.push_back({.machine = std::make_shared<const api::Machine>(machine),
                              .node = std::make_shared<const api::Node>(node),
                              .node_state = Target::NodeState::Here});
    return *this;
  }
  Seen& healthy(std::string_view name) {
    return on_node(a_worker(name).on_node(name), builders::a_node(name));
  }
  Seen& without_node(const api::Machine& machine, Target::NodeState state = Target::NodeState::None) {
    world_.targets.push_back({.machine = std::make_shared<const api::Machine>(machine), .node_state = state});
    return *this;
  }
  Seen& sick(std::string_view name) {
    return without_node(a_worker(name).on_node(name), Target::NodeState::Missing);
  }
  template <typename Fn>
  Seen& with(Fn&& change) {
    std::forward<Fn>(change)(world_);
    return *this;
  }
  const Observation& operator*() const { return world_; }

 private:
  Observation world_ = {};
};

}  // namespace capstan::controllers::machinehealthcheck
