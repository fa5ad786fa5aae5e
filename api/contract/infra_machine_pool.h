// What Cluster API reads of an infrastructure machine pool ("Contract rules for InfraMachinePool" in the
// Cluster API book). A view: see foreign.h for lifetime and threads.
#pragma once

#include "api/contract/foreign.h"
#include "api/contract/version.h"

namespace capstan::api::contract {

class InfraMachinePool {
 public:
  InfraMachinePool(Foreign object, ContractVersion contract) : object_(object), contract_(contract) {}
  const Foreign& object() const { return object_; }

  // status.ready, which upstream reads whatever the contract, or the field that contract v1beta2 documents.
  Result<bool> ready() const;
  // Empty when not reported.
  Result<std::vector<std::string>> provider_id_list() const;
  Result<std::optional<std::int32_t>> replicas() const;
  // Nothing: this provider has no objects for single machines.
  Result<std::optional<std::string>> infrastructure_machine_kind() const;
  Result<Failures> failures() const { return read_failures(object_); }

 private:
  Foreign object_;
  ContractVersion contract_;
};

}  // namespace capstan::api::contract
