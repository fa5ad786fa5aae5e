// The TLS endpoint the API server calls: reviews arrive at the paths that are added to it, probes are
// answered, everything else is 404. Its certificate lives in files and is followed when they change, or is
// handed over (webhooks/certificates). Paths are added before start; safe from any thread afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/threads.h"
#include "net/cert_reload.h"
#include "net/http_server.h"
#include "net/io_pool.h"

namespace capstan::webhooks {

struct ServerOptions {
  std::string address = "0.0.0.0";
  std::uint16_t port = 9443;            // 0: any free port
  std::string certificate_folder = {};  // empty: no files, the certificate is handed over
  std::string certificate_name = "tls.crt";
  std::string key_name = "tls.key";
  net::TlsVersion oldest_tls = net::TlsVersion::Tls12;
  std::string called_as = {};  // by API servers; a certificate for other names is complained of. Empty: any
  Nanoseconds look_every = net::TlsFiles::kEvery;  // for a new certificate
};

struct ServerDeps {
  net::IoPool& io;
  const Clock& clock;
  Threads& threads;
  Log log = {};
  Metrics* metrics = nullptr;  // null: nothing is counted
};

class Server {
 public:
  // A review in, a review out; runs on one of the server's workers and may block.
  using Answer = std::function<net::HttpResponse(const net::ServerRequest&)>;

  Server(const ServerDeps& deps, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // POST to `path`; a query (the API server sends ?timeout=10s) is none of the path.
  void add(std::string path, Answer answer);

  // Fails when the certificate can't be read or the port can't be had, and names both.
  Result<void> start();
  // The certificate of new connections from now on; the first one comes before start().
  void use_certificate(std::shared_ptr<net::TlsContext> tls);
  void stop();
  std::uint16_t port() const { return server_ ? server_->port() : 0; }
  // Nothing while it listens with a certificate; otherwise what is missing, for probes.
  std::optional<std::string> problem() const;

  // What is answered; apart from sockets, for tests.
  net::HttpResponse answer(const net::ServerRequest& request) const;

 private:
  // Named as controller-runtime names them.
  struct Path {
    Answer answer = {};
    Counter answered = {};  // with 200
    Counter failed = {};    // with anything else
    Histogram seconds = {};
    Gauge in_flight = {};
  };
  struct Served {
    std::shared_ptr<net::TlsContext> tls = {};
    net::HttpServer* by = nullptr;  // null: it does not listen
  };
  Result<std::shared_ptr<net::TlsContext>> first_certificate();
  Path measured(std::string_view path, Answer answer) const;
  net::TlsFiles files() const;
  void follow_certificate(const std::stop_token& stop);

  const ServerDeps deps_;
  const ServerOptions options_;
  net::TlsFiles files_;
  std::map<std::string, Path, std::less<>> paths_;
  std::unique_ptr<net::HttpServer> server_;
  Guarded<Served> handed_over_;
  std::atomic<bool> listens_ = false;  // server_ is there and has a certificate
  std::unique_ptr<Thread> follower_;
};

}  // namespace capstan::webhooks
