// From a Cluster to the settings its API server is dialled with: the kubeconfig Secret, and the management
// server's own address when the workload cluster is the one we run in. Used by the registry.
#pragma once

#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"
#include "kube/connection.h"

namespace capstan::kubeconfig {

struct Access {
  kube::Connection connection = {};
  std::string version = {};  // of the Secret: another one may hold another kubeconfig
};
// Reads the Secret. Errors name what does not fit (Secret, key, context, user, field) and what to do instead.
Result<Access> read_access(kube::Client& management, const kube::ObjectKey& cluster,
                           const Deadline& deadline);

// The pod we are (POD_NAMESPACE, POD_NAME, POD_UID), and how a pod reaches the API server it belongs to.
struct OwnPod {
  kube::ObjectKey key = {};
  std::string uid = {};
  kube::Connection server = {};
};
// Whether our pod runs in that cluster: it manages itself.
Result<bool> runs_in(kube::Client& workload, const OwnPod& pod, const Deadline& deadline);
// The server as pods reach it, the credentials of the kubeconfig.
kube::Connection from_inside(kube::Connection access, const kube::Connection& server);

}  // namespace capstan::kubeconfig
