// TextMap: an immutable, interned map from string to string in 8 bytes: labels, annotations, matchLabels.
// Sorted by key. A change makes another map, so holders of the old one never notice. Values: copy, compare,
// destroy on any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interned.h"
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
  // `sorted` has its keys in order, none twice; its texts are moved out.
  static TextMap from_sorted(Entries& sorted);

  bool empty() const { return entries_.get().empty(); }
  std::size_t size() const { return entries_.get().size(); }
  auto begin() const { return entries_.get().begin(); }
  auto end() const { return entries_.get().end(); }

  const Text* find(std::string_view key) const;  // null when absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // The value, or "" when absent.
  std::string_view value_or_empty(std::string_view key) const;

  void set(Text key, Text value);
  void set(std::string_view key, std::string_view value) { set(Text(key), Text(value)); }
  void erase(std::string_view key);

  friend bool operator==(const TextMap&, const TextMap&) = default;

 private:
  Interned<Entries> entries_ = {};
};

}  // namespace capstan::api
