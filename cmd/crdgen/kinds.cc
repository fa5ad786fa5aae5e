#include "cmd/crdgen/kinds.h"

#include "api/bootstrap/cloud_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta1/kinds.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::crdgen {
namespace {

// v1beta2, and v1beta1 behind it.
template <typename Kind>
std::vector<api::CrdVersion> both() {
  const api::CrdVersion stored = api::crd_version<Kind>();
  return {stored, api::v1beta1::crd_version(stored.resource->kind)};
}

}  // namespace

std::vector<std::vector<api::CrdVersion>> kinds() {
  return {
      both<api::Cluster>(),
      both<api::Machine>(),
      both<api::MachineDeployment>(),
      both<api::MachineDrainRule>(),
      both<api::MachineHealthCheck>(),
      both<api::MachinePool>(),
      both<api::MachineSet>(),
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
