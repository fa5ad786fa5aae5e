// Interned<T>: an 8-byte handle on an immutable value that is stored once for all who hold an equal one:
// label maps, owner lists, finalizer lists. A default T costs nothing. There is one live copy per value, so
// equality is one pointer comparison; order goes by value. Values: copy, compare and destroy on any thread.
#pragma once

#include <compare>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "base/intern_pool.h"

namespace capstan {

template <typename T>
class Interned {
 public:
  Interned() = default;
  explicit Interned(T value) : entry_(intern(std::move(value))) {}
  Interned(const Interned& other) : entry_(other.entry_) {
    if (entry_ != nullptr) entry_->retain();
  }
  Interned(Interned&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  Interned& operator=(Interned other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~Interned() {
    if (entry_ != nullptr && entry_->drop()) give_back(entry_);
  }

  const T& get() const { return entry_ == nullptr ? default_value() : entry_->value; }
  const T& operator*() const { return get(); }
  const T* operator->() const { return &get(); }

  bool operator==(const Interned& other) const { return entry_ == other.entry_; }
  auto operator<=>(const Interned& other) const
    requires std::three_way_comparable<T>
  {
    return get() <=> other.get();
  }
  std::uint32_t hash() const { return entry_ == nullptr ? 0 : entry_->hash; }

  // How many different values of this type the process holds.
  static std::size_t interned_count() { return pool().size(); }

 private:
  struct Entry : detail::InternEntry {
    Entry(std::uint32_t own_hash, T&& own_value) : InternEntry(1, own_hash), value(std::move(own_value)) {}
    T value;
  };

  static const Entry* intern(T value) {
    if (value == default_value()) return nullptr;
    return static_cast<const Entry*>(pool().acquire({.hash = static_cast<std::uint32_t>(hash_of(value)),
                                                     .key = &value,
                                                     .equals = &equals,
                                                     .create = &create}));
  }
  static bool equals(const detail::InternEntry& entry, const void* key) {
    return static_cast<const Entry&>(entry).value == *static_cast<const T*>(key);
  }
  static detail::InternEntry* create(std::uint32_t hash, void* key) {
    return std::make_unique<Entry>(hash, std::move(*static_cast<T*>(key))).release();
  }
  static void give_back(const Entry* entry) {
    pool().remove(*entry);
    const std::unique_ptr<const Entry> destroyed(entry);
  }
  static const T& default_value() {
    static const detail::Immortal<T> value;
    return value.value;
  }
  static detail::InternPool& pool() {
    static detail::Immortal<detail::InternPool> values;
    return values.value;
  }

  const Entry* entry_ = nullptr;
};

}  // namespace capstan

template <typename T>
struct std::hash<capstan::Interned<T>> {
  std::size_t operator()(const capstan::Interned<T>& value) const noexcept { return value.hash(); }
};
