// The Secret "<cluster>-kubeconfig" in the Cluster's namespace: how Cluster API hands out access to a
// workload cluster. Read by name, used, dropped; never cached. What a connection needs of it, the registry
// keeps while a server is silent. Pure, but for read(), which asks the API server.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "api/core/secret.h"
#include "api/meta/object_key.h"
#include "base/result.h"
#include "base/secret.h"
#include "kube/client.h"
#include "kubeconfig/kubeconfig.h"

namespace capstan::kubeconfig {

api::ObjectKey secret_key_of(const api::ObjectKey& cluster);

// Invalid when the key "value" is missing or no kubeconfig.
Result<Kubeconfig> kubeconfig_in(const api::SecretContent& secret);
Result<api::SecretContent> read(kube::Client& client, const api::ObjectKey& cluster,
                                const Deadline& deadline);

// The owner of the Secret: the Cluster, or its control plane object.
struct Owner {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};
};
// The whole object, ready to be created: type, label, owner and content as the contract wants them.
boost::json::value secret_object(const api::ObjectKey& cluster, const Owner& owner,
                                 const Secret<std::string>& kubeconfig);

}  // namespace capstan::kubeconfig
