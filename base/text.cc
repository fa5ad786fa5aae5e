#include "base/text.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <new>

namespace capstan {
namespace {

using detail::InternEntry;
using detail::TextEntry;

TextEntry* create_entry(std::uint32_t hash, std::string_view bytes) {
  assert(bytes.size() <= std::numeric_limits<std::uint32_t>::max() && "a text is shorter than 4 GiB");
  void* memory = ::operator new(sizeof(TextEntry) + bytes.size());  // one block: header and characters
  auto* entry = ::new (memory) TextEntry(1, hash, static_cast<std::uint32_t>(bytes.size()));
  std::memcpy(static_cast<char*>(memory) + sizeof(TextEntry), bytes.data(), bytes.size());
  return entry;
}

void destroy_entry(const TextEntry* entry) {
  entry->~TextEntry();
  ::operator delete(const_cast<TextEntry*>(entry));
}

bool entry_equals(const InternEntry& entry, const void* key) {
  const auto& text = static_cast<const TextEntry&>(entry);
  return std::string_view(text.bytes(), text.size) == *static_cast<const std::string_view*>(key);
}

InternEntry* create_from_key(std::uint32_t hash, void* key) {
  return create_entry(hash, *static_cast<const std::string_view*>(key));
}

detail::InternPool& pool() {
  static detail::Immortal<detail::InternPool> texts;
  return texts.value;
}

const TextEntry* intern(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  return static_cast<const TextEntry*>(pool().acquire({.hash = detail::text_hash(bytes),
                                                       .key = &bytes,
                                                       .equals = &entry_equals,
                                                       .create = &create_from_key}));
}

}  // namespace

Text::Text(std::string_view bytes) : TextHandle(intern(bytes)) {}

void Text::give_back(const TextEntry* entry) {
  pool().remove(*entry);
  destroy_entry(entry);
}

std::size_t Text::interned_count() { return pool().size(); }

FreeText::FreeText(std::string_view bytes)
    : TextHandle(bytes.empty() ? nullptr : create_entry(detail::text_hash(bytes), bytes)) {}

void FreeText::give_back(const TextEntry* entry) { destroy_entry(entry); }

}  // namespace capstan
