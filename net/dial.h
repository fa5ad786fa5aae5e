// Internal to net/: includes Asio. One attempt to reach an origin: look up, connect, proxy, TLS handshake,
// within one time limit. Everything runs on the strand it is given; ends in exactly one call of `done`, none
// after cancel().
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/http_client.h"
#include "net/http_parser.h"
#include "net/io_pool_impl.h"
#include "net/tls_context.h"
#include "net/transport.h"
#include "net/url.h"

namespace capstan::net {

struct DialTarget {
  Origin origin = {};
  std::shared_ptr<TlsContext> tls = {};  // null: plain
  std::optional<Url> proxy = {};
  Nanoseconds timeout = std::chrono::seconds(10);
  std::optional<AddressRules> rules = {};
  bool proxy_is_ours = true;
};

class Dial : public std::enable_shared_from_this<Dial> {
 public:
  using Done = std::move_only_function<void(Result<std::unique_ptr<Transport>>)>;

  Dial(IoPool::Impl& io, Strand strand, std::shared_ptr<const DialTarget> target);

  void start(Done done);
  void cancel();

 private:
  using Endpoints = std::vector<asio::ip::tcp::endpoint>;
  enum class Step { Resolve, Connect, Proxy, Handshake };

  void resolve();
  std::optional<std::string> why_denied_by_name() const;
  void resolved(Result<Endpoints> found);
  std::optional<std::string> why_denied_here(const asio::ip::tcp::endpoint& endpoint) const;
  void connect_next();
  void limit_turn();
  void try_another(const boost::system::error_code& why);
  void connected();
  void ask_proxy();
  void write_to_proxy();
  void read_from_proxy();
  bool proxy_answered(std::string_view bytes);
  void begin_handshake();
  void entered_gate();
  void release_gate();
  void handshake();
  void finish(Result<std::unique_ptr<Transport>> result);
  void fail_here(Code code, std::string_view why);
  void denied(std::string_view why);
  std::string here() const;  // "connect 127.0.0.1:6443"

  IoPool::Impl& io_;
  Strand strand_;
  std::shared_ptr<const DialTarget> target_;
  Done done_;
  Step step_ = Step::Resolve;
  asio::steady_timer timer_;
  asio::steady_timer turn_timer_;  // of one address, or in the handshake gate
  bool in_gate_ = false;
  Endpoints endpoints_;
  std::size_t next_endpoint_ = 0;
  std::optional<asio::ip::tcp::socket> socket_;
  std::unique_ptr<Transport> transport_;
  std::string proxy_request_;
  std::unique_ptr<MessageParser> proxy_answer_;
};

}  // namespace capstan::net
