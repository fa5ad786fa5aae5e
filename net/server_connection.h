// Internal to net/: includes Asio. One accepted connection: parses requests one after the other, has them
// answered on the server's workers, writes answers and streams. Everything runs on its strand; responders and
// streams post to it.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "net/http_parser.h"
#include "net/http_render.h"
#include "net/http_server.h"
#include "net/io_pool_impl.h"
#include "net/tls_context.h"
#include "net/transport.h"

namespace capstan::net {

class ServerConnection;

// The bytes of request bodies that a server holds, small ones not counted: many large bodies must not keep
// those out. A connection is proven once it has had an answer; the others together get half. Safe from any
// thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t limit) : limit_(limit) {}
  bool take(std::size_t bytes, bool proven);
  void give_back(std::size_t bytes, bool proven);

 private:
  struct Held {
    std::size_t all = 0;
    std::size_t unproven = 0;
  };
  const std::size_t limit_;
  Guarded<Held> held_;
};

// One body's part of the budget, given back at the end. Held by its connection until the answer is written,
// and with the request; reached from the connection's strand.
class BodyShare {
 public:
  BodyShare(std::shared_ptr<BodyBudget> budget, bool proven) : budget_(std::move(budget)), proven_(proven) {}
  ~BodyShare() { budget_->give_back(taken_, proven_); }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  bool reaches(std::size_t body_bytes);  // false: the server holds too much already

 private:
  const std::shared_ptr<BodyBudget> budget_;
  const bool proven_;
  std::size_t taken_ = 0;
};

// A body that is still arriving, in blocks of one size: grown by copies, bodies that never end would take
// twice their room and leave the heap full of holes. Used on one strand.
class ArrivingBody {
 public:
  void expect(std::uint64_t bytes);  // makes room for what is announced, within reason
  void append(std::string_view bytes);
  std::size_t size() const { return size_; }
  std::string take();
  void clear();

 private:
  std::vector<std::string> blocks_;
  std::size_t size_ = 0;
};

// What a connection asks of its server. Called on the connection's strand.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const ServerLimits& limits() const = 0;
  virtual std::shared_ptr<BodyBudget> bodies() const = 0;
  virtual bool answer(std::shared_ptr<ServerConnection> connection, ServerRequest request,
                      std::shared_ptr<const BodyShare> body) = 0;  // false: too busy
  virtual void closed(const std::shared_ptr<ServerConnection>& connection) = 0;
};

// What a handler's stream and its connection share: bytes on their way, framed already.
class StreamBacklog {
 public:
  explicit StreamBacklog(std::size_t limit, bool chunked, bool mute)
      : limit_(limit), chunked_(chunked), mute_(mute) {}

  enum class Pushed { Quiet, Wake, Refused };
  Pushed push(std::string_view bytes);  // Wake: tell the connection
  bool end();                           // true: tell the connection
  void cut();                           // nothing that waits goes out any more, not even the end
  bool overflowed() const;

  // The connection's side.
  struct Batch {
    std::string bytes = {};
    bool last = false;
  };
  Batch take();
  void written(std::size_t bytes);
  void close();      // the peer is gone: nothing more is taken, the owner is called
  void wind_down();  // the server stops: what is here still goes out, the owner is called
  void on_closed(std::function<void()> callback, IoPool::Impl& io);

 private:
  struct State {
    std::string bytes;
    std::size_t unwritten = 0;  // with what the connection has taken and not yet written
    bool woken = false;
    bool ended = false;
    bool gone = false;
    bool overflow = false;
    std::function<void()> callback;
  };
  const std::size_t limit_;
  const bool chunked_;
  const bool mute_;  // the answer to HEAD
  Guarded<State> state_;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(IoPool::Impl& io, std::shared_ptr<ConnectionHost> host, Strand strand,
                   asio::ip::tcp::socket socket);

  // From any thread.
  void start(std::string remote, std::shared_ptr<TlsContext> tls);
  void close();
  void wind_down();  // finish what is being answered, then close
  void respond(HttpResponse response);
  std::shared_ptr<ResponseStream> begin_stream(int status, Headers headers);
  void flush_stream();
  void close_if_waiting();
  // Steady nanoseconds since when the peer is waited for: to speak, to go on, or to read its answer. 0 while
  // its request is with a handler or a stream is open, less once it is claimed.
  std::int64_t waiting_since() const { return waiting_since_; }
  bool claim(std::int64_t since) { return waiting_since_.compare_exchange_strong(since, kClaimed); }
  std::int64_t opened_at() const { return opened_at_; }
  bool is_proven() const { return proven_; }
  bool is_closed() const { return closed_; }

 private:
  enum class Phase { Handshake, Head, Body, Answering, Lingering, Closed };
  static constexpr std::int64_t kClaimed = -1;

  void wait_for_peer();
  void handshake();
  void await_request();
  void wait_read(IoStatus want);
  void on_readable();
  bool take(std::string_view bytes);
  bool feed(std::string_view bytes);
  bool body_grows(std::string_view bytes);
  bool head_complete();
  void request_complete(std::string_view rest);
  void peer_closed();
  void refuse(int status, std::string_view why);
  static int status_of(MessageFault fault);
  void answer_with(HttpResponse response);
  void open_stream(int status, const Headers& headers, BodyFraming framing,
                   std::shared_ptr<StreamBacklog> backlog);
  void write_more();
  bool write_front();
  bool pull_stream();
  void wait_write(IoStatus want);
  void answer_sent();
  void linger();
  void shut();
  void limit_time(Nanoseconds span);
  void no_time_limit();
  void arm_timer();
  void on_timer();
  SteadyTime now() const { return SystemClock().steady_now(); }

  IoPool::Impl& io_;
  std::shared_ptr<ConnectionHost> host_;
  Strand strand_;
  asio::steady_timer timer_;
  Transport transport_;
  MessageParser parser_;
  Phase phase_ = Phase::Handshake;
  std::string remote_;
  std::optional<PeerIdentity> peer_;
  ServerRequest request_;
  ArrivingBody body_;
  std::stop_source gone_{std::nostopstate};
  std::string unread_;  // bytes of the next request that came with this one
  bool reading_ = false;
  bool writing_ = false;
  bool peer_done_ = false;  // the peer will send nothing more
  bool keep_alive_ = true;
  bool winding_down_ = false;
  bool head_request_ = false;
  bool http10_ = false;
  bool answered_ = false;  // the head of the answer has been queued
  std::deque<std::string> out_;
  std::size_t out_offset_ = 0;
  std::shared_ptr<StreamBacklog> stream_;
  std::size_t stream_taken_ = 0;  // bytes of the stream in out_
  bool stream_last_ = false;      // its end is in out_
  SteadyTime due_ = SteadyTime::max();
  bool timer_armed_ = false;
  std::shared_ptr<BodyShare> body_share_;  // null: no body
  const std::int64_t opened_at_ = now().time_since_epoch().count();
  std::atomic<std::int64_t> waiting_since_ = 0;
  std::atomic<bool> proven_ = false;
  std::atomic<bool> closed_ = false;
};

}  // namespace capstan::net
