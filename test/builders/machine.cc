#include "test/builders/machine.h"

namespace capstan::builders {

using api::Machine;

MachineBuilder::MachineBuilder(std::string_view name) : ConditionedBuilder(Machine{}) {
  object_.metadata = metadata_of(api::kind::kMachine, name);
  object_.spec.bootstrap.config_ref = api::ContractRef{
      .api_group = Text(api::group::kBootstrap), .kind = "KubeadmConfig"_text, .name = Text(name)};
  object_.spec.infrastructure_ref = {
      .api_group = Text(api::group::kInfrastructure), .kind = "DockerMachine"_text, .name = Text(name)};
  in_cluster(kCluster);
}

MachineBuilder& MachineBuilder::in_cluster(std::string_view cluster) {
  object_.spec.cluster_name = Text(cluster);
  return labelled(api::label::kClusterName, cluster);
}

MachineBuilder& MachineBuilder::in_set(std::string_view machine_set) {
  labelled(api::label::kSetName, machine_set);
  return owned_by(controller_of(api::kind::kMachineSet, machine_set));
}

MachineBuilder& MachineBuilder::in_pool(std::string_view machine_pool) {
  object_.spec.bootstrap.config_ref.reset();
  object_.spec.bootstrap.data_secret_name = Text();
  labelled(api::label::kPoolName, machine_pool);
  return owned_by(controller_of(api::kind::kMachinePool, machine_pool));
}

MachineBuilder& MachineBuilder::version(std::string_view version) {
  return change([&](Machine& machine) { machine.spec.version = Text(version); });
}

MachineBuilder& MachineBuilder::in_failure_domain(std::string_view domain) {
  return change([&](Machine& machine) { machine.spec.failure_domain = Text(domain); });
}

MachineBuilder& MachineBuilder::provider_id(std::string_view id) {
  return change([&](Machine& machine) { machine.spec.provider_id = Text(id); });
}

MachineBuilder& MachineBuilder::provisioned() {
  if (object_.spec.provider_id.empty()) provider_id("docker:////" + object_.metadata.name.str());
  object_.spec.bootstrap.data_secret_name = object_.metadata.name;
  object_.status.initialization.bootstrap_data_secret_created = true;
  object_.status.initialization.infrastructure_provisioned = true;
  condition(api::condition::kBootstrapConfigReady, api::status::kTrue, api::reason::kReady);
  condition(api::condition::kInfrastructureReady, api::status::kTrue, api::reason::kReady);
  return phase(api::machine_phase::kProvisioned);
}

MachineBuilder& MachineBuilder::on_node(std::string_view node) {
  return change([&](Machine& machine) { machine.status.node_ref = api::MachineNodeRef{.name = Text(node)}; });
}

MachineBuilder& MachineBuilder::running() {
  provisioned().on_node(object_.metadata.name.str());
  condition(api::condition::kNodeHealthy, api::status::kTrue, api::reason::kNodeHealthy);
  condition(api::condition::kNodeReady, api::status::kTrue, api::reason::kNodeReady);
  return ready().available().phase(api::machine_phase::kRunning);
}

MachineBuilder& MachineBuilder::phase(std::string_view phase) {
  return change([&](Machine& machine) { machine.status.phase = Text(phase); });
}

MachineBuilder& MachineBuilder::ready(Time since) {
  return condition(api::condition::kReady, api::status::kTrue, api::reason::kReady, {}, since);
}

MachineBuilder& MachineBuilder::not_ready(std::string_view message) {
  return condition(api::condition::kReady, api::status::kFalse, api::reason::kNotReady, message);
}

MachineBuilder& MachineBuilder::available(Time since) {
  return condition(api::condition::kAvailable, api::status::kTrue, api::reason::kAvailable, {}, since);
}

MachineBuilder& MachineBuilder::up_to_date() {
  return condition(api::condition::kUpToDate, api::status::kTrue, api::reason::kUpToDate);
}

MachineBuilder& MachineBuilder::outdated(std::string_view message) {
  return condition(api::condition::kUpToDate, api::status::kFalse, api::reason::kNotUpToDate, message);
}

MachineBuilder& MachineBuilder::healthy() {
  return condition(api::condition::kHealthCheckSucceeded, api::status::kTrue,
                   api::reason::kHealthCheckSucceeded);
}

MachineBuilder& MachineBuilder::unhealthy() {
  return condition(api::condition::kHealthCheckSucceeded, api::status::kFalse, api::reason::kUnhealthyNode);
}

MachineBuilder& MachineBuilder::awaiting_remediation() {
  return unhealthy().condition(api::condition::kOwnerRemediated, api::status::kFalse,
                               api::reason::kWaitingForRemediation, "Waiting for remediation");
}

MachineBuilder& MachineBuilder::updating_in_place() { return annotated(api::annotation::kUpdateInProgress); }

MachineBuilder a_machine(std::string_view name) { return MachineBuilder(name); }

}  // namespace capstan::builders
