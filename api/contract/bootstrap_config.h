// What Cluster API reads of a bootstrap configuration ("Contract rules for BootstrapConfig" in the Cluster
// API book). A view: see foreign.h for lifetime and threads.
#pragma once

#include "api/contract/foreign.h"
#include "api/contract/version.h"

namespace capstan::api::contract {

class BootstrapConfig {
 public:
  BootstrapConfig(Foreign object, ContractVersion contract) : object_(object), contract_(contract) {}
  const Foreign& object() const { return object_; }

  // Not reported counts as false.
  Result<bool> data_secret_created() const;
  Result<std::optional<std::string>> data_secret_name() const;
  Result<Failures> failures() const { return read_failures(object_); }

 private:
  Foreign object_;
  ContractVersion contract_;
};

}  // namespace capstan::api::contract
