#include "kubeconfig/issue.h"

#include <fmt/format.h>

#include "api/names.h"
#include "base/try.h"
#include "net/pki.h"

namespace capstan::kubeconfig {
namespace {

constexpr std::string_view kAdmin = "kubernetes-admin";
constexpr std::string_view kMasters = "system:masters";

Result<const Secret<std::string>*> part(const api::SecretContent& secret, std::string_view key) {
  const Secret<std::string>* found = secret.find(key);
  if (found != nullptr && !found->reveal().empty()) return found;
  return fail(Code::Invalid,
              fmt::format("secret {}/{} has no key \"{}\"", secret.namespace_, secret.name, key));
}

Result<net::KeyAndCertificate> authority(const api::SecretContent& secret) {
  const auto* certificate = TRY(part(secret, api::secret::kTlsCertificateKey));
  const auto* key = TRY(part(secret, api::secret::kTlsPrivateKey));
  return net::KeyAndCertificate{.certificate_pem = certificate->reveal(), .private_key_pem = *key};
}

std::string server_url(const AdminRequest& request) {
  const bool is_ipv6 = request.host.contains(':');
  return is_ipv6 ? fmt::format("https://[{}]:{}", request.host, request.port)
                 : fmt::format("https://{}:{}", request.host, request.port);
}

Kubeconfig file_of(const AdminRequest& request, const std::string& ca_pem, net::KeyAndCertificate admin) {
  const std::string user = request.cluster_name + "-admin";
  const std::string context = user + "@" + request.cluster_name;
  return {.clusters = {{.name = request.cluster_name, .server = server_url(request), .ca_pem = ca_pem}},
          .users = {{.name = user,
                     .certificate_pem = std::move(admin.certificate_pem),
                     .private_key_pem = std::move(admin.private_key_pem)}},
          .contexts = {{.name = context, .cluster = request.cluster_name, .user = user}},
          .current_context = context};
}

}  // namespace

api::ObjectKey ca_key_of(const api::ObjectKey& cluster) {
  return {cluster.namespace_, cluster.name + std::string(api::secret::kCaSuffix)};
}

Result<Kubeconfig> issue_admin(const api::SecretContent& ca, const AdminRequest& request) {
  const auto signer = TRY(authority(ca));
  const std::string which = fmt::format("secret {}/{}", ca.namespace_, ca.name);
  const auto facts = net::read_certificate(signer.certificate_pem);
  if (!facts) return fail(facts.error().context(which + ", " + std::string(api::secret::kTlsCertificateKey)));
  auto admin = net::issue(
      signer, {.subject = {.common_name = std::string(kAdmin), .organizations = {std::string(kMasters)}},
               .client = true,
               .not_before = facts->not_before,
               .not_after = request.now + kAdminValidity});
  if (!admin) return fail(admin.error().context(which));
  return file_of(request, signer.certificate_pem, std::move(*admin));
}

std::optional<std::string> made_with_another_ca(const Kubeconfig& config, const api::SecretContent& ca) {
  const auto certificate = part(ca, api::secret::kTlsCertificateKey);
  if (!certificate) return std::nullopt;
  const std::string& authority_pem = (*certificate)->reveal();
  for (const UserEntry& user : config.users) {
    if (!user.certificate_pem.empty() && !net::check_issued_by(user.certificate_pem, authority_pem))
      return fmt::format("the CA in Secret {} has not signed it", ca.name);
  }
  for (const ClusterEntry& cluster : config.clusters) {
    // Renewed with the same key a CA is another certificate, and what it signed is as good as before.
    if (!cluster.ca_pem.contains(authority_pem) && !net::check_issued_by(authority_pem, cluster.ca_pem))
      return fmt::format("its certificate-authority-data does not name the CA in Secret {}", ca.name);
  }
  return std::nullopt;
}

std::optional<WallTime> certificate_end(const Kubeconfig& config) {
  for (const UserEntry& user : config.users) {
    if (user.certificate_pem.empty()) continue;
    const auto facts = net::read_certificate(user.certificate_pem);
    if (facts) return facts->not_after;
  }
  return std::nullopt;
}

}  // namespace capstan::kubeconfig
