#include "infrastructure/controller/secrets.h"

#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/names.h"
#include "base/try.h"
#include "kube/resources.h"

namespace capstan::infrastructure {
namespace {

Result<api::SecretContent> read(kube::Client& client, const kube::ObjectKey& key, const Deadline& deadline) {
  const auto document = client.get(kube::resources::secrets(), key, deadline);
  if (!document) return fail(document.error().context("read Secret " + key.describe()));
  return api::read_secret(*document);
}

}  // namespace

Result<BootstrapData> read_bootstrap_data(kube::Client& client, const kube::ObjectKey& secret,
                                          const Deadline& deadline) {
  const auto found = read(client, secret, deadline);
  if (!found && found.error().code == Code::NotFound)
    return fail(Code::NotFound, "Secret " + secret.describe() +
                                    " with the bootstrap data does not exist; create it, or name another one "
                                    "in bootstrap.dataSecretName");
  const auto content = TRY(found);
  const auto* value = content.find(api::secret::kValueKey);
  if (value == nullptr)
    return fail(Code::Invalid, "Secret " + secret.describe() + " has no key \"value\" with bootstrap data");
  const auto* format = content.find(api::secret::kFormatKey);
  return BootstrapData{.value = *value, .format = format == nullptr ? "cloud-config" : format->reveal()};
}

Result<Credentials> read_credentials(kube::Client& client, std::string_view namespace_,
                                     const std::optional<api::CredentialsRef>& ref,
                                     const Deadline& deadline) {
  if (!ref) return Credentials();
  auto content =
      TRY(read(client, {.namespace_ = std::string(namespace_), .name = ref->name.str()}, deadline));
  return Credentials{.values = std::move(content.data)};
}

}  // namespace capstan::infrastructure
