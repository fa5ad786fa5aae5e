#include "test/builders/machine_deployment.h"

#include "test/builders/machine_set.h"

namespace capstan::builders {

using api::MachineDeployment;

MachineDeploymentBuilder::MachineDeploymentBuilder(std::string_view name)
    : ConditionedBuilder(MachineDeployment{}) {
  object_.metadata = metadata_of(api::kind::kMachineDeployment, name);
  object_.spec.machine_template = machine_template_of(name);
  object_.spec.replicas = 1;
  object_.spec.selector.match_labels.set(api::label::kDeploymentName, name);
  template_label(api::label::kDeploymentName, name);
  rolling(IntOrString(1), IntOrString(0)).in_cluster(kCluster);
}

MachineDeploymentBuilder& MachineDeploymentBuilder::in_cluster(std::string_view cluster) {
  object_.spec.cluster_name = Text(cluster);
  object_.spec.machine_template.spec.cluster_name = Text(cluster);
  object_.spec.selector.match_labels.set(api::label::kClusterName, cluster);
  template_label(api::label::kClusterName, cluster);
  return labelled(api::label::kClusterName, cluster);
}

MachineDeploymentBuilder& MachineDeploymentBuilder::replicas(std::int32_t number) {
  return change([&](MachineDeployment& deployment) { deployment.spec.replicas = number; });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::version(std::string_view version) {
  return change(
      [&](MachineDeployment& deployment) { deployment.spec.machine_template.spec.version = Text(version); });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::rolling(IntOrString max_surge,
                                                            IntOrString max_unavailable) {
  return change([&](MachineDeployment& deployment) {
    deployment.spec.rollout.strategy = api::RolloutStrategy{
        .type = Text(api::rollout_strategy::kRollingUpdate),
        .rolling_update = {.max_unavailable = std::move(max_unavailable), .max_surge = std::move(max_surge)}};
  });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::on_delete() {
  return change([&](MachineDeployment& deployment) {
    deployment.spec.rollout.strategy = api::RolloutStrategy{.type = Text(api::rollout_strategy::kOnDelete)};
  });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::rollout_after(Time time) {
  return change([&](MachineDeployment& deployment) { deployment.spec.rollout.after = time; });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::rollout_paused() {
  return change([&](MachineDeployment& deployment) { deployment.spec.paused = true; });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::max_in_flight(IntOrString limit) {
  return change(
      [&](MachineDeployment& deployment) { deployment.spec.remediation.max_in_flight = std::move(limit); });
}

MachineDeploymentBuilder& MachineDeploymentBuilder::template_label(std::string_view key,
                                                                   std::string_view value) {
  return change([&](MachineDeployment& deployment) {
    deployment.spec.machine_template.metadata.labels.set(key, value);
  });
}

MachineDeploymentBuilder a_machine_deployment(std::string_view name) {
  return MachineDeploymentBuilder(name);
}

}  // namespace capstan::builders
