// Secret<T>: a value that must never reach a log, an event or an error. It has no operator<<, no comparison
// and no implicit conversion; code that needs the value says so with reveal().
#pragma once

#include <utility>

namespace capstan {

template <typename T>
class Secret {
 public:
  Secret() = default;
  explicit Secret(T value) : value_(std::move(value)) {}
  const T& reveal() const { return value_; }

 private:
  T value_{};
};

}  // namespace capstan
