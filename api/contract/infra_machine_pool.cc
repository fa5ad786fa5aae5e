#include "api/contract/infra_machine_pool.h"

#include "base/try.h"

namespace capstan::api::contract {

Result<bool> InfraMachinePool::ready() const {
  if (TRY(read_bool(object_, path::kReady)).value_or(false)) return true;
  if (contract_ == ContractVersion::V1Beta1) return false;
  return TRY(read_bool(object_, path::kProvisioned)).value_or(false);
}

Result<std::vector<std::string>> InfraMachinePool::provider_id_list() const {
  return TRY(read_texts(object_, path::kProviderIdList)).value_or(std::vector<std::string>());
}

Result<std::optional<std::int32_t>> InfraMachinePool::replicas() const {
  return read_int32(object_, path::kStatusReplicas);
}

Result<std::optional<std::string>> InfraMachinePool::infrastructure_machine_kind() const {
  auto kind = TRY(read_text(object_, path::kInfrastructureMachineKind));
  if (kind && kind->empty()) kind.reset();
  return kind;
}

}  // namespace capstan::api::contract
