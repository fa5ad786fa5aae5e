// The one thread behind all watches of a process: it opens and reopens their streams, waits out their
// back-offs and notices the silent ones, so that two thousand watches cost no threads. Wiring makes one;
// kube/watcher.h is what readers use. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::kube {

// Something the loop looks after. look() runs on the loop's thread, never twice at once.
class LoopTask {
 public:
  using Id = std::uint64_t;
  virtual ~LoopTask() = default;
  // Before the first look: the number to wake it by.
  virtual void joined(Id id) = 0;
  // Does what is due and says when to look again (SteadyTime::max(): only when woken).
  virtual SteadyTime look() = 0;
};

class WatchLoop {
 public:
  WatchLoop(Threads& threads, const Clock& clock);
  ~WatchLoop();  // every task has been removed before
  WatchLoop(const WatchLoop&) = delete;
  WatchLoop& operator=(const WatchLoop&) = delete;

  using TaskId = LoopTask::Id;
  TaskId add(std::shared_ptr<LoopTask> task);
  void wake(TaskId id);
  // After this the task is not looked at any more; waits for a look in progress. Not from inside look().
  void remove(TaskId id);

  const Clock& clock() const { return clock_; }

 private:
  struct Entry {
    std::shared_ptr<LoopTask> task = {};
    SteadyTime at = {};
  };
  // Ordered by time and number, never by address: a simulation must replay.
  struct Agenda {
    std::map<TaskId, Entry> tasks = {};
    std::set<std::pair<SteadyTime, TaskId>> due = {};
    TaskId last_id = 0;
    TaskId looking_at = 0;  // 0: none
    void put(TaskId id, SteadyTime at);
  };
  class Look;

  void run(const std::stop_token& stop);
  SteadyTime next_due() const;
  bool look_at_one_due(SteadyTime now);

  Threads& threads_;
  const Clock& clock_;
  Guarded<Agenda> agenda_;
  Signal changed_{"watches due"};
  Signal looked_{"watch looked at"};
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::kube
