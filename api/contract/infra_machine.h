// What Cluster API reads of an infrastructure machine ("Contract rules for InfraMachine" in the Cluster API
// book). A view: see foreign.h for lifetime and threads.
#pragma once

#include "api/contract/foreign.h"
#include "api/contract/version.h"
#include "api/v1beta2/machine.h"

namespace capstan::api::contract {

class InfraMachine {
 public:
  InfraMachine(Foreign object, ContractVersion contract) : object_(object), contract_(contract) {}
  const Foreign& object() const { return object_; }

  // Not reported counts as false.
  Result<bool> provisioned() const;
  Result<std::optional<std::string>> provider_id() const;
  // Nothing while the field is absent: addresses known so far stay then.
  Result<std::optional<std::vector<MachineAddress>>> addresses() const;
  Result<std::optional<std::string>> failure_domain() const;
  // The old place, which overwrites the Machine's spec, even with "".
  Result<std::optional<std::string>> spec_failure_domain() const;
  Result<bool> interruptible() const;
  Result<Failures> failures() const { return read_failures(object_); }

 private:
  Foreign object_;
  ContractVersion contract_;
};

}  // namespace capstan::api::contract
