// What Cluster API reads of an infrastructure cluster ("Contract rules for InfraCluster" in the Cluster API
// book). A view: see foreign.h for lifetime and threads.
#pragma once

#include "api/contract/foreign.h"
#include "api/contract/version.h"
#include "api/v1beta2/cluster.h"

namespace capstan::api::contract {

class InfraCluster {
 public:
  InfraCluster(Foreign object, ContractVersion contract) : object_(object), contract_(contract) {}
  const Foreign& object() const { return object_; }

  // Not reported counts as false.
  Result<bool> provisioned() const;
  Result<std::optional<ApiEndpoint>> control_plane_endpoint() const;
  // Sorted by name; whether control planes may run there is always said. A list under contract v1beta2, a map
  // before.
  Result<std::vector<FailureDomain>> failure_domains() const;
  Result<Failures> failures() const { return read_failures(object_); }

 private:
  Foreign object_;
  ContractVersion contract_;
};

// The same field of infrastructure cluster and control plane.
Result<std::optional<ApiEndpoint>> read_endpoint(const Foreign& object);

}  // namespace capstan::api::contract
