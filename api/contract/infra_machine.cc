#include "api/contract/infra_machine.h"

#include "api/contract/lists.h"
#include "base/try.h"

namespace capstan::api::contract {

Result<bool> InfraMachine::provisioned() const {
  const auto& where = contract_ == ContractVersion::V1Beta1 ? path::kReady : path::kProvisioned;
  return TRY(read_bool(object_, where)).value_or(false);
}

Result<std::optional<std::string>> InfraMachine::provider_id() const {
  return read_text(object_, path::kProviderId);
}

Result<std::optional<std::vector<MachineAddress>>> InfraMachine::addresses() const {
  return read_list<MachineAddress>(object_, path::kAddresses);
}

Result<std::optional<std::string>> InfraMachine::failure_domain() const {
  return read_text(object_, path::kFailureDomain);
}

Result<std::optional<std::string>> InfraMachine::spec_failure_domain() const {
  return read_text(object_, path::kSpecFailureDomain);
}

Result<bool> InfraMachine::interruptible() const {
  return TRY(read_bool(object_, path::kInterruptible)).value_or(false);
}

}  // namespace capstan::api::contract
