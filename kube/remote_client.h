// Client over HTTP: what speaks to kube-apiserver, in production and in tests against real servers. One per
// API server, made by wiring. Safe from any thread; verbs block the calling worker, streams never do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kube/connection.h"
#include "kube/rate_limit.h"
#include "kube/request_record.h"
#include "net/address_rules.h"
#include "net/proxy.h"

namespace capstan::net {
class IoPool;
}

namespace capstan::kube {

struct RemoteClientOptions {
  std::string user_agent = {};     // empty: "capstan/<version>"
  std::string field_manager = {};  // of writes that name none; empty: `manager` with our own user agent, else
                                   // what the API server makes of the user agent
  RateLimit rate_limit = {};
  std::size_t max_connections = 64;
  std::size_t max_body_bytes = 64U << 20;  // of one answer; streams have no limit of their own
  Nanoseconds idle_timeout = std::chrono::seconds(30);
  Nanoseconds connect_timeout = std::chrono::seconds(10);
  net::ProxyRules proxies = {};      // of the environment; a connection's own proxy_url wins
  net::AddressRules addresses = {};  // of connections that come from a Secret
  std::function<void(const RequestRecord&)> on_request = {};
};

class RemoteClient final : public Client {
 public:
  struct Seams {
    net::IoPool& io;
    Threads& threads;
    const Clock& clock;
  };
  // Reads files and builds TLS; does not dial. Errors name the file or the field.
  static Result<std::unique_ptr<RemoteClient>> make(const Seams& seams, Connection connection,
                                                    RemoteClientOptions options = {});
  class Wire;
  explicit RemoteClient(std::unique_ptr<Wire> wire);  // what make() does
  ~RemoteClient() override;

  Quoting quoting() const override;
  Result<json::value> get(const Resource&, const ObjectKey&, const Deadline&) override;
  Result<json::value> list(const Resource&, const ListOptions&, const Deadline&) override;
  Result<json::value> create(const Resource&, const ObjectKey&, const json::value& object,
                             const WriteOptions&, const Deadline&) override;
  Result<json::value> replace(const Resource&, const ObjectKey&, const json::value& object,
                              std::string_view subresource, const WriteOptions&, const Deadline&) override;
  Result<json::value> patch(const Resource&, const ObjectKey&, const json::value& body, const PatchOptions&,
                            const Deadline&) override;
  Result<void> create_into(const Into&, const Resource&, const ObjectKey&, const json::value& object,
                           const WriteOptions&, const Deadline&) override;
  Result<void> patch_into(const Into&, const Resource&, const ObjectKey&, const json::value& body,
                          const PatchOptions&, const Deadline&) override;
  Result<void> remove(const Resource&, const ObjectKey&, const DeleteOptions&, const Deadline&) override;
  Result<void> evict(const ObjectKey& pod, const DeleteOptions&, const Deadline&) override;
  // An answer that is no JSON ("ok" of /healthz) comes back as a JSON string.
  Result<json::value> get_path(std::string_view path, const Deadline&) override;
  Result<json::value> post_path(std::string_view path, const json::value& body, const Deadline&) override;

  std::unique_ptr<Stream> list_stream(const Resource&, const ListOptions&, StreamSink&) override;
  std::unique_ptr<Stream> watch(const Resource&, const WatchOptions&, StreamSink&) override;

 private:
  std::unique_ptr<Wire> wire_;
};

}  // namespace capstan::kube
