// a_machine_set("ms1"): a stand-alone MachineSet of cluster c1 that wants one Machine, selected by its
// set-name label.
#pragma once

#include "api/v1beta2/machine_set.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

// "DockerMachineTemplate/<name>" and "KubeadmConfigTemplate/<name>" in cluster c1.
api::MachineTemplate machine_template_of(std::string_view name);

class MachineSetBuilder : public ConditionedBuilder<MachineSetBuilder, api::MachineSet> {
 public:
  explicit MachineSetBuilder(std::string_view name);

  MachineSetBuilder& in_cluster(std::string_view cluster);
  // Controlled by that MachineDeployment, with its label.
  MachineSetBuilder& in_deployment(std::string_view machine_deployment);
  MachineSetBuilder& replicas(std::int32_t number);
  MachineSetBuilder& version(std::string_view version);
  MachineSetBuilder& revision(std::string_view revision) {
    return annotated(api::annotation::kRevision, revision);
  }
  MachineSetBuilder& template_label(std::string_view key, std::string_view value);
  MachineSetBuilder& deletion_order(std::string_view order);
  // Counters of the status: all there are, and how many of them work.
  MachineSetBuilder& reporting(std::int32_t replicas, std::int32_t ready, std::int32_t available);
};

MachineSetBuilder a_machine_set(std::string_view name = "ms1");

}  // namespace capstan::builders
