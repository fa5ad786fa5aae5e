#include "kube/watch_loop.h"

#include <algorithm>

namespace capstan::kube {

// One look at one task: announced while it lasts, also when a simulated crash unwinds it.
class WatchLoop::Look {
 public:
  Look(WatchLoop& loop, TaskId id) : loop_(loop), id_(id) {}
  ~Look() {
    loop_.agenda_.with([&](Agenda& agenda) {
      agenda.looking_at = 0;
      const auto entry = agenda.tasks.find(id_);
      // wake() during the look wins: what it reported may have come too late to be seen.
      if (entry != agenda.tasks.end()) agenda.put(id_, std::min(entry->second.at, again_));
    });
    loop_.looked_.notify();
  }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  void again_at(SteadyTime at) { again_ = at; }

 private:
  WatchLoop& loop_;
  TaskId id_;
  SteadyTime again_ = SteadyTime::max();
};

WatchLoop::WatchLoop(Threads& threads, const Clock& clock) : threads_(threads), clock_(clock) {
  thread_ = threads_.spawn("watches", [this](std::stop_token stop) { run(stop); });
}

WatchLoop::~WatchLoop() {
  thread_->request_stop();
  thread_->join();
}

WatchLoop::TaskId WatchLoop::add(std::shared_ptr<LoopTask> task) {
  const TaskId id = agenda_.with([](Agenda& agenda) { return ++agenda.last_id; });
  task->joined(id);
  agenda_.with([&](Agenda& agenda) {
    agenda.tasks[id] = {.task = std::move(task), .at = SteadyTime::max()};
    agenda.put(id, SteadyTime::min());
  });
  changed_.notify();
  return id;
}

void WatchLoop::wake(TaskId id) {
  agenda_.with([&](Agenda& agenda) {
    if (agenda.tasks.contains(id)) agenda.put(id, SteadyTime::min());
  });
  changed_.notify();
}

void WatchLoop::remove(TaskId id) {
  // Destroyed after the lock: the last owner of a task may have to wait for its stream.
  const std::shared_ptr<LoopTask> task = agenda_.with([&](Agenda& agenda) -> std::shared_ptr<LoopTask> {
    const auto entry = agenda.tasks.find(id);
    if (entry == agenda.tasks.end()) return {};
    std::shared_ptr<LoopTask> removed = std::move(entry->second.task);
    agenda.due.erase({entry->second.at, id});
    agenda.tasks.erase(entry);
    return removed;
  });
  threads_.wait_until(looked_, Deadline::never(), [&] {
    return agenda_.with([&](const Agenda& agenda) { return agenda.looking_at != id; });
  });
}

void WatchLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::uint64_t seen = changed_.count();
    if (look_at_one_due(clock_.steady_now())) continue;
    threads_.wait(changed_, seen, {.at = next_due(), .stop = stop});
  }
}

SteadyTime WatchLoop::next_due() const {
  return agenda_.with([](const Agenda& agenda) {
    return agenda.due.empty() ? SteadyTime::max() : agenda.due.begin()->first;
  });
}

bool WatchLoop::look_at_one_due(SteadyTime now) {
  TaskId id = 0;
  const std::shared_ptr<LoopTask> task = agenda_.with([&](Agenda& agenda) -> std::shared_ptr<LoopTask> {
    if (agenda.due.empty() || agenda.due.begin()->first > now) return {};
    id = agenda.due.begin()->second;
    agenda.looking_at = id;
    agenda.put(id, SteadyTime::max());
    return agenda.tasks.at(id).task;
  });
  if (task == nullptr) return false;
  Look look(*this, id);
  look.again_at(task->look());
  return true;
}

void WatchLoop::Agenda::put(TaskId id, SteadyTime at) {
  Entry& entry = tasks.at(id);
  due.erase({entry.at, id});
  entry.at = at;
  if (at != SteadyTime::max()) due.insert({at, id});
}

}  // namespace capstan::kube
