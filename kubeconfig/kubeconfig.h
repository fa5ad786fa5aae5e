// A kubeconfig as data: parsed from YAML (or JSON), rendered back. Contents of credentials stay in Secret<T>
// and never get into an error. Users: the manager's --kubeconfig, workload clusters (kubeconfig/connect.h),
// and the issuer of new ones (kubeconfig/issue.h). Values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "kube/connection.h"

namespace capstan::kubeconfig {

struct ClusterEntry {
  std::string name = {};
  std::string server = {};
  std::string tls_server_name = {};
  std::string proxy_url = {};
  bool insecure_skip_tls_verify = false;
  std::string ca_pem = {};  // certificate-authority-data, decoded
  std::string ca_file = {};
};

struct UserEntry {
  std::string name = {};
  std::string certificate_pem = {};
  std::string certificate_file = {};
  Secret<std::string> private_key_pem = {};
  std::string private_key_file = {};
  Secret<std::string> token = {};
  std::string token_file = {};
  kube::Impersonation impersonate = {};
  // Ways to log in that we do not support ("exec"); such an entry may stand in the file, but not be used.
  std::vector<std::string> unsupported = {};
};

struct ContextEntry {
  std::string name = {};
  std::string cluster = {};
  std::string user = {};
  std::string namespace_ = {};
};

struct Kubeconfig {
  std::vector<ClusterEntry> clusters = {};
  std::vector<UserEntry> users = {};
  std::vector<ContextEntry> contexts = {};
  std::string current_context = {};
};

// Errors are Invalid and say what is wrong and where: `kubeconfig: line 3, column 7: ...`, `kubeconfig:
// users[1] "admin": client-key-data: no base64`.
Result<Kubeconfig> parse(std::string_view text);

// What parse() reads. Fails for entries that hold something unsupported, for it would be lost.
Result<Secret<std::string>> render(const Kubeconfig& config);

}  // namespace capstan::kubeconfig
