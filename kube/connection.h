// How to reach one API server and who we are there: what a kubeconfig or a pod's service account comes down
// to. A value; RemoteClient is made from it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace capstan::kube {

// Act as another user (kubeconfig "as"); the server checks that we may.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  bool operator==(const Impersonation&) const = default;
};

// Text wins over a file of the same purpose, except for tokens: there the file wins while it can be read.
// Files are read again when they change.
struct Connection {
  std::string server = {};  // "https://10.0.0.1:6443", perhaps with a path in front of every request
  std::string tls_server_name = {};
  std::string proxy_url = {};
  bool insecure_skip_tls_verify = false;
  bool from_secret = false;  // others named the server: kube/quoting.h and net/address_rules.h hold for it
  std::string ca_pem = {};
  std::string ca_file = {};
  std::string certificate_pem = {};
  std::string certificate_file = {};
  Secret<std::string> private_key_pem = {};
  std::string private_key_file = {};
  Secret<std::string> token = {};
  std::string token_file = {};
  Impersonation impersonate = {};
};

// What a pod finds around it; values come from the caller, nothing here reads the environment.
struct PodEnvironment {
  std::string service_host = {};  // KUBERNETES_SERVICE_HOST
  std::string service_port = {};  // KUBERNETES_SERVICE_PORT
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};
Result<Connection> in_cluster(const PodEnvironment& pod);

}  // namespace capstan::kube
