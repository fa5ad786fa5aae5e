#include "base/threads.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
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

// A Signal sleeps on a futex: no lock to meet at, and a hundred signals of a hundred workers cost nothing
// together.
constexpr std::uint32_t kAsleep = 1;
constexpr std::uint32_t kOneNotification = 2;

std::uint64_t count_in(std::uint32_t word) { return word / kOneNotification; }

// The kernel looks at the word as it lies in memory.
using Word = std::atomic<std::uint32_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == sizeof(std::uint32_t));

void wake_all(const Word& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// False when the time is over; true may also be for nothing.
bool sleep_on(const Word& word, std::uint32_t expected, SteadyTime until) {
  const auto since_boot = std::max(until.time_since_epoch(), SteadyTime::duration::zero());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_boot);
  const timespec at = {.tv_sec = whole.count(), .tv_nsec = (since_boot - whole).count()};
  return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                 until == SteadyTime::max() ? nullptr : &at, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

}  // namespace

std::uint64_t Signal::count() const { return count_in(word_.load()); }

void Signal::notify() {
  std::uint32_t word = word_.load();
  while (!word_.compare_exchange_weak(word, (word & ~kAsleep) + kOneNotification)) {
  }
  if ((word & kAsleep) != 0) wake_all(word_);  // by address alone: the signal may be gone already
}

std::unique_ptr<Thread> SystemThreads::spawn(std::string name, Body body) {
  return std::make_unique<SystemThread>(std::move(name), std::move(body));
}

// A stop is a notification too, for the threads that wait here, so that it can't slip in between a look and
// the sleep.
Woken SystemThreads::wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) {
  if (signal.count() != seen) return Woken::Notified;
  const std::stop_callback on_stop(deadline.stop, [&signal] { signal.notify(); });
  for (;;) {
    std::uint32_t word = signal.word_.load();
    if (deadline.stopped()) return Woken::Stopped;
    if (count_in(word) != seen) return Woken::Notified;
    if ((word & kAsleep) == 0 && !signal.word_.compare_exchange_strong(word, word | kAsleep)) continue;
    if (sleep_on(signal.word_, word | kAsleep, deadline.at)) continue;
    return signal.count() != seen ? Woken::Notified : Woken::TimedOut;
  }
}

}  // namespace capstan
