#include "test/envtest/kubeconfig_text.h"

#include <fmt/format.h>

#include "base/base64.h"

namespace capstan::envtest {
namespace {

constexpr std::string_view kTemplate = R"(apiVersion: v1
kind: Config
current-context: envtest
contexts:
- name: envtest
  context: {{cluster: envtest, user: "{user}"}}
clusters:
- name: envtest
  cluster:
    server: {url}
    certificate-authority-data: {ca}
users:
- name: "{user}"
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
)";

}  // namespace

std::string kubeconfig_text(const KubeconfigParts& parts) {
  return fmt::format(kTemplate, fmt::arg("url", parts.url), fmt::arg("user", parts.user),
                     fmt::arg("ca", base64_encode(parts.ca_pem)),
                     fmt::arg("certificate", base64_encode(parts.certificate_pem)),
                     fmt::arg("key", base64_encode(parts.key_pem)));
}

}  // namespace capstan::envtest
