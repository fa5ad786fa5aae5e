#include "base/threads.h"

#include <pthread.h>

#include <thread>

namespace capstan {
namespace {

class SystemThread final : public Thread {
 public:
  SystemThread(std::string name, Threads::Body body)
      : thread_([name = std::move(name), body = std::move(body)](std::stop_token stop) mutable {
          pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
          body(std::move(stop));
        }) {}

  void request_stop() override { thread_.request_stop(); }
  void join() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::jthread thread_;
};

}  // namespace

std::uint64_t Signal::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void Signal::notify() {
  const std::lock_guard lock(mutex_);  // held while notifying: a woken waiter may destroy the signal at once
  ++count_;
  changed_.notify_all();
}

std::unique_ptr<Thread> SystemThreads::spawn(std::string name, Body body) {
  return std::make_unique<SystemThread>(std::move(name), std::move(body));
}

Woken SystemThreads::wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) {
  std::unique_lock lock(signal.mutex_);
  const auto moved = [&] { return signal.count_ != seen; };
  if (deadline.at == SteadyTime::max()) {
    signal.changed_.wait(lock, deadline.stop, moved);
  } else {
    signal.changed_.wait_until(lock, deadline.stop, deadline.at, moved);
  }
  if (moved()) return Woken::Notified;
  return deadline.stopped() ? Woken::Stopped : Woken::TimedOut;
}

}  // namespace capstan
