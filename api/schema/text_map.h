// TextMap: an immutable, interned map from string to string in 8 bytes: labels, annotations, matchLabels.
// Sorted by key. A change makes another map, so holders of the old one never notice. One live copy per value,
// in one block: equality is one pointer comparison. Values: copy, compare, destroy on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/intern_pool.h"
#include "base/text.h"

namespace capstan::api {

class TextMap {
 public:
  using Entry = std::pair<Text, Text>;
  using Entries = std::vector<Entry>;

  TextMap() = default;
  TextMap(std::initializer_list<std::pair<std::string_view, std::string_view>> entries);
  // Sorts; of two entries with one key the later wins.
  explicit TextMap(Entries entries);
  // `sorted` has its keys in order, none twice; its texts may be moved out.
  static TextMap from_sorted(std::span<Entry> sorted);

  TextMap(const TextMap& other) : block_(other.block_) {
    if (block_ != nullptr) block_->retain();
  }
  TextMap(TextMap&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  TextMap& operator=(TextMap other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~TextMap() {
    if (block_ != nullptr && block_->drop()) give_back(*block_);
  }

  bool empty() const { return block_ == nullptr; }
  std::size_t size() const { return block_ == nullptr ? 0 : block_->count; }
  const Entry* begin() const { return block_ == nullptr ? nullptr : block_->entries(); }
  const Entry* end() const { return begin() + size(); }

  const Text* find(std::string_view key) const;  // null when absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // The value, or "" when absent.
  std::string_view value_or_empty(std::string_view key) const;

  void set(Text key, Text value);
  void set(std::string_view key, std::string_view value) { set(Text(key), Text(value)); }
  void erase(std::string_view key);

  friend bool operator==(const TextMap&, const TextMap&) = default;

 private:
  // The entries stand right behind it.
  struct alignas(Entry) Block : capstan::detail::InternEntry {
    Block(std::uint32_t own_hash, std::uint32_t own_count) : InternEntry(1, own_hash), count(own_count) {}
    std::uint32_t count;
    const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
  };
  struct Pool;  // what the intern pool asks of a map

  explicit TextMap(const Block* block) : block_(block) {}
  static void give_back(const Block& block);

  const Block* block_ = nullptr;
};

static_assert(sizeof(TextMap) == 8);

}  // namespace capstan::api
