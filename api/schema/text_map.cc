#include "api/schema/text_map.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>

#include "base/hash.h"

namespace capstan::api {
namespace {

using capstan::detail::InternEntry;
using capstan::detail::InternPool;

const TextMap::Entry* position(std::span<const TextMap::Entry> entries, std::string_view key) {
  const auto at = std::ranges::lower_bound(entries, key, {},
                                           [](const TextMap::Entry& entry) { return entry.first.view(); });
  return entries.data() + (at - entries.begin());
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
  return unique;
}

TextMap::Entries texts(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  TextMap::Entries out;
  out.reserve(entries.size());
  for (const auto& [key, value] : entries) out.emplace_back(Text(key), Text(value));
  return out;
}

}  // namespace

struct TextMap::Pool {
  using Sorted = std::span<Entry>;  // the entries of a map to be

  static const Block* intern(Sorted sorted) {
    if (sorted.empty()) return nullptr;
    return static_cast<const Block*>(
        pool().acquire({.hash = hash(sorted), .key = &sorted, .equals = &equals, .create = &create}));
  }

  static void destroy(const Block& block) {
    pool().remove(block);
    auto* const memory = const_cast<Block*>(&block);
    std::destroy_n(block.entries(), block.count);
    std::destroy_at(memory);
    ::operator delete(memory);
  }

 private:
  static std::uint32_t hash(Sorted sorted) {
    std::uint64_t state = 0;
    for (const auto& [key, value] : sorted) {
      state = hash_combine(state, std::uint64_t{key.hash()} << 32U | value.hash());
    }
    return static_cast<std::uint32_t>(state);
  }
  static bool equals(const InternEntry& entry, const void* key) {
    const auto& block = static_cast<const Block&>(entry);
    return std::ranges::equal(std::span(block.entries(), block.count), *static_cast<const Sorted*>(key));
  }
  static InternEntry* create(std::uint32_t hash, void* key) {
    const Sorted sorted = *static_cast<Sorted*>(key);
    void* const memory = ::operator new(sizeof(Block) + sorted.size_bytes());
    auto* const block = ::new (memory) Block(hash, static_cast<std::uint32_t>(sorted.size()));
    std::uninitialized_move(sorted.begin(), sorted.end(), const_cast<Entry*>(block->entries()));
    return block;
  }
  static InternPool& pool() {
    static capstan::detail::Immortal<InternPool> maps;
    return maps.value;
  }
};

TextMap::TextMap(std::initializer_list<std::pair<std::string_view, std::string_view>> entries)
    : TextMap(texts(entries)) {}

TextMap::TextMap(Entries entries) {
  Entries sorted = normalised(std::move(entries));
  block_ = Pool::intern(sorted);
}

TextMap TextMap::from_sorted(std::span<Entry> sorted) { return TextMap(Pool::intern(sorted)); }

void TextMap::give_back(const Block& block) { Pool::destroy(block); }

const Text* TextMap::find(std::string_view key) const {
  const Entry* found = position(*this, key);
  return found == end() || found->first != key ? nullptr : &found->second;
}

std::string_view TextMap::value_or_empty(std::string_view key) const {
  const Text* value = find(key);
  return value == nullptr ? std::string_view() : value->view();
}

void TextMap::set(Text key, Text value) {
  Entries entries;
  entries.reserve(size() + 1);
  const Entry* const at = position(*this, key);
  const bool is_there = at != end() && at->first == key;
  entries.assign(begin(), at);
  entries.emplace_back(std::move(key), std::move(value));
  entries.insert(entries.end(), is_there ? at + 1 : at, end());
  *this = from_sorted(entries);
}

void TextMap::erase(std::string_view key) {
  if (!contains(key)) return;
  Entries entries(begin(), end());
  std::erase_if(entries, [&](const Entry& entry) { return entry.first == key; });
  *this = from_sorted(entries);
}

}  // namespace capstan::api
