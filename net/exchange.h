// Internal to net/, no Asio. One request and what waits for its answer: a blocked worker (RequestExchange)
// or a sink (StreamExchange). ClientConnection calls it from its strand, or from the thread of the worker
// that it serves; the waiting side may give up from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "base/threads.h"
#include "net/http_client.h"
#include "net/http_parser.h"

namespace capstan::net {

class ClientConnection;

struct ExchangeRules {
  bool safe = false;     // may be sent again after a lost answer: GET, HEAD, OPTIONS
  bool no_body = false;  // HEAD
  bool stream = false;   // lasts long: does not count against max_connections
  std::uint64_t max_body_bytes = UINT64_MAX;
  Nanoseconds silent_after = Nanoseconds::max();
};

class Exchange {
 public:
  Exchange(std::string wire, ExchangeRules rules) : wire_(std::move(wire)), rules_(rules) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const std::string& wire() const { return wire_; }
  const ExchangeRules& rules() const { return rules_; }

  virtual bool abandoned() const = 0;
  // The first byte is about to leave; false when the waiter has gone. `took_nothing` takes it back.
  virtual bool begin_sending() = 0;
  virtual void took_nothing() {}
  virtual void on_head(MessageHead head) = 0;
  virtual void on_body(std::string_view bytes) = 0;
  virtual void on_done(Result<void> outcome) = 0;  // exactly once

  // Where it runs, so that giving up can reach it.
  void run_by(std::weak_ptr<ClientConnection> connection) {
    connection_.with([&](auto& current) { current = std::move(connection); });
  }
  std::shared_ptr<ClientConnection> connection() const {
    return connection_.with([](const auto& current) { return current.lock(); });
  }
  bool retried = false;  // for the connection that runs it

 private:
  const std::string wire_;
  const ExchangeRules rules_;
  Guarded<std::weak_ptr<ClientConnection>> connection_;
};

class RequestExchange final : public Exchange {
 public:
  using Exchange::Exchange;

  // Blocks the worker until there is an answer or a connection to be served on, which it returns. When
  // neither came in time the exchange is abandoned.
  std::shared_ptr<ClientConnection> wait(const Deadline& deadline);
  // After wait() returned nothing: what came of it, Timeout or Cancelled when it is abandoned.
  Result<HttpResponse> answer();
  // A connection that became free. False: the waiter has gone.
  bool offer(std::shared_ptr<ClientConnection> connection);

  bool abandoned() const override;
  bool begin_sending() override;
  void took_nothing() override;
  void on_head(MessageHead head) override;
  void on_body(std::string_view bytes) override;
  void on_done(Result<void> outcome) override;

 private:
  struct State {
    bool sent = false;
    bool abandoned = false;
    bool stopped = false;
    std::shared_ptr<ClientConnection> offered;
    std::optional<Result<HttpResponse>> result;
  };
  Guarded<State> state_;
  Signal changed_;
  HttpResponse response_;  // for the connection that runs it
};

class StreamExchange final : public Exchange {
 public:
  StreamExchange(std::string wire, ExchangeRules rules, HttpStreamSink& sink)
      : Exchange(std::move(wire), rules), sink_(sink) {}

  // No call to the sink begins after this; returns when none is running (or at once from inside one).
  void cancel();

  bool abandoned() const override;
  bool begin_sending() override { return !abandoned(); }
  void on_head(MessageHead head) override;
  void on_body(std::string_view bytes) override;
  void on_done(Result<void> outcome) override;

 private:
  struct State {
    bool cancelled = false;
    std::thread::id calling = {};
  };
  template <typename Call>
  void call(Call&& call);

  HttpStreamSink& sink_;
  Guarded<State> state_;
  Signal changed_;
};

}  // namespace capstan::net
