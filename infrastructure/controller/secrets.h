// The two Secrets a VM needs: the bootstrap data and the credentials for the cloud. Read by name when they
// are needed, used, dropped. Block as the client does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/driver/driver_cluster.h"
#include "base/result.h"
#include "infrastructure/driver.h"
#include "kube/client.h"

namespace capstan::infrastructure {

struct BootstrapData {
  Secret<std::string> value = {};
  std::string format = {};
};
// Invalid when the Secret has no key "value".
Result<BootstrapData> read_bootstrap_data(kube::Client& client, const kube::ObjectKey& secret,
                                          const Deadline& deadline);

// None when `ref` names none.
Result<Credentials> read_credentials(kube::Client& client, std::string_view namespace_,
                                     const std::optional<api::CredentialsRef>& ref, const Deadline& deadline);

}  // namespace capstan::infrastructure
