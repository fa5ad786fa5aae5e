// What Cluster API reads of a control plane ("Contract rules for ControlPlane" in the Cluster API book). A
// view: see foreign.h for lifetime and threads.
#pragma once

#include "api/contract/foreign.h"
#include "api/contract/version.h"
#include "api/v1beta2/cluster.h"

namespace capstan::api::contract {

class ControlPlane {
 public:
  ControlPlane(Foreign object, ContractVersion contract) : object_(object), contract_(contract) {}
  const Foreign& object() const { return object_; }

  // Not reported counts as false.
  Result<bool> initialized() const;
  // Hosted elsewhere: it has no Machines of its own.
  Result<bool> externally_managed() const;
  Result<std::optional<ApiEndpoint>> control_plane_endpoint() const;
  Result<std::optional<std::string>> version() const;

  // status.versions, lowest first. Invalid when they are unordered or no versions.
  Result<std::vector<VersionCount>> versions() const;
  // The lowest version that runs: the first of `versions`, else status.version. Nothing while it is being
  // provisioned.
  Result<std::optional<std::string>> running_version() const;
  // Whether something older than `version` still runs. Invalid without a `version`.
  Result<bool> upgrading() const;

  Result<std::optional<std::int32_t>> desired_replicas() const;
  Result<std::optional<std::int32_t>> replicas() const;
  Result<std::optional<std::int32_t>> ready_replicas() const;
  Result<std::optional<std::int32_t>> up_to_date_replicas() const;
  // Under contract v1beta1: what is wanted minus what is unavailable.
  Result<std::optional<std::int32_t>> available_replicas() const;
  Result<Failures> failures() const { return read_failures(object_); }

 private:
  Foreign object_;
  ContractVersion contract_;
};

}  // namespace capstan::api::contract
