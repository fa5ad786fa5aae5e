// Guarded<T>: the mutex owns the data; there is no way to touch it unlocked. Access is a lambda, so no lock
// outlives a line. Never call out (I/O, handlers, another Guarded) from inside. Safe from any thread.
#pragma once

#include <mutex>
#include <utility>

namespace capstan {

template <typename T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <typename Fn>
  decltype(auto) with(Fn&& fn) {
    const std::lock_guard lock(mutex_);
    return std::forward<Fn>(fn)(value_);
  }

  template <typename Fn>
  decltype(auto) with(Fn&& fn) const {
    const std::lock_guard lock(mutex_);
    return std::forward<Fn>(fn)(std::as_const(value_));
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace capstan
