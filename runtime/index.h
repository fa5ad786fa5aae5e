// One secondary index of a Store<T>: from a value ("this cluster", "this owner") to the objects that have it,
// in the order of their names. The values of an object are a pure function of it. Not thread-safe: the store
// keeps it under its lock.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/meta/object_key.h"
#include "base/hash.h"
#include "base/text.h"

namespace capstan::runtime {

using IndexValues = std::vector<Text>;

// A key as cached objects spell it: two interned texts.
struct CacheKey {
  Text namespace_ = {};
  Text name = {};
  friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

struct CacheKeyHash {
  using is_transparent = void;
  std::size_t operator()(const CacheKey& key) const {
    return hash_combine(key.namespace_.hash(), key.name.hash());
  }
  std::size_t operator()(const api::ObjectKey& key) const {
    const std::hash<Text> of;
    return hash_combine(of(key.namespace_), of(key.name));
  }
};

struct CacheKeyEqual {
  using is_transparent = void;
  bool operator()(const CacheKey& left, const CacheKey& right) const { return left == right; }
  bool operator()(const api::ObjectKey& left, const CacheKey& right) const {
    return right.name == std::string_view(left.name) && right.namespace_ == std::string_view(left.namespace_);
  }
  bool operator()(const CacheKey& left, const api::ObjectKey& right) const { return (*this)(right, left); }
};

// Slot: a map node of the store, {CacheKey, snapshot}; its address is stable while the object exists.
template <typename T, typename Slot>
class Index {
 public:
  using Function = IndexValues (*)(const T&);
  explicit Index(Function values) : values_of_(values) {}

  IndexValues values_of(const T& object) const {
    IndexValues values = values_of_(object);
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
    return values;
  }

  // The slot moves from the values it had to those it has.
  void move(const Slot* slot, const IndexValues& had, const IndexValues& has) {
    for (const Text& value : had) {
      if (!std::ranges::binary_search(has, value)) remove(slot, value);
    }
    for (const Text& value : has) {
      if (!std::ranges::binary_search(had, value)) insert(slot, value);
    }
  }

  void clear() { slots_.clear(); }

  std::span<const Slot* const> find(std::string_view value) const {
    const auto found = slots_.find(value);
    return found == slots_.end() ? std::span<const Slot* const>()
                                 : std::span<const Slot* const>(found->second);
  }

 private:
  using Slots = std::vector<const Slot*>;
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const { return left == right; }
  };

  static typename Slots::iterator place(Slots& slots, const Slot* slot) {
    return std::ranges::lower_bound(slots, slot->first, {},
                                    [](const Slot* other) -> const CacheKey& { return other->first; });
  }

  void insert(const Slot* slot, const Text& value) {
    Slots& slots = slots_[value];
    slots.insert(place(slots, slot), slot);
  }

  void remove(const Slot* slot, const Text& value) {
    const auto found = slots_.find(value);
    found->second.erase(place(found->second, slot));
    if (found->second.empty()) slots_.erase(found);
  }

  Function values_of_;
  std::unordered_map<Text, Slots, std::hash<Text>, Equal> slots_;
};

}  // namespace capstan::runtime
