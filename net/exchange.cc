#include "net/exchange.h"

#include <algorithm>
#include <utility>

namespace capstan::net {
namespace {

constexpr std::size_t kMaxReserve = 1U
                                    << 20;  // what a stranger's Content-Length may make us allocate at once

}  // namespace

std::shared_ptr<ClientConnection> RequestExchange::wait(const Deadline& deadline) {
  SystemThreads threads;
  const auto go_on = [&] {
    return state_.with([](const State& state) { return state.result || state.offered; });
  };
  const Woken woken = threads.wait_until(changed_, deadline, go_on);
  return state_.with([&](State& state) -> std::shared_ptr<ClientConnection> {
    if (state.offered) return std::exchange(state.offered, nullptr);
    state.abandoned = !state.result;
    state.stopped = woken == Woken::Stopped;
    return nullptr;
  });
}

Result<HttpResponse> RequestExchange::answer() {
  return state_.with([&](State& state) -> Result<HttpResponse> {
    if (state.result) return std::move(*state.result);
    const std::string_view step = state.sent ? "request sent, no complete answer" : "request not sent";
    return fail(
        Error{.code = state.stopped ? Code::Cancelled : Code::Timeout,
              .message = std::string(step) + (state.stopped ? " when stopped" : " before the deadline"),
              .outcome_unknown = state.sent});
  });
}

bool RequestExchange::offer(std::shared_ptr<ClientConnection> connection) {
  const bool wanted = state_.with([&](State& state) {
    if (!state.abandoned) state.offered = std::move(connection);
    return !state.abandoned;
  });
  if (wanted) changed_.notify();
  return wanted;
}

bool RequestExchange::abandoned() const {
  return state_.with([](const State& state) { return state.abandoned; });
}

bool RequestExchange::begin_sending() {
  return state_.with([](State& state) {
    state.sent = !state.abandoned;
    return state.sent;
  });
}

void RequestExchange::took_nothing() {
  state_.with([](State& state) { state.sent = false; });
}

void RequestExchange::on_head(MessageHead head) {
  response_.status = head.status;
  if (const auto length = find_header(head.headers, "content-length"); length && !rules().no_body) {
    const auto bytes = std::strtoull(std::string(*length).c_str(), nullptr, 10);
    response_.body.reserve(static_cast<std::size_t>(std::min<unsigned long long>(bytes, kMaxReserve)));
  }
  response_.headers = std::move(head.headers);
}

void RequestExchange::on_body(std::string_view bytes) { response_.body.append(bytes); }

void RequestExchange::on_done(Result<void> outcome) {
  state_.with([&](State& state) {
    if (outcome) {
      state.result.emplace(std::move(response_));
    } else {
      Error error = std::move(outcome).error();
      error.outcome_unknown = state.sent;
      state.result.emplace(fail(std::move(error)));
    }
  });
  changed_.notify();
}

void StreamExchange::cancel() {
  const auto me = std::this_thread::get_id();
  const bool inside = state_.with([&](State& state) {
    state.cancelled = true;
    return state.calling == me;
  });
  if (inside) return;
  SystemThreads threads;
  threads.wait_until(changed_, Deadline::never(), [&] {
    return state_.with([](const State& state) { return state.calling == std::thread::id(); });
  });
}

bool StreamExchange::abandoned() const {
  return state_.with([](const State& state) { return state.cancelled; });
}

template <typename Call>
void StreamExchange::call(Call&& call) {
  const bool wanted = state_.with([](State& state) {
    if (!state.cancelled) state.calling = std::this_thread::get_id();
    return !state.cancelled;
  });
  if (!wanted) return;
  call();
  state_.with([](State& state) { state.calling = {}; });
  changed_.notify();
}

void StreamExchange::on_head(MessageHead head) {
  call([&] { sink_.on_headers(head.status, head.headers); });
}

void StreamExchange::on_body(std::string_view bytes) {
  call([&] { sink_.on_bytes(bytes); });
}

void StreamExchange::on_done(Result<void> outcome) {
  call([&] { sink_.on_end(std::move(outcome)); });
}

}  // namespace capstan::net
