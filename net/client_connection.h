// Internal to net/: includes Asio. One connection to an origin, one exchange at a time. On its strand it
// dials and runs streams, with one outstanding read. After an exchange it parks, which takes its socket off
// the io thread, and hands itself back to its pool: a worker that takes it from there is served on its own
// thread, and no other thread wakes for it. It closes itself when idle for too long.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "net/dial.h"
#include "net/exchange.h"
#include "net/http_parser.h"
#include "net/transport.h"

namespace capstan::net {

class ClientConnection;

// What a connection asks of the pool that made it. Called on the connection's strand, or on the thread of
// the worker it serves.
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

  // The caller waits for the answer anyway, and has this connection from the pool: the exchange is over at
  // the return, or goes on elsewhere because the connection was closed meanwhile. With the deadline it just
  // ends.
  void serve(std::shared_ptr<RequestExchange> exchange, const Deadline& deadline);
  // From any thread.
  void run(std::shared_ptr<Exchange> exchange);
  void give_up(std::shared_ptr<Exchange> exchange);
  void close();

  std::uint64_t generation() const { return generation_; }  // of the TLS context it was dialled with
  bool counted = false;  // guarded by the pool: does it count against max_connections

 private:
  using Cut = std::stop_callback<std::function<void()>>;

  void begin(std::shared_ptr<Exchange> exchange);
  void take_on(std::shared_ptr<Exchange> exchange);
  bool prepare();
  void drive(const Deadline& deadline);
  void abandon();
  IoStatus push();
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
  bool park();
  bool unpark();
  void retire();
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
  std::weak_ptr<Dial> dial_;  // which holds us until it is done
  std::unique_ptr<Transport> transport_;
  // Set on the strand; while it is, all below belongs to the worker that the pool gave it to.
  bool parked_ = false;
  std::uint64_t epoch_ = 0;  // of transport_: a late timer of an older socket is ignored
  std::uint64_t watch_ = 0;  // of its being watched by the io thread: so is a late readiness
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
  std::optional<Cut> cut_;
  std::atomic<SteadyTime> idle_since_ = SteadyTime();
  bool timer_armed_ = false;  // strand only
};

}  // namespace capstan::net
