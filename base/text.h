// Text: an immutable string of 8 bytes, what every API struct uses instead of std::string. Equal texts share
// one allocation, which frees itself with its last reference; names known at compile time ("Ready"_text) cost
// nothing. FreeText: the same handle for free-form messages, shared by its copies but not interned. Order and
// hash go by bytes. Nothing from a Secret may become a Text. Values: copy, compare and destroy on any thread.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/intern_pool.h"

namespace capstan {
namespace detail {

// Twelve bytes of header, the characters right behind them.
struct TextEntry : InternEntry {
  constexpr TextEntry(std::uint32_t first_refs, std::uint32_t own_hash, std::uint32_t length)
      : InternEntry(first_refs, own_hash), size(length) {}
  std::uint32_t size;
  const char* bytes() const { return reinterpret_cast<const char*>(this) + sizeof(TextEntry); }
};
static_assert(sizeof(TextEntry) == 12);

constexpr std::uint32_t text_hash(std::string_view bytes) {
  return static_cast<std::uint32_t>(hash_bytes(bytes));
}

template <std::size_t N>
struct LiteralText {
  consteval LiteralText(const char (&literal)[N])
      : entry(InternEntry::kImmortal, text_hash({literal, N - 1}), static_cast<std::uint32_t>(N - 1)) {
    std::copy_n(literal, N, chars);
  }
  TextEntry entry;
  char chars[N] = {};
};

template <std::size_t N>
struct Characters {
  consteval Characters(const char (&literal)[N]) { std::copy_n(literal, N, chars); }
  char chars[N] = {};
};

template <Characters literal>
inline constexpr LiteralText kLiteralText(literal.chars);

// What Text and FreeText share: everything but how the characters are made and given back.
class TextHandle {
 public:
  constexpr bool empty() const { return entry_ == nullptr || entry_->size == 0; }
  constexpr std::size_t size() const { return entry_ == nullptr ? 0 : entry_->size; }
  std::string_view view() const {
    return entry_ == nullptr ? std::string_view() : std::string_view(entry_->bytes(), entry_->size);
  }
  std::string str() const { return std::string(view()); }
  operator std::string_view() const { return view(); }  // a text is a string
  std::uint32_t hash() const { return entry_ == nullptr ? text_hash({}) : entry_->hash; }

 protected:
  constexpr TextHandle() = default;
  constexpr explicit TextHandle(const TextEntry* entry) : entry_(entry) {}

  bool equals(const TextHandle& other) const {
    return entry_ == other.entry_ || (hash() == other.hash() && view() == other.view());
  }
  static constexpr const TextEntry* retained(const TextEntry* entry) {
    if !consteval {
      if (entry != nullptr) entry->retain();
    }
    return entry;
  }

  const TextEntry* entry_ = nullptr;
};

}  // namespace detail

class Text : public detail::TextHandle {
 public:
  constexpr Text() = default;
  explicit Text(std::string_view bytes);
  constexpr Text(const Text& other) : TextHandle(retained(other.entry_)) {}
  constexpr Text(Text&& other) noexcept : TextHandle(std::exchange(other.entry_, nullptr)) {}
  constexpr Text& operator=(Text other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  constexpr ~Text() {
    if !consteval {
      if (entry_ != nullptr && entry_->drop()) give_back(entry_);
    }
  }

  bool operator==(const Text& other) const { return equals(other); }
  bool operator==(std::string_view other) const { return view() == other; }
  std::strong_ordering operator<=>(const Text& other) const { return view() <=> other.view(); }
  std::strong_ordering operator<=>(std::string_view other) const { return view() <=> other; }

  // How many different texts the process holds (literals not counted).
  static std::size_t interned_count();

  template <detail::Characters literal>
  static constexpr Text of_literal() {
    if constexpr (sizeof(literal.chars) == 1) return Text();
    return Text(&detail::kLiteralText<literal>.entry);
  }

 private:
  friend class FreeText;
  constexpr explicit Text(const detail::TextEntry* entry) : TextHandle(entry) {}
  static void give_back(const detail::TextEntry* entry);
};

class FreeText : public detail::TextHandle {
 public:
  constexpr FreeText() = default;
  explicit FreeText(std::string_view bytes);
  constexpr FreeText(const FreeText& other) : TextHandle(retained(other.entry_)) {}
  constexpr FreeText(FreeText&& other) noexcept : TextHandle(std::exchange(other.entry_, nullptr)) {}
  constexpr FreeText& operator=(FreeText other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  constexpr ~FreeText() {
    if !consteval {
      if (entry_ != nullptr && entry_->drop()) give_back(entry_);
    }
  }

  bool operator==(const FreeText& other) const { return equals(other); }
  bool operator==(std::string_view other) const { return view() == other; }
  std::strong_ordering operator<=>(const FreeText& other) const { return view() <=> other.view(); }
  std::strong_ordering operator<=>(std::string_view other) const { return view() <=> other; }

 private:
  static void give_back(const detail::TextEntry* entry);
};

static_assert(sizeof(Text) == 8 && sizeof(FreeText) == 8);

inline namespace literals {

// "Ready"_text: immortal, made by the compiler, usable in constexpr tables.
template <detail::Characters literal>
constexpr Text operator""_text() {
  return Text::of_literal<literal>();
}

}  // namespace literals
}  // namespace capstan

template <>
struct std::hash<capstan::Text> {
  using is_transparent = void;
  std::size_t operator()(const capstan::Text& text) const noexcept { return text.hash(); }
  std::size_t operator()(std::string_view text) const noexcept { return capstan::detail::text_hash(text); }
};

template <>
struct std::hash<capstan::FreeText> {
  std::size_t operator()(const capstan::FreeText& text) const noexcept { return text.hash(); }
};
