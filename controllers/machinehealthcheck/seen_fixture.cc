#include "controllers/machinehealthcheck/seen_fixture.h"

#include <memory>

namespace capstan::controllers::machinehealthcheck {

Time at(std::int64_t seconds) { return builders::noon() + Seconds(seconds); }

api::MachineHealthCheck a_check(std::string_view name) {
  api::MachineHealthCheck check;
  check.metadata = builders::metadata_of(api::kind::kMachineHealthCheck, name);
  check.spec.cluster_name = Text(builders::kCluster);
  check.spec.selector.match_labels.set("role", "worker");
  return check;
}

builders::ClusterBuilder a_running_cluster() {
  auto cluster = builders::a_cluster();
  cluster.endpoint("10.0.0.1", 6443)
      .condition(api::condition::kControlPlaneInitialized, "True", "Initialized", "", at(-3600))
      .condition(api::condition::kInfrastructureReady, "True", "Ready", "", at(-3600));
  return cluster;
}

builders::MachineBuilder a_worker(std::string_view name) {
  auto machine = builders::a_machine(name);
  machine.labelled("role", "worker").created(at(-3600));
  return machine;
}

Seen::Seen(const api::MachineHealthCheck& check) {
  seen_.now = builders::noon().wall();
  seen_.check = std::make_shared<const api::MachineHealthCheck>(check);
  cluster(a_running_cluster());
}

Seen& Seen::cluster(const api::Cluster& cluster) {
  seen_.cluster = std::make_shared<const api::Cluster>(cluster);
  return *this;
}

Seen& Seen::on_node(const api::Machine& machine, const api::Node& node) {
  seen_.targets.push_back({.machine = std::make_shared<const api::Machine>(machine),
                           .node = std::make_shared<const api::Node>(node),
                           .node_state = Target::NodeState::Here});
  return *this;
}

Seen& Seen::healthy(std::string_view name) {
  return on_node(a_worker(name).on_node(name), builders::a_node(name));
}

Seen& Seen::without_node(const api::Machine& machine, Target::NodeState state) {
  seen_.targets.push_back({.machine = std::make_shared<const api::Machine>(machine), .node_state = state});
  return *this;
}

Seen& Seen::sick(std::string_view name) {
  return without_node(a_worker(name).on_node(name), Target::NodeState::Missing);
}

}  // namespace capstan::controllers::machinehealthcheck
