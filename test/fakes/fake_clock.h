// FakeClock: time that moves only when a test says so, for unit tests of code that takes a Clock and Threads.
// Threads are real ones; their waits end by notify, stop, or advance(). Whole programs run under
// test/fakes/baton.h instead. Safe from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::fakes {

class FakeClock final : public Clock, public Threads {
 public:
  explicit FakeClock(WallTime start = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));

  // Moves both clocks and wakes every wait whose deadline has come.
  void advance(Nanoseconds span);
  // The machine's clock was set: only wall time jumps.
  void set_wall(WallTime now);

  // Until `count` threads are parked in wait() (at most 30 s of real time; false then).
  bool await_waiting(std::size_t count);

  WallTime now() const override;
  SteadyTime steady_now() const override;
  std::unique_ptr<Thread> spawn(std::string name, Body body) override;
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override;
  void switch_point(std::string_view) override {}

 private:
  struct Waiter {
    Signal* signal;
    SteadyTime until;
  };
  struct State {
    WallTime wall;
    SteadyTime steady;
    std::vector<const Waiter*> waiting;
  };

  SystemThreads real_;
  Signal parked_;
  Guarded<State> state_;
};

}  // namespace capstan::fakes
