#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/base64.h"
#include "base/guarded.h"
#include "base/try.h"
#include "net/client_connection.h"
#include "net/exchange.h"
#include "net/http_render.h"
#include "net/io_pool_impl.h"
#include "net/url.h"

namespace capstan::net {
namespace {

bool is_safe(std::string_view method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

class StreamHandle final : public HttpStreamHandle {
 public:
  explicit StreamHandle(std::shared_ptr<StreamExchange> exchange) : exchange_(std::move(exchange)) {}
  ~StreamHandle() override {
    exchange_->cancel();
    if (const auto connection = exchange_->connection()) connection->give_up(exchange_);
  }

 private:
  std::shared_ptr<StreamExchange> exchange_;
};

}  // namespace

class HttpClient::Impl final : public ConnectionOwner, public std::enable_shared_from_this<HttpClient::Impl> {
 public:
  Impl(IoPool::Impl& io, HttpClientOptions options);

  Result<HttpResponse> request(const HttpRequest& request, const Deadline& deadline);
  std::unique_ptr<HttpStreamHandle> stream(HttpRequest request, StreamLimits limits, HttpStreamSink& sink);
  void use_tls(std::shared_ptr<TlsContext> tls);
  void close();

  void released(const std::shared_ptr<ClientConnection>& connection) override;
  void discarded(const std::shared_ptr<ClientConnection>& connection) override;
  bool forget_idle(const std::shared_ptr<ClientConnection>& connection) override;
  void again(std::shared_ptr<Exchange> exchange) override;

 private:
  using ConnectionPtr = std::shared_ptr<ClientConnection>;
  struct Pool {
    std::shared_ptr<const DialTarget> target;
    std::uint64_t generation = 0;
    std::vector<ConnectionPtr> idle;  // the one used last at the back
    std::size_t open = 0;             // counted connections, idle ones included
    std::deque<std::shared_ptr<RequestExchange>> waiting;
    bool closed = false;
  };

  Result<std::string> wire_of(HttpRequest request) const;
  ConnectionPtr place(const std::shared_ptr<RequestExchange>& exchange);
  void place_stream(const std::shared_ptr<Exchange>& exchange);
  ConnectionPtr new_connection(Pool& pool, bool counted);
  static ConnectionPtr take_idle(Pool& pool);
  static std::shared_ptr<RequestExchange> next_waiting(Pool& pool);
  void give_up(const std::shared_ptr<RequestExchange>& exchange);
  std::string where(const HttpRequest& request) const;

  IoPool::Impl& io_;
  const HttpClientOptions options_;
  Result<std::optional<Url>> proxy_;
  Guarded<Pool> pool_;
};

namespace {

Result<std::optional<Url>> proxy_of(const Origin& origin) {
  if (origin.proxy_url.empty()) return std::optional<Url>();
  auto url = parse_url(origin.proxy_url);
  if (!url) return fail(url.error().context("proxy"));
  if (url->scheme != "http") {
    return fail(Code::Invalid,
                fmt::format("proxy {}://{}: only http proxies are supported", url->scheme, url->host));
  }
  return std::optional<Url>(std::move(*url));
}

}  // namespace

HttpClient::Impl::Impl(IoPool::Impl& io, HttpClientOptions options)
    : io_(io), options_(std::move(options)), proxy_(proxy_of(options_.origin)) {
  pool_.with([&](Pool& pool) {
    pool.target = std::make_shared<const DialTarget>(
        DialTarget{.origin = options_.origin,
                   .tls = options_.origin.scheme == "https" ? options_.tls : nullptr,
                   .proxy = proxy_ ? *proxy_ : std::nullopt,
                   .timeout = options_.connect_timeout,
                   .rules = options_.rules,
                   .proxy_is_ours = options_.proxy_is_ours});
  });
}

Result<HttpResponse> HttpClient::Impl::request(const HttpRequest& request, const Deadline& deadline) {
  if (deadline.stopped()) return fail(Code::Cancelled, where(request) + ": stopped before it was sent");
  const ExchangeRules rules = {.safe = is_safe(request.method),
                               .no_body = request.method == "HEAD",
                               .max_body_bytes = request.max_body_bytes};
  const auto exchange = std::make_shared<RequestExchange>(TRY(wire_of(request)), rules);
  for (auto connection = place(exchange);;) {
    if (connection) connection->serve(exchange, deadline);
    connection = exchange->wait(deadline);
    if (!connection) break;
  }
  auto answer = exchange->answer();
  if (answer || !exchange->abandoned()) return answer;
  give_up(exchange);
  return fail(answer.error().context(where(request)));
}

std::unique_ptr<HttpStreamHandle> HttpClient::Impl::stream(HttpRequest request, StreamLimits limits,
                                                           HttpStreamSink& sink) {
  const ExchangeRules rules = {.safe = is_safe(request.method),
                               .no_body = request.method == "HEAD",
                               .stream = true,
                               .silent_after = limits.silent_after};
  auto wire = wire_of(std::move(request));
  const auto exchange =
      std::make_shared<StreamExchange>(wire ? std::move(*wire) : std::string(), rules, sink);
  if (wire) {
    place_stream(exchange);
  } else {
    asio::post(io_.context(),
               [exchange, error = std::move(wire).error()] { exchange->on_done(fail(error)); });
  }
  return std::make_unique<StreamHandle>(exchange);
}

// Through a proxy without TLS the request line names the whole URL, and the proxy wants its password with
// every request.
Result<std::string> HttpClient::Impl::wire_of(HttpRequest request) const {
  const Origin& origin = options_.origin;
  if (!proxy_) return fail(proxy_.error());
  if (origin.scheme != "https" && origin.scheme != "http") {
    return fail(Code::Invalid, fmt::format("origin {}://{}: unknown scheme", origin.scheme, origin.host));
  }
  const bool secured = pool_.with([](const Pool& pool) { return pool.target->tls != nullptr; });
  if (origin.scheme == "https" && !secured) {
    return fail(Code::Invalid, "https origin " + origin.host + " without a TLS context");
  }
  const bool usual =
      (origin.scheme == "https" && origin.port == "443") || (origin.scheme == "http" && origin.port == "80");
  const bool v6 = origin.host.find(':') != origin.host.npos;
  const std::string host = !usual ? host_and_port(origin.host, origin.port)
                           : v6   ? "[" + origin.host + "]"
                                  : origin.host;
  if (const auto& proxy = *proxy_; proxy && origin.scheme == "http") {
    if (request.target.starts_with('/')) request.target = "http://" + host + request.target;
    if (proxy->has_credentials) {
      request.headers.emplace_back("Proxy-Authorization",
                                   "Basic " + base64_encode(proxy->user + ":" + proxy->password));
    }
  }
  return render_request(request, host);
}

// An idle connection for the caller to be served on; or none: it is being dialled, or will be offered.
HttpClient::Impl::ConnectionPtr HttpClient::Impl::place(const std::shared_ptr<RequestExchange>& exchange) {
  ConnectionPtr fresh;
  auto idle = pool_.with([&](Pool& pool) {
    auto taken = take_idle(pool);
    if (taken) return taken;
    if (pool.open < options_.max_connections) {
      fresh = new_connection(pool, true);
    } else {
      pool.waiting.push_back(exchange);
    }
    return taken;
  });
  if (fresh) fresh->run(exchange);
  return idle;
}

// Streams last long, so they never wait for a free connection and do not count as one; but they gladly take
// an idle one.
void HttpClient::Impl::place_stream(const std::shared_ptr<Exchange>& exchange) {
  const ConnectionPtr connection = pool_.with([&](Pool& pool) {
    auto idle = take_idle(pool);
    if (!idle) return new_connection(pool, false);
    --pool.open;
    idle->counted = false;
    return idle;
  });
  connection->run(exchange);
}

HttpClient::Impl::ConnectionPtr HttpClient::Impl::new_connection(Pool& pool, bool counted) {
  auto made = std::make_shared<ClientConnection>(io_, shared_from_this(), pool.target, options_.idle_timeout,
                                                 pool.generation);
  made->counted = counted;
  if (counted) ++pool.open;
  return made;
}

HttpClient::Impl::ConnectionPtr HttpClient::Impl::take_idle(Pool& pool) {
  if (pool.idle.empty()) return nullptr;
  auto taken = std::move(pool.idle.back());
  pool.idle.pop_back();
  return taken;
}

std::shared_ptr<RequestExchange> HttpClient::Impl::next_waiting(Pool& pool) {
  while (!pool.waiting.empty()) {
    auto next = std::move(pool.waiting.front());
    pool.waiting.pop_front();
    if (!next->abandoned()) return next;
  }
  return nullptr;
}

void HttpClient::Impl::give_up(const std::shared_ptr<RequestExchange>& exchange) {
  pool_.with([&](Pool& pool) { std::erase(pool.waiting, exchange); });
  if (const auto connection = exchange->connection()) connection->give_up(exchange);
}

void HttpClient::Impl::released(const std::shared_ptr<ClientConnection>& connection) {
  bool unwanted = false;
  for (;;) {
    const auto next = pool_.with([&](Pool& pool) -> std::shared_ptr<RequestExchange> {
      unwanted = pool.closed || connection->generation() != pool.generation ||
                 (!connection->counted && pool.open >= options_.max_connections);
      if (unwanted) return nullptr;
      if (!std::exchange(connection->counted, true)) ++pool.open;
      auto waiting = next_waiting(pool);
      if (!waiting) pool.idle.push_back(connection);
      return waiting;
    });
    if (!next || next->offer(connection)) break;
  }
  if (!unwanted) return;
  connection->close();
  discarded(connection);
}

void HttpClient::Impl::discarded(const std::shared_ptr<ClientConnection>& connection) {
  ConnectionPtr fresh;
  auto next = pool_.with([&](Pool& pool) -> std::shared_ptr<RequestExchange> {
    if (std::exchange(connection->counted, false)) --pool.open;
    if (pool.open >= options_.max_connections) return nullptr;
    auto waiting = next_waiting(pool);
    if (waiting) fresh = new_connection(pool, true);
    return waiting;
  });
  if (next) fresh->run(std::move(next));
}

bool HttpClient::Impl::forget_idle(const std::shared_ptr<ClientConnection>& connection) {
  return pool_.with([&](Pool& pool) {
    if (std::erase(pool.idle, connection) == 0) return false;
    if (std::exchange(connection->counted, false)) --pool.open;
    return true;
  });
}

void HttpClient::Impl::again(std::shared_ptr<Exchange> exchange) {
  const ConnectionPtr connection =
      pool_.with([&](Pool& pool) { return new_connection(pool, !exchange->rules().stream); });
  connection->run(std::move(exchange));
}

void HttpClient::Impl::use_tls(std::shared_ptr<TlsContext> tls) {
  if (options_.origin.scheme != "https") return;
  const auto old = pool_.with([&](Pool& pool) {
    DialTarget target = *pool.target;
    target.tls = std::move(tls);
    pool.target = std::make_shared<const DialTarget>(std::move(target));
    ++pool.generation;
    for (const auto& connection : pool.idle) connection->counted = false;
    pool.open -= pool.idle.size();
    return std::exchange(pool.idle, {});
  });
  for (const auto& connection : old) connection->close();
}

void HttpClient::Impl::close() {
  const auto old = pool_.with([](Pool& pool) {
    pool.closed = true;
    pool.open -= pool.idle.size();
    return std::exchange(pool.idle, {});
  });
  for (const auto& connection : old) connection->close();
}

std::string HttpClient::Impl::where(const HttpRequest& request) const {
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  return fmt::format("{} {}{}", request.method, host_and_port(options_.origin.host, options_.origin.port),
                     path);
}

HttpClient::HttpClient(IoPool& io, HttpClientOptions options)
    : impl_(std::make_shared<Impl>(io.impl(), std::move(options))) {}

HttpClient::~HttpClient() { impl_->close(); }

Result<HttpResponse> HttpClient::request(const HttpRequest& request, const Deadline& deadline) {
  return impl_->request(request, deadline);
}

std::unique_ptr<HttpStreamHandle> HttpClient::stream(HttpRequest request, StreamLimits limits,
                                                     HttpStreamSink& sink) {
  return impl_->stream(std::move(request), limits, sink);
}

void HttpClient::use_tls(std::shared_ptr<TlsContext> tls) { impl_->use_tls(std::move(tls)); }

}  // namespace capstan::net
