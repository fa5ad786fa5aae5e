// The text of a kubeconfig that stands alone: CA, certificate and key inline. Used by RealServers.
#pragma once

#include <string>
#include <string_view>

namespace capstan::envtest {

struct KubeconfigParts {
  std::string_view url = {};
  std::string_view user = {};
  std::string_view ca_pem = {};
  std::string_view certificate_pem = {};
  std::string_view key_pem = {};
};

std::string kubeconfig_text(const KubeconfigParts& parts);

}  // namespace capstan::envtest
