// One secondary index of a Store<T>: from a value ("this cluster", "this owner") to the objects that have it,
// in the order of their names. The values of an object are a pure function of it. Not thread-safe: the store
// keeps it under its lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/meta/object_key.h"
#include "base/hash.h"
#include "base/text.h"
#include "runtime/index_table.h"
#include "runtime/snapshot.h"

namespace capstan::runtime {

// Namespace and name, where the object holds them: to compare, not to keep.
template <typename T>
auto place_of(const T& object) {
  return std::tie(object.metadata.namespace_, object.metadata.name);
}

// One object of a store; its address is stable while the object exists. It has no key of its own: whatever
// replaces the snapshot has the same namespace and name. Never empty.
template <typename T>
struct Slot {
  mutable Snapshot<T> object;
};

// noexcept, or a table of the standard library keeps each hash beside its slot: 16 bytes more.
template <typename T>
struct SlotHash {
  using is_transparent = void;
  std::size_t operator()(const T& object) const noexcept {
    return hash_combine(object.metadata.namespace_.hash(), object.metadata.name.hash());
  }
  std::size_t operator()(const Slot<T>& slot) const noexcept { return (*this)(*slot.object); }
  std::size_t operator()(const api::ObjectKey& key) const noexcept {
    const std::hash<Text> of;
    return hash_combine(of(key.namespace_), of(key.name));
  }
};

template <typename T>
struct SlotEqual {
  using is_transparent = void;
  bool operator()(const Slot<T>& left, const Slot<T>& right) const { return (*this)(*left.object, right); }
  bool operator()(const T& left, const Slot<T>& right) const {
    return place_of(left) == place_of(*right.object);
  }
  bool operator()(const api::ObjectKey& left, const Slot<T>& right) const {
    const auto& metadata = right.object->metadata;
    return metadata.name == std::string_view(left.name) &&
           metadata.namespace_ == std::string_view(left.namespace_);
  }
};

template <typename T>
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
  void move(const Slot<T>& slot, const IndexValues& had, const IndexValues& has) {
    for (const IndexValue& value : had) {
      if (!std::ranges::binary_search(has, value)) remove(slot, value);
    }
    for (const IndexValue& value : has) {
      if (!std::ranges::binary_search(had, value)) insert(slot, value);
    }
  }

  void clear() { table_.clear(); }

  std::size_t count(const IndexKey& key) const { return table_.find(key).size(); }

  std::vector<Snapshot<T>> find(const IndexKey& key) const {
    const auto slots = table_.find(key);
    std::vector<Snapshot<T>> found;
    found.reserve(slots.size());
    for (const void* slot : slots) found.push_back(object_in(slot));
    return found;
  }

 private:
  static const Snapshot<T>& object_in(const void* slot) { return static_cast<const Slot<T>*>(slot)->object; }

  static std::size_t position(const SlotList& list, const Slot<T>& slot) {
    const auto slots = list.slots();
    const auto place = [](const void* each) { return place_of(*object_in(each)); };
    const auto at = std::ranges::lower_bound(slots, place_of(*slot.object), {}, place);
    return static_cast<std::size_t>(at - slots.begin());
  }

  void insert(const Slot<T>& slot, const IndexValue& value) {
    SlotList& list = table_.at(value);
    list.insert(position(list, slot), &slot);
  }

  void remove(const Slot<T>& slot, const IndexValue& value) {
    SlotList& list = table_.at(value);
    list.erase(position(list, slot));
    if (list.empty()) table_.forget(value);
  }

  Function values_of_;
  IndexTable table_;
};

}  // namespace capstan::runtime
