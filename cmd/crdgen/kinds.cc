#include "cmd/crdgen/kinds.h"

#include "api/bootstrap/cloud_config.h"
#include "api/bootstrap/node_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/policy/fleet_policy.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta1/kinds.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/ip_address.h"
#include "api/v1beta2/ip_address_claim.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::crdgen {
namespace {

// v1beta2, and what there was before it.
template <typename Kind>
std::vector<api::CrdVersion> with_older() {
  std::vector<api::CrdVersion> versions = {api::crd_version<Kind>()};
  for (const api::CrdVersion& older : api::v1beta1::older_versions(api::resource<Kind>))
    versions.push_back(older);
  return versions;
}

}  // namespace

std::vector<std::vector<api::CrdVersion>> kinds() {
  return {
      with_older<api::Cluster>(),
      with_older<api::Machine>(),
      with_older<api::MachineDeployment>(),
      with_older<api::MachineDrainRule>(),
      with_older<api::MachineHealthCheck>(),
      with_older<api::MachinePool>(),
      with_older<api::MachineSet>(),
      with_older<api::IpAddress>(),
      with_older<api::IpAddressClaim>(),
      {api::crd_version<api::DriverCluster>()},
      {api::crd_version<api::DriverMachine>()},
      {api::crd_version<api::DriverMachinePool>()},
      {api::crd_version<api::DriverMachineTemplate>()},
      {api::crd_version<api::CloudConfig>()},
      {api::crd_version<api::CloudConfigTemplate>()},
      {api::crd_version<api::NodeConfig>()},
      {api::crd_version<api::MachineLifecyclePolicy>()},
      {api::crd_version<api::FleetPolicy>()},
  };
}

}  // namespace capstan::crdgen
