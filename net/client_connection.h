// Internal to net/: includes Asio. One connection to an origin, one exchange at a time, one strand, one
// outstanding read. It dials when it has to, hands itself back to its pool after an exchange, and closes
// itself when idle for too long.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "base/clock.h"
#include "net/dial.h"
#include "net/exchange.h"
#include "net/http_parser.h"
#include "net/transport.h"

namespace capstan::net {

class ClientConnection;

// What a connection asks of the pool that made it. Called on the connection's strand.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual void released(const std::shared_ptr<ClientConnection>& connection) = 0;   // usable again
  virtual void discarded(const std::shared_ptr<ClientConnection>& connection) = 0;  // closed
  virtual bool forget_idle(
      const std::shared_ptr<ClientConnection>& connection) = 0;  // false: it was just taken
  virtual void again(std::shared_ptr<Exchange> exchange) = 0;    // on a new connection
};

class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(IoPool::Impl& io, std::shared_ptr<ConnectionOwner> owner,
                   std::shared_ptr<const DialTarget> target, Nanoseconds idle_timeout,
                   std::uint64_t generation);

  // From any thread.
  void run(std::shared_ptr<Exchange> exchange);
  void give_up(std::shared_ptr<Exchange> exchange);
  void close();

  std::uint64_t generation() const { return generation_; }  // of the TLS context it was dialled with
  bool counted = false;  // guarded by the pool: does it count against max_connections

 private:
  void begin(std::shared_ptr<Exchange> exchange);
  bool still_alive();
  void dial();
  void send();
  void write_more();
  void could_not_write(IoStatus status);
  void wait_write(IoStatus want);
  void wait_read(IoStatus want);
  void on_readable();
  void read_failed();
  bool take(std::string_view bytes);
  void peer_closed();
  void answer_complete(std::size_t left_over);
  void become_idle();
  void broke(Error error);
  void finish(Result<void> outcome, bool reusable);
  void disconnect();
  void watch_silence();
  void arm_timer(SteadyTime at);
  void on_timer();
  SteadyTime now() const { return SystemClock().steady_now(); }
  std::string peer() const { return host_and_port(target_->origin.host, target_->origin.port); }

  IoPool::Impl& io_;
  std::shared_ptr<ConnectionOwner> owner_;
  std::shared_ptr<const DialTarget> target_;
  const Nanoseconds idle_timeout_;
  const std::uint64_t generation_;
  Strand strand_;
  asio::steady_timer timer_;
  std::shared_ptr<Dial> dial_;
  std::unique_ptr<Transport> transport_;
  std::uint64_t epoch_ = 0;  // of transport_: a late readiness of an older socket is ignored
  bool reading_ = false;     // a read wait is outstanding
  bool writing_ = false;     // a write wait is outstanding
  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<MessageParser> parser_;
  std::size_t written_ = 0;
  std::optional<Error> write_error_;
  bool reused_ = false;    // the transport has served an exchange before
  bool answered_ = false;  // a byte of the answer has come
  int informational_ = 0;  // 1xx answers so far
  bool head_given_ = false;
  bool keep_alive_ = false;  // what that head said
  SteadyTime last_byte_ = {};
  SteadyTime idle_since_ = {};
  bool timer_armed_ = false;
};

}  // namespace capstan::net
