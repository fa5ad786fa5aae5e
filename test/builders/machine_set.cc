#include "test/builders/machine_set.h"

namespace capstan::builders {

using api::MachineSet;

api::MachineTemplate machine_template_of(std::string_view name) {
  api::MachineTemplate machine;
  machine.spec.cluster_name = Text(kCluster);
  machine.spec.bootstrap.config_ref = api::ContractRef{.api_group = Text(api::group::kBootstrap),
                                                       .kind = Text(api::kind::kKubeadmConfigTemplate),
                                                       .name = Text(name)};
  machine.spec.infrastructure_ref = {.api_group = Text(api::group::kInfrastructure),
                                     .kind = "DockerMachineTemplate"_text,
                                     .name = Text(name)};
  return machine;
}

MachineSetBuilder::MachineSetBuilder(std::string_view name) : ConditionedBuilder(MachineSet{}) {
  object_.metadata = metadata_of(api::kind::kMachineSet, name);
  object_.spec.machine_template = machine_template_of(name);
  object_.spec.replicas = 1;
  object_.spec.selector.match_labels.set(api::label::kSetName, name);
  template_label(api::label::kSetName, name);
  in_cluster(kCluster);
}

MachineSetBuilder& MachineSetBuilder::in_cluster(std::string_view cluster) {
  object_.spec.cluster_name = Text(cluster);
  object_.spec.machine_template.spec.cluster_name = Text(cluster);
  return labelled(api::label::kClusterName, cluster);
}

MachineSetBuilder& MachineSetBuilder::in_deployment(std::string_view machine_deployment) {
  labelled(api::label::kDeploymentName, machine_deployment);
  return owned_by(controller_of(api::kind::kMachineDeployment, machine_deployment));
}

MachineSetBuilder& MachineSetBuilder::replicas(std::int32_t number) {
  return change([&](MachineSet& set) { set.spec.replicas = number; });
}

MachineSetBuilder& MachineSetBuilder::version(std::string_view version) {
  return change([&](MachineSet& set) { set.spec.machine_template.spec.version = Text(version); });
}

MachineSetBuilder& MachineSetBuilder::template_label(std::string_view key, std::string_view value) {
  return change([&](MachineSet& set) { set.spec.machine_template.metadata.labels.set(key, value); });
}

MachineSetBuilder& MachineSetBuilder::deletion_order(std::string_view order) {
  return change([&](MachineSet& set) { set.spec.deletion.order = Text(order); });
}

MachineSetBuilder& MachineSetBuilder::reporting(std::int32_t replicas, std::int32_t ready,
                                                std::int32_t available) {
  return change([&](MachineSet& set) {
    set.status.replicas = replicas;
    set.status.ready_replicas = ready;
    set.status.available_replicas = available;
  });
}

MachineSetBuilder a_machine_set(std::string_view name) { return MachineSetBuilder(name); }

}  // namespace capstan::builders
