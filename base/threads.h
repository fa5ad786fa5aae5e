// How threads start and wait: the seam that lets a whole manager run under a seeded scheduler with virtual
// time. In production a thread is a thread and a wait is a sleep on a futex; in a simulation exactly one
// thread holds the baton and every call here is a switch point. No other code starts a thread or blocks on
// a condition variable.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/deadline.h"

namespace capstan {

// An event count: "something changed, look again". Read `count()` before you look at the state, wait with
// that count. While no thread waits, a notification is one atomic step. A woken waiter may destroy the signal
// at once.
class Signal {
 public:
  // The name is a literal: what a stuck waiter waits for, in reports.
  explicit Signal(std::string_view name = "signal") : name_(name) {}

  std::uint64_t count() const;
  void notify();
  std::string_view name() const { return name_; }

 private:
  friend class SystemThreads;
  std::atomic<std::uint32_t> word_ = 0;  // twice the count; odd while a thread may be asleep
  std::string_view name_;
};

enum class Woken { Notified, TimedOut, Stopped };

// A running thread. Destruction asks it to stop and joins it.
class Thread {
 public:
  virtual ~Thread() = default;
  virtual void request_stop() = 0;
  virtual void join() = 0;
};

// Thrown through the threads of a simulated process that is made to crash. Deliberately no std::exception:
// the worker boundary must let it pass.
struct SimulatedCrash {};

class Threads {
 public:
  virtual ~Threads() = default;

  using Body = std::move_only_function<void(std::stop_token)>;
  virtual std::unique_ptr<Thread> spawn(std::string name, Body body) = 0;

  // Blocks until `signal` has moved past `seen`, the deadline passes or its stop token is triggered. A stop
  // also wakes a waiter whose signal is never notified.
  virtual Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) = 0;

  // "I am about to call `seam`": a simulation may let another thread go on here. Free in production.
  virtual void switch_point(std::string_view seam) = 0;

  // Until `ready()` holds; `signal` is notified whenever its answer may have changed.
  template <typename Ready>
  Woken wait_until(Signal& signal, const Deadline& deadline, Ready&& ready) {
    for (;;) {
      const std::uint64_t seen = signal.count();
      if (ready()) return Woken::Notified;
      const Woken woken = wait(signal, seen, deadline);
      if (woken != Woken::Notified) return ready() ? Woken::Notified : woken;
    }
  }

  // Nothing to wait for but time (back-off, polling intervals outside of tests).
  Woken pause(const Deadline& deadline) {
    Signal nothing("time");
    return wait(nothing, nothing.count(), deadline);
  }
};

class SystemThreads final : public Threads {
 public:
  std::unique_ptr<Thread> spawn(std::string name, Body body) override;
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override;
  void switch_point(std::string_view) override {}
};

}  // namespace capstan
