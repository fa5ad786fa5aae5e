// a_machine_deployment("md1"): a MachineDeployment of cluster c1 that wants one Machine and rolls with surge
// 1, unavailable 0.
#pragma once

#include "api/v1beta2/machine_deployment.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class MachineDeploymentBuilder : public ConditionedBuilder<MachineDeploymentBuilder, api::MachineDeployment> {
 public:
  explicit MachineDeploymentBuilder(std::string_view name);

  MachineDeploymentBuilder& in_cluster(std::string_view cluster);
  MachineDeploymentBuilder& replicas(std::int32_t number);
  MachineDeploymentBuilder& version(std::string_view version);
  MachineDeploymentBuilder& rolling(IntOrString max_surge, IntOrString max_unavailable);
  MachineDeploymentBuilder& on_delete();
  MachineDeploymentBuilder& rollout_after(Time time);
  MachineDeploymentBuilder& rollout_paused();
  MachineDeploymentBuilder& max_in_flight(IntOrString limit);
  MachineDeploymentBuilder& template_label(std::string_view key, std::string_view value);
};

MachineDeploymentBuilder a_machine_deployment(std::string_view name = "md1");

}  // namespace capstan::builders
