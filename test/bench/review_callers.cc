#include "test/bench/review_callers.h"

#include <fmt/format.h>
#include <httplib.h>
#include <signal.h>

#include <algorithm>
#include <utility>

namespace capstan::bench {
namespace {

constexpr auto kOneCall = std::chrono::seconds(10);  // as an API server waits for a webhook

// The n-th call of one caller is due at `begun + n * every`; false once it is to stop.
bool await_turn(Threads& threads, const Clock& clock, SteadyTime due, const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  const SteadyTime now = clock.steady_now();
  return now >= due || threads.pause(Deadline::in(clock, due - now, stop)) != Woken::Stopped;
}

double milliseconds_since(const Clock& clock, SteadyTime due) {
  return std::chrono::duration<double, std::milli>(clock.steady_now() - due).count();
}

void note(Guarded<Calls>& all, double milliseconds, bool again, const std::string& failure) {
  all.with([&](Calls& calls) {
    calls.milliseconds.push_back(milliseconds);
    calls.again += again ? 1 : 0;
    if (!failure.empty() && calls.failed++ == 0) calls.first_failure = failure;
  });
}

std::string failure_of(const httplib::Result& answer) {
  if (!answer) return httplib::to_string(answer.error());
  return answer->status == 200 ? std::string() : fmt::format("{}: {}", answer->status, answer->body);
}

}  // namespace

double Calls::percentile(int percent) const {
  auto sorted = milliseconds;
  std::ranges::sort(sorted);
  const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return sorted.at(std::max<std::size_t>(rank, 1) - 1);
}

ReviewCallers::ReviewCallers(ReviewEndpoint endpoint, int callers, Nanoseconds every)
    : endpoint_(std::move(endpoint)), every_(every), callers_(callers), begun_(clock_.steady_now()) {
  ::signal(SIGPIPE, SIG_IGN);  // a connection may be closed under a call
  for (int i = 0; i < callers; ++i)
    running_.push_back(
        threads_.spawn("caller", [this, i](const std::stop_token& stop) { call_on(i, stop); }));
}

ReviewCallers::~ReviewCallers() = default;

Calls ReviewCallers::stop() {
  for (const auto& caller : running_) caller->request_stop();
  running_.clear();
  return calls_.with([](Calls& calls) { return std::exchange(calls, {}); });
}

void ReviewCallers::call_on(int caller, const std::stop_token& stop) {
  httplib::SSLClient client("127.0.0.1", endpoint_.port);
  client.set_ca_cert_path(endpoint_.ca_file.c_str());
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_connection_timeout(kOneCall);
  client.set_read_timeout(kOneCall);
  client.set_write_timeout(kOneCall);
  SteadyTime due = begun_ + caller * (every_ / callers_);
  for (auto turn = static_cast<std::size_t>(caller); await_turn(threads_, clock_, due, stop);
       ++turn, due += every_) {
    const std::string& path = endpoint_.paths.at(turn % endpoint_.paths.size());
    auto answer = client.Post(path, endpoint_.body, "application/json");
    const bool again = !answer;
    if (again) answer = client.Post(path, endpoint_.body, "application/json");
    note(calls_, milliseconds_since(clock_, due), again, failure_of(answer));
  }
}

ProbeCaller::ProbeCaller(std::uint16_t port, Nanoseconds every)
    : running_(threads_.spawn(
          "probe", [this, port, every](const std::stop_token& stop) { call_on(port, every, stop); })) {}

ProbeCaller::~ProbeCaller() = default;

Calls ProbeCaller::stop() {
  running_.reset();
  return calls_.with([](Calls& calls) { return std::exchange(calls, {}); });
}

void ProbeCaller::call_on(std::uint16_t port, Nanoseconds every, const std::stop_token& stop) {
  for (SteadyTime due = clock_.steady_now(); await_turn(threads_, clock_, due, stop); due += every) {
    httplib::Client client("127.0.0.1", port);
    client.set_tcp_nodelay(true);
    const auto answer = client.Get("/healthz");
    note(calls_, milliseconds_since(clock_, due), false, failure_of(answer));
  }
}

}  // namespace capstan::bench
