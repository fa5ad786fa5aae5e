#include "infrastructure/remote/cutter.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace capstan::infrastructure::remote {
namespace {

constexpr Nanoseconds kAgain = std::chrono::milliseconds(50);

}  // namespace

Cuttable::~Cuttable() { watch(-1); }

void Cuttable::watch(int socket) {
  const int copy = socket < 0 ? -1 : ::dup(socket);
  const int former = copy_.with([&](int& held) { return std::exchange(held, copy); });
  if (former >= 0) ::close(former);
}

void Cuttable::cut() {
  copy_.with([](int held) {
    if (held >= 0) ::shutdown(held, SHUT_RDWR);
  });
}

Cutter::Cutter(Threads& threads, const Clock& clock)
    : threads_(threads),
      clock_(clock),
      thread_(threads.spawn("driver calls", [this](const std::stop_token& stop) { run(stop); })) {}

Cutter::~Cutter() = default;

Cutter::Call::Call(Cutter& cutter, std::shared_ptr<Cuttable> connection, const Deadline& deadline)
    : cutter_(cutter),
      number_(cutter.begin(std::move(connection), deadline)),
      on_stop_(deadline.stop, Wake{cutter.changed_}) {}

Cutter::Call::~Call() { cutter_.end(number_); }

std::uint64_t Cutter::begin(std::shared_ptr<Cuttable> connection, const Deadline& deadline) {
  bool sooner = false;
  const std::uint64_t number = state_.with([&](State& state) {
    sooner = deadline.at < state.next_look;
    state.next_look = std::min(state.next_look, deadline.at);
    state.calls[++state.last_number] = {.connection = std::move(connection), .deadline = deadline};
    return state.last_number;
  });
  if (sooner) changed_.notify();
  return number;
}

void Cutter::end(std::uint64_t number) {
  state_.with([&](State& state) { state.calls.erase(number); });
}

void Cutter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::uint64_t seen = changed_.count();
    const Look found = look();
    for (const auto& connection : found.overdue) connection->cut();
    threads_.wait(changed_, seen, {.at = found.next, .stop = stop});
  }
}

// A look that is planned stays so when the call that it is for ends: the next call then needs none of its
// own.
Cutter::Look Cutter::look() {
  const SteadyTime now = clock_.steady_now();
  return state_.with([&](State& state) {
    Look found;
    if (state.next_look > now) found.next = state.next_look;
    for (const auto& [number, call] : state.calls) {
      const bool overdue = call.deadline.passed(now);
      if (overdue) found.overdue.push_back(call.connection);
      found.next = std::min(found.next, overdue ? now + kAgain : call.deadline.at);
    }
    state.next_look = found.next;
    return found;
  });
}

}  // namespace capstan::infrastructure::remote
