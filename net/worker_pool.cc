#include "net/worker_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace capstan::net {

WorkerPool::WorkerPool(std::string name, std::size_t max_threads)
    : name_(std::move(name)), max_threads_(std::max<std::size_t>(max_threads, 1)) {}

WorkerPool::~WorkerPool() {
  auto [dropped, workers] = state_.with([](State& state) {
    state.stopping = true;
    return std::pair(std::exchange(state.jobs, {}), std::exchange(state.workers, {}));
  });
  for (const auto& worker : workers) worker->thread->request_stop();
}

void WorkerPool::post(Job job) {
  Worker* woken = state_.with([&](State& state) -> Worker* {
    if (state.stopping) return nullptr;
    state.jobs.push_back(std::move(job));
    if (!state.idle.empty()) {
      Worker* last = state.idle.back();
      state.idle.pop_back();
      return last;
    }
    if (state.workers.size() < max_threads_) {
      Worker* fresh = state.workers.emplace_back(std::make_unique<Worker>()).get();
      fresh->thread =
          threads_.spawn(name_, [this, fresh](std::stop_token stop) { run(*fresh, std::move(stop)); });
    }
    return nullptr;
  });
  if (woken != nullptr) woken->wake.notify();
}

void WorkerPool::run(Worker& self, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto seen = self.wake.count();
    auto job = state_.with([&](State& state) -> std::optional<Job> {
      if (state.stopping) return std::nullopt;
      if (!state.jobs.empty()) {
        Job next = std::move(state.jobs.front());
        state.jobs.pop_front();
        return next;
      }
      if (std::ranges::find(state.idle, &self) == state.idle.end()) state.idle.push_back(&self);
      return std::nullopt;
    });
    if (job) {
      (*job)();
    } else {
      threads_.wait(self.wake, seen, Deadline::never(stop));
    }
  }
}

}  // namespace capstan::net
