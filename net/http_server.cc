#include "net/http_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <unordered_set>
#include <utility>

#include "base/guarded.h"
#include "base/try.h"
#include "net/http_parser.h"
#include "net/http_render.h"
#include "net/io_pool_impl.h"
#include "net/server_connection.h"
#include "net/url.h"
#include "net/worker_pool.h"

namespace capstan::net {
namespace {

using Acceptor = asio::ip::tcp::acceptor;
using ConnectionPtr = std::shared_ptr<ServerConnection>;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when descriptors have run out

class ConnectionResponder final : public Responder {
 public:
  explicit ConnectionResponder(ConnectionPtr connection) : connection_(std::move(connection)) {}

  void respond(HttpResponse response) override {
    if (!std::exchange(answered_, true)) connection_->respond(std::move(response));
  }
  std::shared_ptr<ResponseStream> begin_stream(int status, Headers headers) override {
    answered_ = true;
    return connection_->begin_stream(status, std::move(headers));
  }
  void drop() override {
    answered_ = true;
    connection_->close();
  }

 private:
  ConnectionPtr connection_;
  bool answered_ = false;
};

Result<asio::ip::tcp::endpoint> endpoint_of(const std::string& address, std::uint16_t port) {
  boost::system::error_code error;
  const auto parsed = asio::ip::make_address(address == "localhost" ? "127.0.0.1" : address, error);
  if (error)
    return fail(Code::Invalid,
                fmt::format("listen {}: not an IP address", host_and_port(address, std::to_string(port))));
  return asio::ip::tcp::endpoint(parsed, port);
}

// A socket bound to the port; it refuses connections until it listens.
Result<Acceptor> bound(asio::io_context& io, const asio::ip::tcp::endpoint& endpoint) {
  Acceptor acceptor(io);
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor.bind(endpoint, error);
  if (error)
    return fail(Code::Unavailable, fmt::format("listen {}: {}", endpoint_text(endpoint), error.message()));
  return acceptor;
}

}  // namespace

class HttpServer::Impl final : public ConnectionHost, public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(IoPool::Impl& io, HttpServerOptions options, Handler handler);

  Result<void> listen();
  void stop();
  void shut_down(const Deadline& deadline);
  std::uint16_t port() const { return endpoint_.port(); }
  void use_tls(std::shared_ptr<TlsContext> tls);
  void close_connections();
  void pause_accepting(bool paused);

  const ServerLimits& limits() const override { return options_.limits; }
  std::shared_ptr<BodyBudget> bodies() const override { return bodies_; }
  bool answer(ConnectionPtr connection, ServerRequest request,
              std::shared_ptr<const BodyShare> body) override;
  void closed(const ConnectionPtr& connection) override;

 private:
  struct Listener {
    std::optional<Acceptor> acceptor;
    bool listening = false;
  };
  struct State {
    std::unordered_set<ConnectionPtr> connections;
    std::shared_ptr<TlsContext> tls;
    std::size_t jobs = 0;   // requests with a worker or waiting for one
    bool closing = false;   // no new connections
    bool stopping = false;  // no new requests either
  };
  // A connection that waits for its peer.
  struct Waiting {
    ConnectionPtr connection = {};
    std::int64_t since = 0;
    std::int64_t order = 0;
  };
  struct Census {
    std::size_t unproven = 0;  // all that had no answer yet
    Waiting oldest_unproven = {};
    Waiting longest_proven = {};
  };

  void accept_next();
  void accept_later();
  void accepted(Strand strand, asio::ip::tcp::socket socket);
  bool make_room(bool full);
  Census census() const;
  std::size_t most_unproven() const { return std::max<std::size_t>(options_.limits.max_connections / 2, 1); }
  void run_handler(const ConnectionPtr& connection, const ServerRequest& request);
  std::vector<ConnectionPtr> begin_stop();

  IoPool::Impl& io_;
  HttpServerOptions options_;
  const Handler handler_;
  const std::shared_ptr<BodyBudget> bodies_;
  std::shared_ptr<WorkerPool> workers_;
  asio::ip::tcp::endpoint endpoint_;
  Guarded<Listener> listener_;
  Guarded<State> state_;
  Signal changed_;  // a connection or a job ended
  SystemThreads threads_;
};

HttpServer::Impl::Impl(IoPool::Impl& io, HttpServerOptions options, Handler handler)
    : io_(io),
      options_(std::move(options)),
      handler_(std::move(handler)),
      bodies_(std::make_shared<BodyBudget>(options_.limits.max_held_body_bytes)),
      workers_(std::exchange(options_.pool, nullptr)) {
  if (!workers_) workers_ = std::make_shared<WorkerPool>(options_.name, options_.workers);
  state_.with([&](State& state) { state.tls = options_.tls; });
}

Result<void> HttpServer::Impl::listen() {
  endpoint_ = TRY(endpoint_of(options_.address, options_.port));
  Acceptor acceptor = TRY(bound(io_.context(), endpoint_));
  boost::system::error_code error;
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail(Code::Unavailable, fmt::format("listen {}: {}", endpoint_text(endpoint_), error.message()));
  endpoint_ = acceptor.local_endpoint();
  listener_.with([&](Listener& listener) {
    listener.acceptor.emplace(std::move(acceptor));
    listener.listening = true;
  });
  accept_next();
  return {};
}

void HttpServer::Impl::accept_next() {
  listener_.with([&](Listener& listener) {
    if (!listener.listening) return;
    auto strand = io_.make_strand();
    listener.acceptor->async_accept(
        strand, [self = shared_from_this(), strand](const boost::system::error_code& error, auto socket) {
          if (error == asio::error::operation_aborted) return;
          if (error == asio::error::no_descriptors || error == asio::error::no_memory)
            return self->accept_later();
          if (!error) self->accepted(strand, std::move(socket));
          self->accept_next();
        });
  });
}

void HttpServer::Impl::accept_later() {
  make_room(true);
  auto timer = std::make_shared<asio::steady_timer>(io_.context(), kAcceptPause);
  timer->async_wait(
      [self = shared_from_this(), timer](const boost::system::error_code&) { self->accept_next(); });
}

void HttpServer::Impl::accepted(Strand strand, asio::ip::tcp::socket socket) {
  boost::system::error_code gone;
  const auto remote = socket.remote_endpoint(gone);
  if (gone) return;
  const std::size_t open = state_.with([](const State& state) { return state.connections.size(); });
  if (open >= most_unproven() && !make_room(open >= options_.limits.max_connections)) {
    const auto head = render_response_head({.status = 503, .keep_alive = false});
    if (!options_.tls && head)
      ::send(socket.native_handle(), head->data(), head->size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  auto connection =
      std::make_shared<ServerConnection>(io_, shared_from_this(), std::move(strand), std::move(socket));
  const auto tls = state_.with([&](State& state) -> std::optional<std::shared_ptr<TlsContext>> {
    if (state.closing) return std::nullopt;
    state.connections.insert(connection);
    return state.tls;
  });
  if (tls) connection->start(endpoint_text(remote), *tls);
}

// Closes a connection that waits for its peer: the oldest of those that had no answer yet when they have
// their half; otherwise, when it is full, the one among the others that has waited the longest. False when it
// is full of connections that are at work.
bool HttpServer::Impl::make_room(bool full) {
  for (;;) {
    const Census seen = census();
    const bool crowded = seen.unproven >= most_unproven() && seen.oldest_unproven.connection;
    if (!full && !crowded) return true;
    const bool stranger = crowded || !seen.longest_proven.connection;
    const Waiting& victim = stranger ? seen.oldest_unproven : seen.longest_proven;
    if (!victim.connection) return false;
    if (!victim.connection->claim(victim.since)) continue;
    victim.connection->close_if_waiting();
    return true;
  }
}

HttpServer::Impl::Census HttpServer::Impl::census() const {
  return state_.with([](const State& state) {
    Census census;
    for (const auto& connection : state.connections) {
      const std::int64_t since = connection->waiting_since();  // first: it is proven before it waits again
      const bool proven = connection->is_proven();
      census.unproven += proven ? 0 : 1;
      if (since <= 0) continue;
      const Waiting waiting{.since = since, .order = proven ? since : connection->opened_at()};
      Waiting& first = proven ? census.longest_proven : census.oldest_unproven;
      if (!first.connection || waiting.order < first.order) {
        first = waiting;
        first.connection = connection;
      }
    }
    return census;
  });
}

bool HttpServer::Impl::answer(ConnectionPtr connection, ServerRequest request,
                              std::shared_ptr<const BodyShare> body) {
  const bool taken = state_.with([&](State& state) {
    if (state.stopping || state.jobs >= options_.workers + options_.limits.max_waiting_requests) return false;
    ++state.jobs;
    return true;
  });
  if (!taken) return false;
  workers_->post([self = shared_from_this(), connection = std::move(connection), request = std::move(request),
                  body = std::move(body)]() mutable {
    if (!connection->is_closed()) self->run_handler(connection, request);
    request = {};
    body.reset();
    connection.reset();
    self->state_.with([](State& state) { --state.jobs; });
    self->changed_.notify();
  });
  return true;
}

void HttpServer::Impl::run_handler(const ConnectionPtr& connection, const ServerRequest& request) {
  ConnectionResponder responder(connection);
  if (request.closed.stop_requested() && state_.with([](const State& state) { return state.stopping; }))
    return;
  try {
    handler_(request, responder);
  } catch (const std::exception& error) {
    return responder.respond({.status = 500, .body = fmt::format("{}\n", error.what())});
  }
  responder.respond({.status = 500, .body = "no answer was given\n"});  // unless there was one
}

void HttpServer::Impl::closed(const ConnectionPtr& connection) {
  state_.with([&](State& state) { state.connections.erase(connection); });
  changed_.notify();
}

std::vector<ConnectionPtr> HttpServer::Impl::begin_stop() {
  listener_.with([](Listener& listener) {
    listener.listening = false;
    listener.acceptor.reset();
  });
  return state_.with([](State& state) {
    state.closing = true;
    return std::vector(state.connections.begin(), state.connections.end());
  });
}

void HttpServer::Impl::stop() {
  state_.with([](State& state) { state.stopping = true; });
  for (const auto& connection : begin_stop()) connection->close();
  threads_.wait_until(changed_, Deadline::never(), [&] {
    return state_.with([](const State& state) { return state.connections.empty() && state.jobs == 0; });
  });
  workers_.reset();  // here and not in the destructor, which may run on one of its threads
}

void HttpServer::Impl::shut_down(const Deadline& deadline) {
  for (const auto& connection : begin_stop()) connection->wind_down();
  threads_.wait_until(changed_, deadline, [&] {
    return state_.with([](const State& state) { return state.connections.empty() && state.jobs == 0; });
  });
}

void HttpServer::Impl::use_tls(std::shared_ptr<TlsContext> tls) {
  state_.with([&](State& state) { state.tls = std::move(tls); });
}

void HttpServer::Impl::close_connections() {
  const auto open = state_.with(
      [](const State& state) { return std::vector(state.connections.begin(), state.connections.end()); });
  for (const auto& connection : open) connection->close();
}

// While paused the port stays ours: a bound socket that does not listen makes the kernel refuse.
void HttpServer::Impl::pause_accepting(bool paused) {
  const bool resumed = listener_.with([&](Listener& listener) {
    if (!listener.acceptor || listener.listening != paused) return false;
    boost::system::error_code error;
    if (paused) {
      listener.listening = false;
      listener.acceptor->close(error);
      if (auto reserved = bound(io_.context(), endpoint_)) listener.acceptor.emplace(std::move(*reserved));
      return false;
    }
    if (!listener.acceptor->is_open()) {
      auto reopened = bound(io_.context(), endpoint_);
      if (!reopened) return false;
      listener.acceptor.emplace(std::move(*reopened));
    }
    listener.acceptor->listen(asio::socket_base::max_listen_connections, error);
    listener.listening = !error;
    return listener.listening;
  });
  if (resumed) accept_next();
}

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { impl_->stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::listen(IoPool& io, HttpServerOptions options,
                                                       Handler handler) {
  auto impl = std::make_shared<Impl>(io.impl(), std::move(options), std::move(handler));
  TRY(impl->listen());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::shut_down(const Deadline& deadline) { impl_->shut_down(deadline); }
void HttpServer::use_tls(std::shared_ptr<TlsContext> tls) { impl_->use_tls(std::move(tls)); }
void HttpServer::close_connections() { impl_->close_connections(); }
void HttpServer::pause_accepting(bool paused) { impl_->pause_accepting(paused); }

}  // namespace capstan::net
