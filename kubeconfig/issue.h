// Admission to a cluster whose control plane is run by hand: a kubeconfig with a client certificate that is
// signed by the CA in the Secret "<cluster>-ca". Used by the Cluster controller, which keeps the Secret
// "<cluster>-kubeconfig" up to date with it. Pure apart from the randomness of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/core/secret.h"
#include "api/meta/object_key.h"
#include "base/instant.h"
#include "base/result.h"
#include "base/secret.h"
#include "kubeconfig/kubeconfig.h"

namespace capstan::kubeconfig {

inline constexpr auto kAdminValidity = std::chrono::days(365);
// With less than that left, a certificate of ours is replaced.
inline constexpr auto kRenewBefore = std::chrono::days(182);

api::ObjectKey ca_key_of(const api::ObjectKey& cluster);

struct AdminRequest {
  std::string cluster_name = {};
  std::string host = {};
  std::int32_t port = 0;
  WallTime now = {};
};
// Invalid, with the key, when the Secret holds no usable CA.
Result<Kubeconfig> issue_admin(const api::SecretContent& ca, const AdminRequest& request);

// When the first client certificate of the file ends; nothing when there is none in it, or none we can read.
std::optional<WallTime> certificate_end(const Kubeconfig& config);

// Why a kubeconfig made anew with that CA might not replace this one: the CA has not signed its client
// certificate, or is not what it trusts the server by. Nothing when both are so, or when the Secret holds no
// certificate.
std::optional<std::string> made_with_another_ca(const Kubeconfig& config, const api::SecretContent& ca);

}  // namespace capstan::kubeconfig
