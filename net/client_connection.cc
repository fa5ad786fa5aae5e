#include "net/client_connection.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace capstan::net {
namespace {

constexpr int kReadsInARow = 8;  // then others on this io thread get their turn
constexpr int kMaxInformational = 16;
constexpr std::size_t kOneRecord = 16U << 10;  // of TLS
constexpr MessageLimits kResponseLimits = {.head_bytes = 64U << 10, .headers = 256};

}  // namespace

ClientConnection::ClientConnection(IoPool::Impl& io, std::shared_ptr<ConnectionOwner> owner,
                                   std::shared_ptr<const DialTarget> target, Nanoseconds idle_timeout,
                                   std::uint64_t generation)
    : io_(io),
      owner_(std::move(owner)),
      target_(std::move(target)),
      idle_timeout_(idle_timeout),
      generation_(generation),
      strand_(io.make_strand()),
      timer_(strand_) {}

void ClientConnection::run(std::shared_ptr<Exchange> exchange) {
  exchange->run_by(weak_from_this());
  asio::post(strand_, [self = shared_from_this(), exchange = std::move(exchange)]() mutable {
    self->begin(std::move(exchange));
  });
}

// A worker that it serves while it is parked gives up by itself.
void ClientConnection::give_up(std::shared_ptr<Exchange> exchange) {
  asio::post(strand_, [self = shared_from_this(), exchange = std::move(exchange)] {
    if (!self->parked_ && self->exchange_ == exchange) self->finish(fail(Code::Cancelled, "given up"), false);
  });
}

void ClientConnection::close() {
  asio::post(strand_, [self = shared_from_this()] {
    if (self->parked_ || !self->exchange_) self->disconnect();
  });
}

void ClientConnection::begin(std::shared_ptr<Exchange> exchange) {
  take_on(std::move(exchange));
  if (exchange_->abandoned()) return finish(fail(Code::Cancelled, "given up"), transport_ != nullptr);
  if (transport_ && still_alive() && unpark()) return send();
  disconnect();
  dial();
}

void ClientConnection::take_on(std::shared_ptr<Exchange> exchange) {
  exchange_ = std::move(exchange);
  written_ = 0;
  answered_ = false;
  write_error_.reset();
  head_given_ = false;
  informational_ = 0;
}

void ClientConnection::serve(std::shared_ptr<RequestExchange> exchange, const Deadline& deadline) {
  if (deadline.passed(now())) return become_idle();
  if (!still_alive()) return run(std::move(exchange));
  take_on(std::move(exchange));
  if (!prepare()) return;
  cut_.emplace(deadline.stop, [this] { transport_->cut(); });
  drive(deadline);
}

// Writes and reads until the exchange is over, and sleeps when there is nothing of both to do.
void ClientConnection::drive(const Deadline& deadline) {
  std::array<char, kOneRecord> buffer;
  std::optional<IoStatus> want = IoStatus::WantRead;
  for (;;) {
    if (want) {
      const bool unsent = push() == IoStatus::WantWrite;
      transport_->wait_here(unsent ? IoStatus::WantWrite : *want, deadline.at - now());
    }
    if (deadline.passed(now())) return abandon();
    const IoOutcome io = transport_->read(buffer);
    switch (io.status) {
      case IoStatus::WantRead:
      case IoStatus::WantWrite: want = io.status; break;
      case IoStatus::Closed: return deadline.stopped() ? abandon() : peer_closed();
      case IoStatus::Failed: return deadline.stopped() ? abandon() : read_failed();
      case IoStatus::Done:
        if (!take({buffer.data(), io.bytes})) return;
        want.reset();
        break;
    }
  }
}

// The exchange has no more time, and its waiter knows what to say of it.
void ClientConnection::abandon() {
  exchange_.reset();
  parser_.reset();
  cut_.reset();
  retire();
}

// An idle connection that the server has closed shows it now: nothing may arrive between two exchanges.
bool ClientConnection::still_alive() {
  char byte = 0;
  return transport_->read({&byte, 1}).status == IoStatus::WantRead;
}

void ClientConnection::dial() {
  reused_ = false;
  const auto dial = std::make_shared<Dial>(io_, strand_, target_);
  dial_ = dial;
  dial->start([self = shared_from_this()](Result<std::unique_ptr<Transport>> made) {
    self->dial_.reset();
    if (!made) return self->finish(fail(std::move(made).error()), false);
    self->transport_ = std::move(*made);
    self->send();
  });
}

bool ClientConnection::prepare() {
  const ExchangeRules& rules = exchange_->rules();
  if (!exchange_->begin_sending()) {
    finish(fail(Code::Cancelled, "given up"), true);
    return false;
  }
  MessageLimits limits = kResponseLimits;
  limits.body_bytes = rules.max_body_bytes;
  parser_ = std::make_unique<MessageParser>(MessageParser::Role::Response, limits);
  if (rules.no_body) parser_->expect_no_body();
  return true;
}

void ClientConnection::send() {
  if (!prepare()) return;
  last_byte_ = now();
  watch_silence();
  wait_read(IoStatus::WantRead);
  write_more();
}

void ClientConnection::write_more() {
  switch (const IoStatus status = push()) {
    case IoStatus::Done: return;
    case IoStatus::WantRead:
    case IoStatus::WantWrite: return wait_write(status);
    case IoStatus::Closed:
    case IoStatus::Failed: return on_readable();
  }
}

// Sends as much as fits. The server may have spoken before it hung up (a TLS alert, 413, 503): what it said
// is the better reason, so a failure is only noted.
IoStatus ClientConnection::push() {
  if (write_error_) return IoStatus::Failed;
  const std::string& wire = exchange_->wire();
  while (written_ < wire.size()) {
    const IoOutcome io = transport_->write(std::string_view(wire).substr(written_));
    written_ += io.bytes;
    if (io.status == IoStatus::Closed || io.status == IoStatus::Failed) could_not_write(io.status);
    if (io.status != IoStatus::Done) return io.status;
  }
  return IoStatus::Done;
}

void ClientConnection::could_not_write(IoStatus status) {
  if (written_ == 0) exchange_->took_nothing();
  const Error why = status == IoStatus::Failed
                        ? transport_->failure()
                        : Error{.code = Code::Unavailable, .message = "connection closed"};
  write_error_ = why.context("send request to " + peer());
}

void ClientConnection::wait_write(IoStatus want) {
  if (std::exchange(writing_, true)) return;
  transport_->wait(want, [self = shared_from_this(), watch = watch_] {
    if (watch != self->watch_) return;
    self->writing_ = false;
    if (self->exchange_) self->write_more();
  });
}

void ClientConnection::wait_read(IoStatus want) {
  if (std::exchange(reading_, true)) return;
  transport_->wait(want, [self = shared_from_this(), watch = watch_] {
    if (watch != self->watch_) return;
    self->reading_ = false;
    self->on_readable();
  });
}

void ClientConnection::on_readable() {
  for (int i = 0; i < kReadsInARow; ++i) {
    const auto buffer = read_buffer();
    const IoOutcome io = transport_->read(buffer);
    switch (io.status) {
      case IoStatus::WantRead:
      case IoStatus::WantWrite: return wait_read(io.status);
      case IoStatus::Closed: return peer_closed();
      case IoStatus::Failed: return read_failed();
      case IoStatus::Done: break;
    }
    last_byte_ = now();
    if (!take({buffer.data(), io.bytes})) return;
  }
  reading_ = true;
  asio::post(strand_, [self = shared_from_this(), watch = watch_] {
    if (watch != self->watch_) return;
    self->reading_ = false;
    self->on_readable();
  });
}

void ClientConnection::read_failed() {
  const Error& why = transport_->failure();
  if (write_error_ && why.code != Code::Unauthorized) return broke(*write_error_);
  broke(why.context("read response from " + peer()));
}

// False when the exchange is over (or was given up meanwhile).
bool ClientConnection::take(std::string_view bytes) {
  answered_ = true;
  for (;;) {
    const MessageParser::Step step = parser_->next(bytes);
    bytes.remove_prefix(step.consumed);
    switch (step.event) {
      case MessageParser::Event::NeedMore: return true;
      case MessageParser::Event::Head:
        if (parser_->head().status / 100 == 1) {
          if (parser_->head().status == 101 || ++informational_ > kMaxInformational) {
            broke({.code = Code::Internal,
                   .message = fmt::format("response from {}: unexpected 1xx answer", peer())});
            return false;
          }
          break;
        }
        head_given_ = true;
        keep_alive_ = parser_->head().keep_alive;
        exchange_->on_head(parser_->take_head());
        break;
      case MessageParser::Event::Body: exchange_->on_body(step.body); break;
      case MessageParser::Event::End:
        if (!head_given_) {
          parser_->restart();
          if (exchange_->rules().no_body) parser_->expect_no_body();
          break;
        }
        answer_complete(bytes.size());
        return false;
      case MessageParser::Event::Fault:
        broke({.code = Code::Internal,
               .message = fmt::format("response from {}: {}", peer(), parser_->fault_text())});
        return false;
    }
    if (exchange_->abandoned()) {
      finish(fail(Code::Cancelled, "given up"), false);
      return false;
    }
  }
}

void ClientConnection::peer_closed() {
  if (answered_ && parser_->end_of_input().event == MessageParser::Event::End) return finish({}, false);
  if (!answered_ && write_error_) return broke(*write_error_);
  broke({.code = Code::Unavailable,
         .message = fmt::format("response from {}: {}", peer(),
                                answered_ ? parser_->fault_text() : "connection closed before an answer")});
}

void ClientConnection::answer_complete(std::size_t left_over) {
  const bool whole_request_sent = written_ == exchange_->wire().size();
  finish({}, keep_alive_ && left_over == 0 && whole_request_sent);
}

void ClientConnection::broke(Error error) {
  const bool stale =
      reused_ && !answered_ && !exchange_->retried && (written_ == 0 || exchange_->rules().safe);
  if (!stale || error.code == Code::Unauthorized) return finish(fail(std::move(error)), false);
  auto exchange = std::exchange(exchange_, nullptr);
  exchange->retried = true;
  cut_.reset();
  retire();
  owner_->again(std::move(exchange));
}

// The one end of every exchange. The pool learns first, so that the worker's next request finds the
// connection idle.
void ClientConnection::finish(Result<void> outcome, bool reusable) {
  auto exchange = std::exchange(exchange_, nullptr);
  parser_.reset();
  cut_.reset();
  if (reusable && transport_) {
    become_idle();
  } else {
    retire();
  }
  exchange->on_done(std::move(outcome));
}

void ClientConnection::become_idle() {
  reused_ = true;
  idle_since_ = now();
  if (!parked_ && !park()) return retire();
  owner_->released(shared_from_this());
}

bool ClientConnection::park() {
  ++watch_;
  reading_ = false;
  writing_ = false;
  parked_ = transport_->go_alone();
  if (parked_) arm_timer(idle_since_.load() + idle_timeout_);
  return parked_;
}

bool ClientConnection::unpark() { return !std::exchange(parked_, false) || transport_->come_back(); }

void ClientConnection::retire() {
  if (parked_) {
    close();
  } else {
    disconnect();
  }
  owner_->discarded(shared_from_this());
}

void ClientConnection::disconnect() {
  ++epoch_;
  ++watch_;
  parked_ = false;
  reading_ = false;
  writing_ = false;
  if (const auto dial = std::exchange(dial_, {}).lock()) dial->cancel();
  transport_.reset();
  parser_.reset();
  timer_armed_ = false;
  timer_.cancel();
}

void ClientConnection::watch_silence() {
  const Nanoseconds limit = exchange_->rules().silent_after;
  if (limit != Nanoseconds::max()) arm_timer(last_byte_ + limit);
}

// The timer is left to fire early and looks then what is due: re-arming it for every byte would cost more.
void ClientConnection::arm_timer(SteadyTime at) {
  if (timer_armed_ && timer_.expiry() <= at) return;
  timer_armed_ = true;
  timer_.expires_at(at);
  timer_.async_wait([weak = weak_from_this(), epoch = epoch_](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || epoch != self->epoch_) return;
    self->timer_armed_ = false;
    self->on_timer();
  });
}

void ClientConnection::on_timer() {
  if (parked_) {
    const SteadyTime until = idle_since_.load() + idle_timeout_;
    if (now() < until) return arm_timer(until);
    if (owner_->forget_idle(shared_from_this())) return disconnect();
    return arm_timer(now() + idle_timeout_);  // it serves an exchange
  }
  if (!exchange_) return;
  const Nanoseconds limit = exchange_->rules().silent_after;
  if (limit == Nanoseconds::max()) return;
  if (now() < last_byte_ + limit) return watch_silence();
  const auto seconds = std::chrono::duration<double>(limit).count();
  finish(fail(Code::Timeout, fmt::format("response from {}: silent for {}s", peer(), seconds)), false);
}

}  // namespace capstan::net
