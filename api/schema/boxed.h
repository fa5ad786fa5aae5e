// Boxed<T>: an optional that costs 8 bytes while absent; for sub-structs that few objects have (nodeInfo,
// deletion status). A value: copies are deep, equality is by content. Thread rule: as its content.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace capstan::api {

template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this != &other) value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  const T* get() const { return value_.get(); }

  T& emplace() { return *(value_ = std::make_unique<T>()); }
  // The value, made first when absent.
  T& ensure() { return value_ ? *value_ : emplace(); }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& left, const Boxed& right) {
    if (!left || !right) return !left && !right;
    return *left == *right;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace capstan::api
