// Baton: Threads and Clock of a simulation. Every simulated thread has a stack of its own
// (stack.h), exactly one of them holds the baton; each call on a seam hands it to the thread the seed picks.
// Time is virtual and jumps to the next deadline when no thread can go on. The same seed gives the same run.
// Everything but run() is called from simulated threads only.
//
// A process is a thread and whatever it spawns. crash() throws SimulatedCrash at every parked seam of one
// process: the stacks unwind, the object graph goes. join() never throws, and a thread that is crashing
// already is no longer thrown at (its waits answer Stopped at once), so destructors may join but must not
// wait for anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/threads.h"

namespace capstan::fakes {

struct BatonOptions {
  std::uint64_t seed = 1;
  std::uint64_t max_switches = 2'000'000;              // a run that needs more goes round in circles
  Nanoseconds max_time = std::chrono::hours(24 * 30);  // of virtual time
  std::uint32_t slips_per_thousand = 0;  // switches at which time jumps ahead although a thread could run
  WallTime start = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  std::function<void(std::string_view)> story = {};  // one line per switch
};

struct RunReport {
  enum class End { Finished, Deadlock, TooLong, Died };
  End end = End::Finished;
  std::string why = {};  // for all but Finished: who waited for what, or what was thrown
  std::uint64_t trace_hash = 0;
  std::uint64_t switches = 0;
  Nanoseconds elapsed = {};  // virtual

  bool finished() const { return end == End::Finished; }
};

class Baton final : public Threads, public Clock {
 public:
  explicit Baton(BatonOptions options);
  ~Baton() override;
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  // Runs `body` as the first simulated thread (process "world") and returns when every simulated thread has
  // ended. Once.
  RunReport run(std::function<void()> body);

  // A thread that heads a new process. Names may be used again once the process is gone.
  std::unique_ptr<Thread> spawn_process(std::string name, Body body);
  // Throws at every seam of the process, also the calling thread's own. Nothing happens when there is none of
  // that name.
  void crash(std::string_view process);
  // The calling thread's process has crashed and is being unwound: what its destructors ask for must not
  // happen.
  bool crashing() const;
  // The process the calling thread belongs to.
  std::string_view process() const;
  // The calling thread: its name, and a number no other thread of this run has.
  struct Who {
    std::size_t number = 0;
    std::string_view name = {};
  };
  Who who() const;
  bool alive(std::string_view process) const;
  // A number below `bound`, drawn from the seed: faults and choices of a simulation stay part of its replay.
  std::uint64_t draw(std::uint64_t bound);

  std::unique_ptr<Thread> spawn(std::string name, Body body) override;
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override;
  void switch_point(std::string_view seam) override;

  WallTime now() const override;
  SteadyTime steady_now() const override;

  class Scheduler;

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace capstan::fakes
