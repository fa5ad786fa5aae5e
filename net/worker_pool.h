// A bounded set of threads that run jobs which may block: name lookups and the handlers of HTTP servers.
// Threads start as load asks for them; the one that went idle last is woken first. Safe from any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::net {

class WorkerPool {
 public:
  using Job = std::move_only_function<void()>;

  WorkerPool(std::string name, std::size_t max_threads);
  ~WorkerPool();  // jobs not yet begun are dropped, running ones are waited for
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(Job job);

 private:
  struct Worker {
    Signal wake;
    std::unique_ptr<Thread> thread;
  };
  struct State {
    std::deque<Job> jobs;
    std::vector<Worker*> idle;
    std::vector<std::unique_ptr<Worker>> workers;
    bool stopping = false;
  };

  void run(Worker& self, std::stop_token stop);

  std::string name_;
  std::size_t max_threads_;
  SystemThreads threads_;
  Guarded<State> state_;
};

}  // namespace capstan::net
