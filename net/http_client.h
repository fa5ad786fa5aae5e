// HTTP/1.1 client to one origin: pooled keep-alive connections over TLS (OpenSSL on the descriptor) or plain
// TCP. Blocking requests with deadlines for workers, streams with callbacks for LIST pages and watches. Knows
// no Kubernetes. Safe from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/threads.h"
#include "net/address_rules.h"
#include "net/http_message.h"

namespace capstan::net {

class IoPool;
class TlsContext;

struct Origin {
  std::string scheme = "https";
  std::string host = {};
  std::string port = {};
  std::string server_name = {};  // for SNI and verification; empty: host
  std::string proxy_url = {};    // "http://proxy:3128" (CONNECT); empty: none
};

struct HttpClientOptions {
  Origin origin = {};
  std::shared_ptr<TlsContext> tls = {};  // required for https
  std::size_t max_connections = 64;      // requests beyond wait for a free one, within their deadline
  Nanoseconds idle_timeout = std::chrono::seconds(30);
  Nanoseconds connect_timeout = std::chrono::seconds(10);
  std::optional<AddressRules> rules = {};  // of an origin that was named by others
  bool proxy_is_ours = true;               // with rules: whether the proxy was not
};

// Receives one streamed response, on an io thread, one call at a time; never after on_end or after the handle
// is gone.
class HttpStreamSink {
 public:
  virtual ~HttpStreamSink() = default;
  virtual void on_headers(int status, const Headers& headers) = 0;
  virtual void on_bytes(std::string_view bytes) = 0;
  virtual void on_end(Result<void> outcome) = 0;
};

// Destruction cancels the stream and returns when no call to the sink is running (unless called from inside
// one).
class HttpStreamHandle {
 public:
  virtual ~HttpStreamHandle() = default;
};

struct StreamLimits {
  Nanoseconds silent_after = Nanoseconds::max();  // no byte for this long: the stream ends with Timeout
};

class HttpClient {
 public:
  HttpClient(IoPool& io, HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Blocks the calling worker. Error::outcome_unknown is set when bytes of the request may have reached the
  // server and no complete answer came back. A request on a reused connection that the server had closed
  // before taking a byte is repeated once on a new one (idempotent methods, or nothing had been sent).
  Result<HttpResponse> request(const HttpRequest& request, const Deadline& deadline);
  std::unique_ptr<HttpStreamHandle> stream(HttpRequest request, StreamLimits limits, HttpStreamSink& sink);

  // New connections use this context from now on (rotated certificates); idle ones are closed.
  void use_tls(std::shared_ptr<TlsContext> tls);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace capstan::net
