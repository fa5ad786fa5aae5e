#include "agent/doorbell.h"

namespace capstan::agent {
namespace {

constexpr int kSeconds = 900;  // longer than it takes until the object is read again

}  // namespace

void Doorbell::listen(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
                      const std::string& resource_version) {
  listens_ = true;
  stream_ = client.watch(resource,
                         {.namespace_ = key.namespace_,
                          .field_selector = "metadata.name=" + key.name,
                          .resource_version = resource_version,
                          .timeout_seconds = kSeconds,
                          .bookmarks = false},
                         *this);
}

void Doorbell::on_bytes(std::string_view bytes) {
  if (!bytes.empty()) rung_.notify();
}

// It does not ring: a server that ends every watch at once would be asked without end.
void Doorbell::on_end(Result<void>) { listens_ = false; }

}  // namespace capstan::agent
