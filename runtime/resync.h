// Looks at every cached object once per period, evenly spread: a safety net that costs no request while
// nothing differs. One thread for all kinds; it walks the stores slice by slice and remembers nothing.
// start() and stop() by the manager.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"
#include "runtime/observed.h"
#include "runtime/queue.h"

namespace capstan::runtime {

class Resync {
 public:
  Resync(const Clock& clock, Threads& threads, Nanoseconds period);

  // Before start(); both live longer.
  void add(const Observed& cache, Queue& queue) { pairs_.push_back({&cache, &queue}); }

  void start();
  void stop() { thread_.reset(); }

 private:
  struct Pair {
    const Observed* cache;
    Queue* queue;
  };

  void walk(const std::stop_token& stop);

  const Clock& clock_;
  Threads& threads_;
  const Nanoseconds period_;
  std::vector<Pair> pairs_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::runtime
