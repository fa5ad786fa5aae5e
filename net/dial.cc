#include "net/dial.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cctype>
#include <cstring>

#include "base/base64.h"
#include "net/address_rules.h"

namespace capstan::net {
namespace {

constexpr std::size_t kMaxEndpoints = 8;
constexpr auto kLongestTurn = std::chrono::milliseconds(200);  // in the handshake gate

std::string lower_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

// Blocks: runs on a lookup thread.
Result<std::vector<asio::ip::tcp::endpoint>> look_up(const std::string& host, const std::string& port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
  if (error != 0) return fail(Code::Unavailable, lower_first(gai_strerror(error)));
  const std::unique_ptr<addrinfo, FreeWith<freeaddrinfo>> owned(found);
  std::vector<asio::ip::tcp::endpoint> endpoints;
  for (const addrinfo* one = found; one != nullptr && endpoints.size() < kMaxEndpoints; one = one->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (one->ai_addrlen > endpoint.capacity()) continue;
    endpoint.resize(one->ai_addrlen);
    std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
    endpoints.push_back(endpoint);
  }
  if (endpoints.empty()) return fail(Code::Unavailable, "no address");
  return endpoints;
}

IpAddress ip_address(const asio::ip::tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  if (address.is_v6()) return {.bytes = address.to_v6().to_bytes()};
  return {.bytes = asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes()};
}

// A peer that vanished without a word is noticed within two minutes even when we have nothing to say.
void watch_for_silence(asio::ip::tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const int fd = socket.native_handle();
  for (const auto& [option, value] : {std::pair{TCP_KEEPIDLE, 30}, {TCP_KEEPINTVL, 30}, {TCP_KEEPCNT, 3}}) {
    ::setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value);
  }
}

}  // namespace

Dial::Dial(IoPool::Impl& io, Strand strand, std::shared_ptr<const DialTarget> target)
    : io_(io),
      strand_(std::move(strand)),
      target_(std::move(target)),
      timer_(strand_),
      turn_timer_(strand_) {}

void Dial::start(Done done) {
  done_ = std::move(done);
  timer_.expires_after(target_->timeout);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || !self->done_) return;
    const auto limit = std::chrono::duration<double>(self->target_->timeout).count();
    self->fail_here(Code::Timeout, fmt::format("no answer within {}s", limit));
  });
  resolve();
}

void Dial::cancel() {
  done_ = nullptr;
  release_gate();
  timer_.cancel();
  turn_timer_.cancel();
  socket_.reset();
  transport_.reset();
}

void Dial::resolve() {
  const std::string& host = target_->proxy ? target_->proxy->host : target_->origin.host;
  const std::string& port = target_->proxy ? target_->proxy->port : target_->origin.port;
  boost::system::error_code no_literal;
  const auto address = asio::ip::make_address(host, no_literal);
  unsigned long number = 0;
  for (const char c : port)
    number = c >= '0' && c <= '9' && number < 65536 ? number * 10 + static_cast<unsigned>(c - '0') : 65536;
  if (port.empty() || number > 65535) return fail_here(Code::Invalid, "the port is no number");
  if (const auto why = why_denied_by_name()) return denied(*why);
  if (!no_literal) return resolved(Endpoints{{address, static_cast<unsigned short>(number)}});
  io_.lookups().post([self = shared_from_this(), host, port]() mutable {
    auto found = look_up(host, port);
    asio::post(self->strand_,
               [self, found = std::move(found)]() mutable { self->resolved(std::move(found)); });
  });
}

void Dial::resolved(Result<Endpoints> found) {
  if (!done_) return;
  if (!found) return fail_here(found.error().code, found.error().message);
  step_ = Step::Connect;
  std::optional<std::string> why;
  for (const auto& endpoint : *found) {
    if (auto here = why_denied_here(endpoint))
      why = std::move(here);
    else
      endpoints_.push_back(endpoint);
  }
  if (endpoints_.empty() && why) return denied(*why);
  connect_next();
}

// Of an origin that a proxy looks up nothing more can be said than what its name says.
std::optional<std::string> Dial::why_denied_by_name() const {
  if (!target_->rules || !target_->proxy) return {};
  if (!target_->tls) return "plain http is not sent through a proxy";
  const auto literal = literal_address(target_->origin.host);
  return literal ? why_denied(*target_->rules, *literal) : std::nullopt;
}

std::optional<std::string> Dial::why_denied_here(const asio::ip::tcp::endpoint& endpoint) const {
  if (!target_->rules || (target_->proxy && target_->proxy_is_ours)) return {};
  const IpAddress address = ip_address(endpoint);
  if (auto why = why_denied(*target_->rules, address)) return why;
  if (target_->tls || target_->proxy) return {};
  if (is_loopback(address) && target_->rules->plain_http_on_loopback) return {};
  return fmt::format("plain http is not spoken to {}", to_string(address));
}

void Dial::connect_next() {
  socket_.emplace(strand_);
  if (next_endpoint_ + 1 < endpoints_.size()) limit_turn();
  const auto answered = [self = shared_from_this(),
                         turn = next_endpoint_](const boost::system::error_code& error) {
    if (!self->done_ || turn != self->next_endpoint_) return;
    if (error) return self->try_another(error);
    self->turn_timer_.cancel();
    self->connected();
  };
  socket_->async_connect(endpoints_[next_endpoint_], answered);
}

// An address that does not answer at all may not use up the time of the others.
void Dial::limit_turn() {
  turn_timer_.expires_after(target_->timeout / endpoints_.size());
  turn_timer_.async_wait(
      [self = shared_from_this(), turn = next_endpoint_](const boost::system::error_code& error) {
        if (!error && self->done_ && turn == self->next_endpoint_ && self->step_ == Step::Connect) {
          self->try_another(asio::error::timed_out);
        }
      });
}

void Dial::try_another(const boost::system::error_code& why) {
  if (++next_endpoint_ < endpoints_.size()) return connect_next();
  fail_here(why == asio::error::timed_out ? Code::Timeout : Code::Unavailable, lower_first(why.message()));
}

void Dial::connected() {
  watch_for_silence(*socket_);
  transport_ = std::make_unique<Transport>(std::move(*socket_));
  socket_.reset();
  // Plain HTTP through a proxy needs no tunnel: the request names the origin itself.
  if (target_->proxy && target_->tls) return ask_proxy();
  begin_handshake();
}

void Dial::ask_proxy() {
  step_ = Step::Proxy;
  const std::string origin = host_and_port(target_->origin.host, target_->origin.port);
  proxy_request_ = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", origin);
  if (target_->proxy->has_credentials) {
    proxy_request_ += "Proxy-Authorization: Basic " +
                      base64_encode(target_->proxy->user + ":" + target_->proxy->password) + "\r\n";
  }
  proxy_request_ += "\r\n";
  proxy_answer_ =
      std::make_unique<MessageParser>(MessageParser::Role::Response, MessageLimits{.head_bytes = 16U << 10});
  proxy_answer_->expect_no_body();
  write_to_proxy();
}

void Dial::write_to_proxy() {
  while (!proxy_request_.empty()) {
    const IoOutcome io = transport_->write(proxy_request_);
    if (io.status == IoStatus::WantWrite) {
      return transport_->wait(io.status, [self = shared_from_this()] {
        if (self->done_) self->write_to_proxy();
      });
    }
    if (io.status != IoStatus::Done) return fail_here(Code::Unavailable, "connection closed");
    proxy_request_.erase(0, io.bytes);
  }
  read_from_proxy();
}

void Dial::read_from_proxy() {
  for (;;) {
    // One byte at a time: what follows the answer belongs to TLS, and this happens once per connection.
    char byte = 0;
    const IoOutcome io = transport_->read({&byte, 1});
    if (io.status == IoStatus::WantRead) {
      return transport_->wait(io.status, [self = shared_from_this()] {
        if (self->done_) self->read_from_proxy();
      });
    }
    if (io.status != IoStatus::Done) return fail_here(Code::Unavailable, "connection closed");
    if (proxy_answered({&byte, 1})) return;
  }
}

bool Dial::proxy_answered(std::string_view bytes) {
  switch (proxy_answer_->next(bytes).event) {
    case MessageParser::Event::NeedMore: return false;
    case MessageParser::Event::Head: {
      const int status = proxy_answer_->head().status;
      if (status / 100 == 2)
        begin_handshake();
      else
        fail_here(status == 407 ? Code::Unauthorized : Code::Unavailable,
                  fmt::format("the proxy answered {}", status));
      return true;
    }
    case MessageParser::Event::Body:
    case MessageParser::Event::End:
    case MessageParser::Event::Fault: break;
  }
  fail_here(Code::Unavailable, proxy_answer_->fault_text());
  return true;
}

void Dial::begin_handshake() {
  if (!target_->tls) return finish(std::move(transport_));
  step_ = Step::Handshake;
  io_.handshakes().wait(
      [self = shared_from_this()] { asio::post(self->strand_, [self] { self->entered_gate(); }); });
}

// A peer that keeps us waiting may not keep others waiting: its place is free again after a moment.
void Dial::entered_gate() {
  in_gate_ = true;
  if (!done_) return release_gate();
  turn_timer_.expires_after(kLongestTurn);
  turn_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->release_gate();
  });
  const Origin& origin = target_->origin;
  auto begun = transport_->begin_tls(
      target_->tls->client(origin.server_name.empty() ? origin.host : origin.server_name));
  if (!begun) return fail_here(begun.error().code, begun.error().message);
  handshake();
}

void Dial::handshake() {
  const IoOutcome io = transport_->handshake();
  switch (io.status) {
    case IoStatus::Done: return finish(std::move(transport_));
    case IoStatus::Closed: return fail_here(Code::Unavailable, "connection closed");
    case IoStatus::Failed: return fail_here(transport_->failure().code, transport_->failure().message);
    case IoStatus::WantRead:
    case IoStatus::WantWrite: break;
  }
  transport_->wait(io.status, [self = shared_from_this()] {
    if (self->done_) self->handshake();
  });
}

void Dial::release_gate() {
  if (!std::exchange(in_gate_, false)) return;
  turn_timer_.cancel();
  io_.handshakes().release();
}

void Dial::finish(Result<std::unique_ptr<Transport>> result) {
  if (!done_) return;
  release_gate();
  auto done = std::exchange(done_, nullptr);
  timer_.cancel();
  turn_timer_.cancel();
  socket_.reset();
  if (!result) transport_.reset();
  done(std::move(result));
}

void Dial::fail_here(Code code, std::string_view why) {
  finish(fail(code, fmt::format("{}: {}", here(), why)));
}

void Dial::denied(std::string_view why) {
  step_ = Step::Connect;
  finish(fail({.code = Code::Unavailable,
               .message = fmt::format("{}: {}", here(), why),
               .reason = std::string(kAddressDenied)}));
}

std::string Dial::here() const {
  const std::string origin = host_and_port(target_->origin.host, target_->origin.port);
  std::string first = target_->proxy ? host_and_port(target_->proxy->host, target_->proxy->port) : origin;
  switch (step_) {
    case Step::Resolve: return "resolve " + first;
    case Step::Connect: return "connect " + first;
    case Step::Proxy: return fmt::format("connect {} through proxy {}", origin, first);
    case Step::Handshake: return "tls handshake " + origin;
  }
  return first;
}

}  // namespace capstan::net
