// What net's tests share: certificates made on the spot, little servers, a sink that remembers. Not linked
// into products.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/io_pool.h"
#include "net/pki.h"
#include "net/tls.h"
#include "net/worker_pool.h"

namespace capstan::net {

inline Deadline soon(std::chrono::seconds span = std::chrono::seconds(20)) {
  return Deadline::in(SystemClock(), span);
}

template <typename Ready>
bool wait_for(Signal& signal, Ready&& ready) {
  SystemThreads threads;
  return threads.wait_until(signal, soon(), std::forward<Ready>(ready)) == Woken::Notified;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) ADD_FAILURE() << result.error().message;
  return std::move(result).value();
}

// A CA, and what it issues.
class TestPki {
 public:
  TestPki()
      : now_(SystemClock().now()), ca_(value_of(new_ca("test CA", now_ - hours(1), now_ + hours(24)))) {}

  KeyAndCertificate server_certificate(CertificateUse use = {}) const {
    use.server = true;
    if (use.subject.common_name.empty()) use.subject.common_name = "server";
    if (use.dns_names.empty() && use.ip_addresses.empty()) {
      use.dns_names = {"localhost"};
      use.ip_addresses = {"127.0.0.1"};
    }
    return value_of(issue(ca_, timed(use)));
  }
  KeyAndCertificate client_certificate(Subject subject) const {
    return value_of(issue(ca_, timed({.subject = std::move(subject), .client = true})));
  }
  std::shared_ptr<TlsContext> server(const CertificateUse& use = {}, bool require_client = false) const {
    const auto made = server_certificate(use);
    return value_of(server_tls({.certificate_pem = made.certificate_pem,
                                .private_key_pem = made.private_key_pem,
                                .client_ca_pem = ca_.certificate_pem,
                                .require_client_certificate = require_client}));
  }
  std::shared_ptr<TlsContext> client(const std::optional<KeyAndCertificate>& identity = {}) const {
    ClientTlsOptions options{.ca_pem = ca_.certificate_pem};
    if (identity) {
      options.certificate_pem = identity->certificate_pem;
      options.private_key_pem = identity->private_key_pem;
    }
    return value_of(client_tls(options));
  }
  const KeyAndCertificate& ca() const { return ca_; }
  WallTime now() const { return now_; }

 private:
  using hours = std::chrono::hours;
  CertificateUse timed(CertificateUse use) const {
    if (use.not_after == WallTime{}) {
      use.not_before = now_ - hours(1);
      use.not_after = now_ + hours(1);
    }
    return use;
  }
  WallTime now_;
  KeyAndCertificate ca_;
};

inline std::unique_ptr<HttpServer> serve(IoPool& io, HttpServerOptions options, Handler handler) {
  return value_of(HttpServer::listen(io, std::move(options), std::move(handler)));
}

// Answers "METHOD target body".
inline std::unique_ptr<HttpServer> echo_server(IoPool& io, HttpServerOptions options = {}) {
  return serve(io, std::move(options), [](const ServerRequest& request, Responder& responder) {
    responder.respond({.status = 200, .body = request.method + " " + request.target + " " + request.body});
  });
}

inline HttpClientOptions plain_client(std::uint16_t port) {
  return {.origin = {.scheme = "http", .host = "127.0.0.1", .port = std::to_string(port)}};
}

inline HttpClientOptions tls_client(std::uint16_t port, std::shared_ptr<TlsContext> tls) {
  return {.origin = {.host = "127.0.0.1", .port = std::to_string(port)}, .tls = std::move(tls)};
}

class CollectingSink final : public HttpStreamSink {
 public:
  void on_headers(int status, const Headers& headers) override {
    state_.with([&](State& state) {
      state.status = status;
      state.headers = headers;
    });
    changed_.notify();
  }
  void on_bytes(std::string_view bytes) override {
    state_.with([&](State& state) { state.bytes += bytes; });
    changed_.notify();
  }
  void on_end(Result<void> outcome) override {
    state_.with([&](State& state) { state.end = std::move(outcome); });
    changed_.notify();
  }

  bool wait_for_bytes(std::string_view all) {
    return wait_for(changed_,
                    [&] { return state_.with([&](const State& state) { return state.bytes == all; }); });
  }
  std::optional<Result<void>> wait_for_end() {
    wait_for(changed_, [&] { return state_.with([](const State& state) { return state.end.has_value(); }); });
    return state_.with([](const State& state) { return state.end; });
  }
  bool ended() const {
    return state_.with([](const State& state) { return state.end.has_value(); });
  }
  int status() const {
    return state_.with([](const State& state) { return state.status; });
  }
  std::string bytes() const {
    return state_.with([](const State& state) { return state.bytes; });
  }

 private:
  struct State {
    int status = 0;
    Headers headers;
    std::string bytes;
    std::optional<Result<void>> end;
  };
  Guarded<State> state_;
  Signal changed_;
};

// A port that no socket listens on (any more).
inline std::uint16_t free_port() {
  IoPool io(1);
  const auto server = serve(io, {}, [](const ServerRequest&, Responder& responder) { responder.drop(); });
  return server->port();
}

}  // namespace capstan::net
