#include "api/contract/bootstrap_config.h"

#include "base/try.h"

namespace capstan::api::contract {

Result<bool> BootstrapConfig::data_secret_created() const {
  const auto& where = contract_ == ContractVersion::V1Beta1 ? path::kReady : path::kDataSecretCreated;
  return TRY(read_bool(object_, where)).value_or(false);
}

Result<std::optional<std::string>> BootstrapConfig::data_secret_name() const {
  return read_text(object_, path::kDataSecretName);
}

}  // namespace capstan::api::contract
