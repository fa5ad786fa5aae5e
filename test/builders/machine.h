// a_machine("m1"): a Machine of cluster c1, provisioned by DockerMachine and KubeadmConfig of the same name,
// not yet more.
#pragma once

#include "api/v1beta2/machine.h"
#include "test/builders/object_builder.h"

namespace capstan::builders {

class MachineBuilder : public ConditionedBuilder<MachineBuilder, api::Machine> {
 public:
  explicit MachineBuilder(std::string_view name);

  MachineBuilder& in_cluster(std::string_view cluster);
  // Controlled by that MachineSet, with its labels.
  MachineBuilder& in_set(std::string_view machine_set);
  MachineBuilder& in_pool(std::string_view machine_pool);
  MachineBuilder& control_plane() { return labelled(api::label::kControlPlane); }
  MachineBuilder& version(std::string_view version);
  MachineBuilder& in_failure_domain(std::string_view domain);

  MachineBuilder& provider_id(std::string_view id);
  MachineBuilder& provisioned();  // infrastructure and bootstrap data are there, providerID is known
  MachineBuilder& on_node(std::string_view node);
  MachineBuilder& running();  // provisioned, on a Node of its own name, ready and available
  MachineBuilder& phase(std::string_view phase);

  MachineBuilder& ready(Time since = noon());
  MachineBuilder& not_ready(std::string_view message = {});
  MachineBuilder& available(Time since = noon());
  MachineBuilder& up_to_date();
  MachineBuilder& outdated(std::string_view message = {});
  MachineBuilder& healthy();
  MachineBuilder& unhealthy();             // found sick by a MachineHealthCheck
  MachineBuilder& awaiting_remediation();  // and handed to its owner
  MachineBuilder& updating_in_place();
};

MachineBuilder a_machine(std::string_view name = "m1");

}  // namespace capstan::builders
