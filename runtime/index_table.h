// IndexTable: the memory of an Index<T> (runtime/index.h), without its types: from a value to the slots that
// have it. Most values belong to one object (its Node, its providerID): such a slot stands in the table
// itself, and a value is made of texts that are cached anyway. Not thread-safe.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace capstan::runtime {

// "This owner" is a scope alone, "this Node of this cluster" a scope and a name in it.
struct IndexValue {
  IndexValue(Text whole)
      : scope(std::move(whole)) {}  // NOLINT(google-explicit-constructor): most have no name
  IndexValue(Text within, Text called) : scope(std::move(within)), name(std::move(called)) {}

  Text scope;
  Text name;
  friend auto operator<=>(const IndexValue&, const IndexValue&) = default;
  friend bool operator==(const IndexValue&, const IndexValue&) = default;
};

using IndexValues = std::vector<IndexValue>;

// A value to be looked up: nothing is interned for a question.
struct IndexKey {
  template <std::convertible_to<std::string_view> Scope>
  IndexKey(const Scope& within, std::string_view called = {})  // NOLINT(google-explicit-constructor)
      : scope(within), name(called) {}

  std::string_view scope;
  std::string_view name;
};

// Pointers to slots in an order that the caller keeps, in 8 bytes while there is one.
class SlotList {
 public:
  SlotList() = default;
  SlotList(SlotList&& other) noexcept : word_(std::exchange(other.word_, nullptr)) {}
  SlotList& operator=(SlotList&& other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~SlotList();

  bool empty() const { return word_ == nullptr; }
  std::span<const void* const> slots() const;
  void insert(std::size_t position, const void* slot);
  void erase(std::size_t position);

 private:
  using Many = std::vector<const void*>;
  explicit SlotList(std::unique_ptr<Many> many);
  Many* many() const;  // null: there is none or one

  // Null, the one slot, or the address of Many plus one: slots stand at even addresses.
  const void* word_ = nullptr;
};

class IndexTable {
 public:
  IndexTable();
  IndexTable(IndexTable&&) noexcept;
  IndexTable& operator=(IndexTable&&) noexcept;
  ~IndexTable();

  std::span<const void* const> find(const IndexKey& key) const;
  SlotList& at(const IndexValue& value);  // made empty when new
  void forget(const IndexValue& value);
  void clear();

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace capstan::runtime
