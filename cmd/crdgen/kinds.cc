#include "cmd/crdgen/kinds.h"

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::crdgen {

std::vector<std::vector<api::CrdVersion>> kinds() {
  return {
      {api::crd_version<api::Cluster>()},
      {api::crd_version<api::Machine>()},
      {api::crd_version<api::MachineDeployment>()},
      {api::crd_version<api::MachineDrainRule>()},
      {api::crd_version<api::MachineHealthCheck>()},
      {api::crd_version<api::MachinePool>()},
      {api::crd_version<api::MachineSet>()},
      {api::crd_version<api::DriverCluster>()},
      {api::crd_version<api::DriverMachine>()},
      {api::crd_version<api::DriverMachinePool>()},
      {api::crd_version<api::DriverMachineTemplate>()},
      {api::crd_version<api::CloudConfig>()},
      {api::crd_version<api::CloudConfigTemplate>()},
      {api::crd_version<api::MachineLifecyclePolicy>()},
  };
}

}  // namespace capstan::crdgen
