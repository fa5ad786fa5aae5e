#include "kube/connection.h"

namespace capstan::kube {

Result<Connection> in_cluster(const PodEnvironment& pod) {
  if (pod.service_host.empty() || pod.service_port.empty()) {
    return fail(Code::Invalid,
                "not inside a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; "
                "outside of one a kubeconfig must be given");
  }
  const bool ipv6 = pod.service_host.find(':') != std::string::npos;
  const std::string host = ipv6 ? "[" + pod.service_host + "]" : pod.service_host;
  Connection connection;
  connection.server = "https://" + host + ":" + pod.service_port;
  connection.ca_file = pod.service_account_directory + "/ca.crt";
  connection.token_file = pod.service_account_directory + "/token";
  return connection;
}

}  // namespace capstan::kube
