#include "api/schema/text_map.h"

#include <algorithm>
#include <iterator>

namespace capstan::api {
namespace {

auto position(const TextMap::Entries& entries, std::string_view key) {
  return std::ranges::lower_bound(entries, key, {},
                                  [](const TextMap::Entry& entry) { return entry.first.view(); });
}

// Sorted, one entry per key: of equal keys the last one stays.
TextMap::Entries normalised(TextMap::Entries entries) {
  std::ranges::stable_sort(entries, {}, &TextMap::Entry::first);
  TextMap::Entries unique;
  unique.reserve(entries.size());
  for (auto& entry : entries) {
    if (!unique.empty() && unique.back().first == entry.first) unique.pop_back();
    unique.push_back(std::move(entry));
  }
  unique.shrink_to_fit();
  return unique;
}

TextMap::Entries texts(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  TextMap::Entries out;
  out.reserve(entries.size());
  for (const auto& [key, value] : entries) out.emplace_back(Text(key), Text(value));
  return out;
}

}  // namespace

TextMap::TextMap(std::initializer_list<std::pair<std::string_view, std::string_view>> entries)
    : TextMap(texts(entries)) {}

TextMap::TextMap(Entries entries) : entries_(normalised(std::move(entries))) {}

TextMap TextMap::from_sorted(Entries& sorted) {
  TextMap map;
  map.entries_ = Interned<Entries>(
      Entries(std::make_move_iterator(sorted.begin()), std::make_move_iterator(sorted.end())));
  return map;
}

const Text* TextMap::find(std::string_view key) const {
  const auto found = position(entries_.get(), key);
  return found == end() || found->first != key ? nullptr : &found->second;
}

std::string_view TextMap::value_or_empty(std::string_view key) const {
  const Text* value = find(key);
  return value == nullptr ? std::string_view() : value->view();
}

void TextMap::set(Text key, Text value) {
  Entries entries;
  entries.reserve(size() + 1);
  entries = entries_.get();
  const auto found = position(entries, key);
  if (found != entries.end() && found->first == key) {
    entries[static_cast<std::size_t>(found - entries.begin())].second = std::move(value);
  } else {
    entries.emplace(found, std::move(key), std::move(value));
  }
  entries.shrink_to_fit();
  entries_ = Interned<Entries>(std::move(entries));
}

void TextMap::erase(std::string_view key) {
  if (!contains(key)) return;
  Entries entries = entries_.get();
  std::erase_if(entries, [&](const Entry& entry) { return entry.first == key; });
  entries.shrink_to_fit();
  entries_ = Interned<Entries>(std::move(entries));
}

}  // namespace capstan::api
