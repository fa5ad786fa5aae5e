#include "infrastructure/remote/http_transport.h"

#include <fmt/format.h>

#include <vector>

#include "base/guarded.h"
#include "infrastructure/remote/connection.h"

namespace capstan::infrastructure::remote {

class HttpTransport::Parts {
 public:
  Parts(const TransportDeps& deps, TransportOptions options)
      : clock_(deps.clock),
        threads_(deps.threads),
        options_(std::move(options)),
        cutter_(deps.threads, deps.clock) {}

  DriverResult<Answer> post(std::string_view verb, const std::string& body, const Deadline& deadline);

 private:
  struct State {
    std::size_t busy = 0;
    SteadyTime heard = {};  // the last answer, or the first of the calls that there are now
    std::vector<std::unique_ptr<Connection>> idle = {};
  };
  enum class Fate { Keep, Close };

  // Null: all workers of the driver are taken.
  std::unique_ptr<Connection> take(Nanoseconds patience, const Deadline& deadline);
  std::unique_ptr<Connection> take_free();
  bool is_silent();
  void give_back(std::unique_ptr<Connection> connection, Fate fate);
  DriverResult<Answer> post(Connection& connection, std::string_view verb, const std::string& body,
                            const Deadline& deadline);

  const Clock& clock_;
  Threads& threads_;
  const TransportOptions options_;
  Cutter cutter_;
  Signal given_back_{"a worker of a driver"};
  Guarded<State> state_;
};

DriverResult<Answer> HttpTransport::Parts::post(std::string_view verb, const std::string& body,
                                                const Deadline& deadline) {
  auto connection = take(verb == verb::kList ? options_.patience : Nanoseconds(0), deadline);
  if (!connection)
    return std::unexpected(
        DriverError{.code = DriverCode::Unavailable,
                    .message = fmt::format("the driver at {} is busy: {} calls have no answer yet",
                                           options_.endpoint.describe(), options_.workers),
                    .busy = true});
  auto answer = post(*connection, verb, body, deadline);
  give_back(std::move(connection), answer ? Fate::Keep : Fate::Close);
  return answer;
}

DriverResult<Answer> HttpTransport::Parts::post(Connection& connection, std::string_view verb,
                                                const std::string& body, const Deadline& deadline) {
  const Nanoseconds left = deadline.at - clock_.steady_now();
  if (deadline.passed(clock_.steady_now()))
    return driver_failure(DriverCode::DeadlineExceeded, "no time is left for the call");
  const Cutter::Call call(cutter_, connection.socket(), deadline);
  auto answer = connection.post(verb, body, left);
  if (answer) return answer;
  if (deadline.stopped()) return driver_failure(DriverCode::Canceled, "told to stop");
  if (!deadline.passed(clock_.steady_now())) return answer;
  return driver_failure(DriverCode::DeadlineExceeded,
                        fmt::format("the driver at {} did not answer in time", options_.endpoint.describe()));
}

std::unique_ptr<Connection> HttpTransport::Parts::take(Nanoseconds patience, const Deadline& deadline) {
  auto taken = take_free();
  if (taken || patience.count() == 0 || is_silent()) return taken;
  (void)threads_.wait_until(given_back_, deadline.no_later_than(clock_.steady_now() + patience), [&] {
    taken = take_free();
    return taken != nullptr;
  });
  return taken;
}

bool HttpTransport::Parts::is_silent() {
  const SteadyTime heard = state_.with([](const State& state) { return state.heard; });
  return clock_.steady_now() - heard >= options_.patience;
}

std::unique_ptr<Connection> HttpTransport::Parts::take_free() {
  std::unique_ptr<Connection> idle;
  const bool may = state_.with([&](State& state) {
    if (state.busy == options_.workers) return false;
    if (state.busy++ == 0) state.heard = clock_.steady_now();
    if (state.idle.empty()) return true;
    idle = std::move(state.idle.back());
    state.idle.pop_back();
    return true;
  });
  if (!may || (idle && idle->stamp() == stamp_of(options_.tls))) return idle;
  return std::make_unique<Connection>(options_.endpoint, options_.tls);
}

void HttpTransport::Parts::give_back(std::unique_ptr<Connection> connection, Fate fate) {
  state_.with([&](State& state) {
    --state.busy;
    if (fate == Fate::Close) return;
    state.heard = clock_.steady_now();
    state.idle.push_back(std::move(connection));
  });
  given_back_.notify();
}

HttpTransport::HttpTransport(const TransportDeps& deps, TransportOptions options)
    : parts_(std::make_unique<Parts>(deps, std::move(options))) {}
HttpTransport::~HttpTransport() = default;

DriverResult<Answer> HttpTransport::post(std::string_view verb, const std::string& body,
                                         const Deadline& deadline) {
  return parts_->post(verb, body, deadline);
}

}  // namespace capstan::infrastructure::remote
