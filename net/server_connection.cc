#include "net/server_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace capstan::net {
namespace {

// Then others on this io thread get their turn: many uploads must not hold up small requests.
constexpr int kReadsInARow = 2;
constexpr int kStepsInARow = 8;
constexpr std::size_t kBodyBlock = 64U << 10;
constexpr std::size_t kInlineBody = 16U << 10;  // a body up to this size travels with its head
constexpr std::size_t kUncounted = 32U << 10;   // of each body
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Handed to the handler's owner; the connection knows only the backlog.
class StreamWriter final : public ResponseStream {
 public:
  StreamWriter(std::shared_ptr<ServerConnection> connection, std::shared_ptr<StreamBacklog> backlog,
               IoPool::Impl& io)
      : connection_(std::move(connection)), backlog_(std::move(backlog)), io_(io) {}
  ~StreamWriter() override { StreamWriter::end(); }

  bool write(std::string_view bytes) override {
    switch (backlog_->push(bytes)) {
      case StreamBacklog::Pushed::Quiet: return true;
      case StreamBacklog::Pushed::Wake: connection_->flush_stream(); return true;
      case StreamBacklog::Pushed::Refused: break;
    }
    if (backlog_->overflowed()) connection_->close();
    return false;
  }
  void end() override {
    if (backlog_->end()) connection_->flush_stream();
  }
  void abort() override {
    backlog_->cut();  // or the end that our destruction says could still overtake the close
    connection_->close();
  }
  void on_closed(std::function<void()> callback) override { backlog_->on_closed(std::move(callback), io_); }

 private:
  std::shared_ptr<ServerConnection> connection_;
  std::shared_ptr<StreamBacklog> backlog_;
  IoPool::Impl& io_;
};

MessageLimits message_limits(const ServerLimits& limits) {
  return {.head_bytes = limits.max_header_bytes,
          .headers = limits.max_headers,
          .target_bytes = limits.max_target_bytes,
          .body_bytes = limits.max_body_bytes};
}

// "http://host/path", as proxies are asked, means "/path" to us.
std::string_view origin_form(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    return slash == target.npos ? "/" : target.substr(slash);
  }
  return target;
}

}  // namespace

bool BodyBudget::take(std::size_t bytes, bool proven) {
  return held_.with([&](Held& held) {
    if (held.all + bytes > limit_) return false;
    if (!proven && held.unproven + bytes > limit_ / 2) return false;
    held.all += bytes;
    if (!proven) held.unproven += bytes;
    return true;
  });
}

void BodyBudget::give_back(std::size_t bytes, bool proven) {
  held_.with([&](Held& held) {
    held.all -= bytes;
    if (!proven) held.unproven -= bytes;
  });
}

bool BodyShare::reaches(std::size_t body_bytes) {
  if (body_bytes <= kUncounted + taken_) return true;
  const std::size_t more = body_bytes - kUncounted - taken_;
  if (!budget_->take(more, proven_)) return false;
  taken_ += more;
  return true;
}

void ArrivingBody::expect(std::uint64_t bytes) {
  if (bytes > 0)
    blocks_.emplace_back().reserve(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kBodyBlock)));
}

void ArrivingBody::append(std::string_view bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    if (blocks_.empty() || blocks_.back().size() == kBodyBlock) blocks_.emplace_back();
    std::string& block = blocks_.back();
    const std::string_view part = bytes.substr(0, kBodyBlock - block.size());
    if (blocks_.size() > 1) block.reserve(kBodyBlock);
    block.append(part);
    bytes.remove_prefix(part.size());
  }
}

std::string ArrivingBody::take() {
  std::string all;
  if (blocks_.size() == 1) {
    all = std::move(blocks_.front());
  } else {
    all.reserve(size_);
    for (std::string& block : blocks_) all += std::exchange(block, {});
  }
  clear();
  return all;
}

void ArrivingBody::clear() {
  blocks_ = {};
  size_ = 0;
}

StreamBacklog::Pushed StreamBacklog::push(std::string_view bytes) {
  return state_.with([&](State& state) {
    if (state.gone || state.ended) return Pushed::Refused;
    if (bytes.empty() || mute_) return Pushed::Quiet;
    if (state.unwritten + bytes.size() > limit_) {
      state.overflow = true;
      state.gone = true;
      return Pushed::Refused;
    }
    const std::size_t before = state.bytes.size();
    if (chunked_)
      append_chunk(state.bytes, bytes);
    else
      state.bytes += bytes;
    state.unwritten += state.bytes.size() - before;
    return std::exchange(state.woken, true) ? Pushed::Quiet : Pushed::Wake;
  });
}

bool StreamBacklog::end() {
  std::function<void()> dropped;  // its captures may own us
  return state_.with([&](State& state) {
    dropped = std::exchange(state.callback, nullptr);
    return !state.gone && !std::exchange(state.ended, true);
  });
}

void StreamBacklog::cut() {
  state_.with([](State& state) {
    state.gone = true;
    state.bytes = {};
  });
}

bool StreamBacklog::overflowed() const {
  return state_.with([](const State& state) { return state.overflow; });
}

StreamBacklog::Batch StreamBacklog::take() {
  return state_.with([&](State& state) {
    state.woken = false;
    Batch batch{.bytes = std::exchange(state.bytes, {}), .last = state.ended};
    if (batch.last && chunked_ && !mute_) batch.bytes += kLastChunk;
    return batch;
  });
}

void StreamBacklog::written(std::size_t bytes) {
  state_.with([&](State& state) { state.unwritten -= std::min(bytes, state.unwritten); });
}

void StreamBacklog::close() {
  const auto callback = state_.with([](State& state) {
    state.gone = true;
    state.bytes = {};
    return std::exchange(state.callback, nullptr);
  });
  if (callback) callback();
}

void StreamBacklog::wind_down() {
  const auto callback = state_.with([](State& state) {
    state.gone = true;
    state.ended = true;
    return std::exchange(state.callback, nullptr);
  });
  if (callback) callback();
}

void StreamBacklog::on_closed(std::function<void()> callback, IoPool::Impl& io) {
  const bool late = state_.with([&](State& state) {
    if (!state.gone && !state.ended) state.callback = std::move(callback);
    return state.gone;
  });
  if (late) asio::post(io.context(), std::move(callback));
}

ServerConnection::ServerConnection(IoPool::Impl& io, std::shared_ptr<ConnectionHost> host, Strand strand,
                                   asio::ip::tcp::socket socket)
    : io_(io),
      host_(std::move(host)),
      strand_(std::move(strand)),
      timer_(strand_),
      transport_(std::move(socket)),
      parser_(MessageParser::Role::Request, message_limits(host_->limits())) {}

void ServerConnection::start(std::string remote, std::shared_ptr<TlsContext> tls) {
  remote_ = std::move(remote);
  wait_for_peer();
  asio::post(strand_, [self = shared_from_this(), tls = std::move(tls)] {
    if (self->phase_ == Phase::Closed) return;
    if (!tls) return self->await_request();
    if (!self->transport_.begin_tls(tls->server())) return self->shut();
    self->limit_time(self->host_->limits().header_timeout);
    self->handshake();
  });
}

void ServerConnection::close() {
  asio::post(strand_, [self = shared_from_this()] { self->shut(); });
}

void ServerConnection::close_if_waiting() {
  asio::post(strand_, [self = shared_from_this()] {
    const bool at_work = self->phase_ == Phase::Answering && (!self->answered_ || self->stream_);
    if (!at_work) self->shut();
  });
}

void ServerConnection::wind_down() {
  asio::post(strand_, [self = shared_from_this()] {
    self->winding_down_ = true;
    self->keep_alive_ = false;
    if (self->phase_ == Phase::Handshake) return self->shut();
    if (self->phase_ == Phase::Head && !self->parser_.started()) return self->shut();
    if (self->phase_ != Phase::Answering) return;
    self->gone_.request_stop();
    if (self->stream_) self->stream_->wind_down();
    self->write_more();
  });
}

// A claimed connection stays so: else it would be chosen again in place of another.
void ServerConnection::wait_for_peer() {
  std::int64_t before = waiting_since_;
  if (before != kClaimed) waiting_since_.compare_exchange_strong(before, now().time_since_epoch().count());
}

void ServerConnection::handshake() {
  const IoOutcome io = transport_.handshake();
  switch (io.status) {
    case IoStatus::Done: peer_ = transport_.peer_identity(); return await_request();
    case IoStatus::WantRead:
    case IoStatus::WantWrite: break;
    case IoStatus::Closed: return shut();
    case IoStatus::Failed: transport_.give_up_tls(); return linger();  // so that the peer can read the alert
  }
  transport_.wait(io.status, [self = shared_from_this()] {
    if (self->phase_ == Phase::Handshake) self->handshake();
  });
}

void ServerConnection::await_request() {
  phase_ = Phase::Head;
  answered_ = false;
  parser_.restart();
  request_ = {};
  body_.clear();
  body_share_.reset();
  stream_.reset();
  stream_last_ = false;
  wait_for_peer();
  limit_time(host_->limits().idle_timeout);
  if (!unread_.empty()) {
    const std::string early = std::exchange(unread_, {});
    if (!feed(early)) return;
  }
  if (peer_done_) return shut();
  wait_read(IoStatus::WantRead);
}

void ServerConnection::wait_read(IoStatus want) {
  if (peer_done_ || std::exchange(reading_, true)) return;
  transport_.wait(want, [self = shared_from_this()] {
    self->reading_ = false;
    self->on_readable();
  });
}

void ServerConnection::on_readable() {
  for (int i = 0; i < kReadsInARow; ++i) {
    if (phase_ == Phase::Closed) return;
    const auto buffer = read_buffer();
    const IoOutcome io = transport_.read(buffer);
    switch (io.status) {
      case IoStatus::WantRead:
      case IoStatus::WantWrite: return wait_read(io.status);
      case IoStatus::Closed: return peer_closed();
      case IoStatus::Failed: return shut();
      case IoStatus::Done: break;
    }
    if (!take({buffer.data(), io.bytes})) return;
  }
  reading_ = true;
  asio::post(strand_, [self = shared_from_this()] {
    self->reading_ = false;
    self->on_readable();
  });
}

// False: do not read on now.
bool ServerConnection::take(std::string_view bytes) {
  switch (phase_) {
    case Phase::Head:
    case Phase::Body: return feed(bytes);
    case Phase::Answering: unread_.append(bytes); return false;  // the next request, sent early
    case Phase::Lingering: return true;
    case Phase::Handshake:
    case Phase::Closed: break;
  }
  return false;
}

bool ServerConnection::feed(std::string_view bytes) {
  const bool fresh = !parser_.started();
  for (;;) {
    const MessageParser::Step step = parser_.next(bytes);
    bytes.remove_prefix(step.consumed);
    switch (step.event) {
      case MessageParser::Event::NeedMore:
        if (fresh && parser_.started() && phase_ == Phase::Head) {
          wait_for_peer();
          limit_time(host_->limits().header_timeout);
        }
        return true;
      case MessageParser::Event::Head:
        if (!head_complete()) return false;
        break;
      case MessageParser::Event::Body:
        if (!body_grows(step.body)) return false;
        break;
      case MessageParser::Event::End: request_complete(bytes); return !answered_ && unread_.empty();
      case MessageParser::Event::Fault:
        refuse(status_of(parser_.fault()), parser_.fault_text());
        return false;
    }
  }
}

bool ServerConnection::body_grows(std::string_view bytes) {
  if (!body_share_->reaches(body_.size() + bytes.size())) {
    refuse(503, "too many large requests are here");
    return false;
  }
  body_.append(bytes);
  return true;
}

bool ServerConnection::head_complete() {
  wait_for_peer();
  phase_ = Phase::Body;
  if (parser_.has_body()) body_share_ = std::make_shared<BodyShare>(host_->bodies(), is_proven());
  limit_time(host_->limits().body_timeout);
  body_.expect(parser_.content_length());
  MessageHead head = parser_.take_head();
  http10_ = head.minor_version == 0;
  keep_alive_ = head.keep_alive && !http10_ && !winding_down_;
  head_request_ = head.method == "HEAD";
  request_.method = std::move(head.method);
  request_.target = origin_form(head.target);
  request_.headers = std::move(head.headers);
  const auto hosts = std::ranges::count_if(
      request_.headers, [](const auto& one) { return equal_ignoring_case(one.first, "host"); });
  if (hosts > 1 || (hosts == 0 && !http10_)) {
    refuse(400, "exactly one Host header is needed");
    return false;
  }
  if (!request_.target.starts_with('/') && request_.target != "*") {
    refuse(400, "the request target must be a path");
    return false;
  }
  if (const auto expected = find_header(request_.headers, "expect"); expected && !http10_) {
    if (!equal_ignoring_case(*expected, "100-continue")) {
      refuse(417, "the only expectation known here is 100-continue");
      return false;
    }
    if (parser_.has_body()) {
      out_.emplace_back(kContinue);
      write_more();
    }
  }
  return phase_ == Phase::Body;
}

void ServerConnection::request_complete(std::string_view rest) {
  phase_ = Phase::Answering;
  waiting_since_ = 0;
  no_time_limit();
  unread_.assign(rest);
  gone_ = std::stop_source();
  request_.body = body_.take();
  request_.peer = peer_;
  request_.remote_address = remote_;
  request_.closed = gone_.get_token();
  if (!host_->answer(shared_from_this(), std::exchange(request_, {}), body_share_)) {
    refuse(503, "too many requests are waiting");
  }
}

void ServerConnection::peer_closed() {
  peer_done_ = true;
  keep_alive_ = false;
  // A peer that only closed its sending side still gets its answer; a stream has no end to wait for.
  if (phase_ != Phase::Answering || stream_) return shut();
  gone_.request_stop();
}

void ServerConnection::refuse(int status, std::string_view why) {
  phase_ = Phase::Answering;
  keep_alive_ = false;
  unread_ = {};
  request_ = {};
  body_.clear();
  body_share_.reset();
  HttpResponse response{.status = status,
                        .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
                        .body = std::string(why) + "\n"};
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  answer_with(std::move(response));
}

int ServerConnection::status_of(MessageFault fault) {
  switch (fault) {
    case MessageFault::TargetTooLong: return 414;
    case MessageFault::HeadTooLarge:
    case MessageFault::TooManyHeaders: return 431;
    case MessageFault::BodyTooLarge: return 413;
    case MessageFault::UnknownCoding: return 501;
    case MessageFault::UnknownVersion: return 505;
    case MessageFault::None:
    case MessageFault::Malformed:
    case MessageFault::Truncated: break;
  }
  return 400;
}

void ServerConnection::respond(HttpResponse response) {
  asio::post(strand_, [self = shared_from_this(), response = std::move(response)]() mutable {
    self->answer_with(std::move(response));
  });
}

void ServerConnection::answer_with(HttpResponse response) {
  if (phase_ != Phase::Answering || answered_) return;
  const bool bodiless = response.status == 204 || response.status == 304 || response.status / 100 == 1;
  const bool own_length = head_request_ && find_header(response.headers, "content-length");
  std::erase_if(response.headers, [&](const auto& header) {
    if (equal_ignoring_case(header.first, "connection") && has_token(header.second, "close"))
      keep_alive_ = false;
    return equal_ignoring_case(header.first, "connection") ||
           equal_ignoring_case(header.first, "transfer-encoding") ||
           (equal_ignoring_case(header.first, "content-length") && !own_length);
  });
  auto head =
      render_response_head({.status = response.status,
                            .headers = &response.headers,
                            .framing = bodiless || own_length ? BodyFraming::None : BodyFraming::Length,
                            .length = response.body.size(),
                            .keep_alive = keep_alive_,
                            .date = http_date(SystemClock().now())});
  if (!head) return answer_with({.status = 500, .body = head.error().message + "\n"});
  answered_ = true;
  const bool with_body = !bodiless && !head_request_ && !response.body.empty();
  if (with_body && response.body.size() <= kInlineBody) *head += response.body;
  out_.push_back(std::move(*head));
  if (with_body && response.body.size() > kInlineBody) out_.push_back(std::move(response.body));
  write_more();
}

std::shared_ptr<ResponseStream> ServerConnection::begin_stream(int status, Headers headers) {
  const BodyFraming framing = http10_ ? BodyFraming::UntilClose : BodyFraming::Chunked;
  auto backlog = std::make_shared<StreamBacklog>(host_->limits().max_stream_backlog, !http10_, head_request_);
  asio::post(strand_, [self = shared_from_this(), status, headers = std::move(headers), framing, backlog] {
    self->open_stream(status, headers, framing, backlog);
  });
  return std::make_shared<StreamWriter>(shared_from_this(), std::move(backlog), io_);
}

void ServerConnection::open_stream(int status, const Headers& headers, BodyFraming framing,
                                   std::shared_ptr<StreamBacklog> backlog) {
  if (phase_ != Phase::Answering || answered_) return backlog->close();
  stream_ = std::move(backlog);
  if (peer_done_) return shut();
  if (winding_down_) stream_->wind_down();
  auto head = render_response_head({.status = status,
                                    .headers = &headers,
                                    .framing = framing,
                                    .keep_alive = keep_alive_,
                                    .date = http_date(SystemClock().now())});
  if (!head) {
    std::exchange(stream_, nullptr)->close();
    return answer_with({.status = 500, .body = head.error().message + "\n"});
  }
  answered_ = true;
  proven_ = true;
  out_.push_back(std::move(*head));
  write_more();
}

void ServerConnection::flush_stream() {
  asio::post(strand_, [self = shared_from_this()] { self->write_more(); });
}

void ServerConnection::write_more() {
  if (writing_ || phase_ == Phase::Closed) return;
  for (int i = 0; i < kStepsInARow; ++i) {
    while (!out_.empty()) {
      if (!write_front()) return;
    }
    if (phase_ != Phase::Answering || !answered_) return;  // that was "100 Continue"
    if (!stream_ || stream_last_) return answer_sent();
    if (!pull_stream()) return no_time_limit();
  }
  writing_ = true;
  asio::post(strand_, [self = shared_from_this()] {
    self->writing_ = false;
    self->write_more();
  });
}

// False: wait, or give up.
bool ServerConnection::write_front() {
  const IoOutcome io = transport_.write(std::string_view(out_.front()).substr(out_offset_));
  switch (io.status) {
    case IoStatus::WantRead:
    case IoStatus::WantWrite: wait_write(io.status); return false;
    case IoStatus::Closed:
    case IoStatus::Failed: shut(); return false;
    case IoStatus::Done: break;
  }
  out_offset_ += io.bytes;
  if (out_offset_ == out_.front().size()) {
    out_.pop_front();
    out_offset_ = 0;
  }
  return true;
}

bool ServerConnection::pull_stream() {
  stream_->written(std::exchange(stream_taken_, 0));
  StreamBacklog::Batch batch = stream_->take();
  stream_last_ = batch.last;
  if (batch.bytes.empty()) return batch.last;
  stream_taken_ = batch.bytes.size();
  out_.push_back(std::move(batch.bytes));
  return true;
}

void ServerConnection::wait_write(IoStatus want) {
  limit_time(host_->limits().write_timeout);
  const bool is_answer = phase_ == Phase::Answering && answered_ && !stream_;
  if (is_answer && waiting_since() == 0) wait_for_peer();
  writing_ = true;
  transport_.wait(want, [self = shared_from_this()] {
    self->writing_ = false;
    self->write_more();
  });
}

void ServerConnection::answer_sent() {
  no_time_limit();
  if (!keep_alive_ || http10_ || winding_down_) return linger();
  proven_ = true;
  await_request();
}

// Closing at once, with bytes of the peer unread, would make the kernel throw our last answer away.
void ServerConnection::linger() {
  if (peer_done_) return shut();
  phase_ = Phase::Lingering;
  body_share_.reset();
  wait_for_peer();
  transport_.close_write();
  transport_.give_up_tls();  // what still comes is only thrown away
  limit_time(host_->limits().linger_timeout);
  wait_read(IoStatus::WantRead);
}

void ServerConnection::shut() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  closed_ = true;
  waiting_since_ = 0;
  timer_.cancel();
  transport_.close();
  out_.clear();
  request_ = {};
  body_.clear();
  body_share_.reset();
  gone_.request_stop();
  if (const auto stream = std::exchange(stream_, nullptr)) stream->close();
  host_->closed(shared_from_this());
}

void ServerConnection::limit_time(Nanoseconds span) {
  due_ = now() + span;
  arm_timer();
}

void ServerConnection::no_time_limit() { due_ = SteadyTime::max(); }

// Armed for the earliest moment asked for; what is really due is looked up when it fires.
void ServerConnection::arm_timer() {
  if (due_ == SteadyTime::max() || (timer_armed_ && timer_.expiry() <= due_)) return;
  timer_armed_ = true;
  timer_.expires_at(due_);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->phase_ == Phase::Closed) return;
    self->timer_armed_ = false;
    self->on_timer();
  });
}

void ServerConnection::on_timer() {
  if (now() < due_) return arm_timer();
  no_time_limit();
  const bool in_request = phase_ == Phase::Body || (phase_ == Phase::Head && parser_.started());
  if (in_request) return refuse(408, "the request did not arrive in time");
  shut();
}

}  // namespace capstan::net
