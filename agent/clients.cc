#include "agent/clients.h"

#include "agent/checksum.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

std::string fingerprint_of(const kube::Connection& connection) {
  return checksum_of(connection.server + "\n" + connection.ca_pem + "\n" + connection.certificate_pem + "\n" +
                     connection.token.reveal());
}

}  // namespace

Result<kube::Client*> Clients::with(Credential credential, const kube::Connection& connection) {
  Slot& known = slot(credential);
  std::string fingerprint = fingerprint_of(connection);
  if (known.client && known.fingerprint == fingerprint) return known.client.get();
  auto client = TRY(dial_(connection));
  known.bell.reset();
  known.client = std::move(client);
  known.fingerprint = std::move(fingerprint);
  return known.client.get();
}

void Clients::watch(Credential credential, const kube::Resource& resource, const kube::ObjectKey& key,
                    const std::string& resource_version) {
  Slot& known = slot(credential);
  if (!known.client || (known.bell && known.bell->listens())) return;
  known.bell.reset();
  known.bell = std::make_unique<Doorbell>(changed_);
  known.bell->listen(*known.client, resource, key, resource_version);
}

}  // namespace capstan::agent
