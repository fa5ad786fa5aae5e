#include "test/fakes/fake_clock.h"

#include <utility>

namespace capstan::fakes {

FakeClock::FakeClock(WallTime start)
    : state_(State{.wall = start, .steady = SteadyTime(std::chrono::hours(1)), .waiting = {}}) {}

void FakeClock::advance(Nanoseconds span) {
  state_.with([&](State& state) {
    state.wall += span;
    state.steady += span;
    // Under the lock: a waiter takes itself off the list before its signal may go.
    for (const Waiter* waiter : state.waiting) {
      if (waiter->until <= state.steady) waiter->signal->notify();
    }
  });
}

void FakeClock::set_wall(WallTime now) {
  state_.with([&](State& state) { state.wall = now; });
}

bool FakeClock::await_waiting(std::size_t count) {
  const auto enough = [&] {
    return state_.with([&](const State& state) { return state.waiting.size() >= count; });
  };
  return real_.wait_until(parked_, Deadline::in(SystemClock(), std::chrono::seconds(30)), enough) ==
         Woken::Notified;
}

WallTime FakeClock::now() const {
  return state_.with([](const State& state) { return state.wall; });
}

SteadyTime FakeClock::steady_now() const {
  return state_.with([](const State& state) { return state.steady; });
}

std::unique_ptr<Thread> FakeClock::spawn(std::string name, Body body) {
  return real_.spawn(std::move(name), std::move(body));
}

Woken FakeClock::wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) {
  const Waiter me{.signal = &signal, .until = deadline.at};
  const bool in_time = state_.with([&](State& state) {
    if (state.steady >= deadline.at) return false;
    state.waiting.push_back(&me);
    return true;
  });
  parked_.notify();
  Woken woken = in_time ? real_.wait(signal, seen, Deadline::never(deadline.stop))
                        : real_.wait(signal, seen, {.at = SteadyTime(), .stop = deadline.stop});
  return state_.with([&](State& state) {
    std::erase(state.waiting, &me);
    // advance() wakes by a notify of its own: nothing else need have changed
    return woken == Woken::Notified && state.steady >= deadline.at ? Woken::TimedOut : woken;
  });
}

}  // namespace capstan::fakes
