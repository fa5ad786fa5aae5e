#include "api/schema/scalars.h"

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "base/hash.h"

namespace capstan::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kDigits = 32;
constexpr bool is_dash(std::size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

// The version stands in the 13th digit. 15 is no version: it marks a version 4 that is spelled without
// dashes.
constexpr std::uint64_t kVersionMask = 0xf000;
constexpr std::uint64_t kVersion4 = 0x4000;
constexpr std::uint64_t kUndashed = 0xf000;

// The value of a lower-case digit, or 16.
constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(16);
  for (std::size_t i = 0; i < kHex.size(); ++i)
    values[static_cast<unsigned char>(kHex[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr auto kDigitValues = digit_values();

struct Halves {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

// Without the dashes; nothing when they stand elsewhere.
std::optional<std::array<char, kDigits>> digits_of(std::string_view dashed) {
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) {
    if (dashed[dash] != '-') return std::nullopt;
  }
  std::array<char, kDigits> digits{};
  std::memcpy(digits.data(), dashed.data(), 8);
  std::memcpy(digits.data() + 8, dashed.data() + 9, 4);
  std::memcpy(digits.data() + 12, dashed.data() + 14, 4);
  std::memcpy(digits.data() + 16, dashed.data() + 19, 4);
  std::memcpy(digits.data() + 20, dashed.data() + 24, 12);
  return digits;
}

// Sixteen digits as a number. `seen` gathers the bits of their values: 16 is set when one is no digit, so
// that one look at the end is enough.
std::uint64_t half_of(const char* digits, std::uint64_t& seen) {
  std::uint64_t half = 0;
  for (std::size_t i = 0; i < kDigits / 2; ++i) {
    const std::uint64_t value = kDigitValues[static_cast<unsigned char>(digits[i])];
    seen |= value;
    half = half << 4U | value;
  }
  return half;
}

std::optional<Halves> parse_uuid(std::string_view text) {
  const bool dashed = text.size() == kUuidLength;
  if (!dashed && text.size() != kDigits) return std::nullopt;
  std::array<char, kDigits> digits{};
  if (dashed) {
    const auto found = digits_of(text);
    if (!found) return std::nullopt;
    digits = *found;
  } else {
    std::memcpy(digits.data(), text.data(), kDigits);
  }
  std::uint64_t seen = 0;
  Halves halves{.high = half_of(digits.data(), seen), .low = half_of(digits.data() + kDigits / 2, seen)};
  if (seen > 15) return std::nullopt;
  const std::uint64_t version = halves.high & kVersionMask;
  if (dashed ? version == kUndashed : version != kVersion4) return std::nullopt;
  if (!dashed) halves.high |= kUndashed;
  return halves;
}

}  // namespace

Uid::Uid(std::string_view text) : low_(0) {
  if (text.empty()) return;
  const auto uuid = parse_uuid(text);
  const bool zero = uuid && uuid->high == 0 && uuid->low == 0;  // which means: no UID
  if (uuid && uuid->high != kOdd && !zero) {
    high_ = uuid->high;
    low_ = uuid->low;
    return;
  }
  high_ = kOdd;
  std::construct_at(&text_, text);
}

Uid::Uid(const Uid& other) : high_(other.high_), low_(0) {
  if (odd()) {
    std::construct_at(&text_, other.text_);
  } else {
    low_ = other.low_;
  }
}

Uid::Uid(Uid&& other) noexcept : high_(other.high_), low_(0) {
  if (odd()) {
    std::construct_at(&text_, other.text_);
  } else {
    low_ = other.low_;
  }
}

Uid& Uid::operator=(const Uid& other) {
  if (this == &other) return *this;
  clear();
  std::construct_at(this, other);
  return *this;
}

Uid& Uid::operator=(Uid&& other) noexcept {
  if (this == &other) return *this;
  clear();
  std::construct_at(this, std::move(other));
  return *this;
}

Uid::~Uid() { clear(); }

void Uid::clear() {
  if (odd()) std::destroy_at(&text_);
  high_ = 0;
  low_ = 0;
}

std::string Uid::str() const {
  if (empty()) return {};
  if (odd()) return text_.str();
  const bool dashed = (high_ & kVersionMask) != kUndashed;
  const std::uint64_t high = dashed ? high_ : (high_ & ~kVersionMask) | kVersion4;
  std::string out;
  out.reserve(kUuidLength);
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    if (dashed && is_dash(out.size())) out += '-';
    const std::uint64_t half = digit < 16 ? high : low_;
    out += kHex[half >> (60 - 4 * (digit % 16)) & 0xfU];
  }
  return out;
}

std::uint64_t Uid::hash() const { return odd() ? hash_bytes(text_.view()) : hash_combine(high_, low_); }

bool operator==(const Uid& left, const Uid& right) {
  if (left.high_ != right.high_) return false;
  return left.odd() ? left.text_ == right.text_ : left.low_ == right.low_;
}

std::strong_ordering operator<=>(const Uid& left, const Uid& right) {
  if (left.high_ != right.high_) return left.high_ <=> right.high_;
  return left.odd() ? left.text_ <=> right.text_ : left.low_ <=> right.low_;
}

std::optional<ResourceVersion> ResourceVersion::parse(std::string_view text) {
  if (text.empty()) return ResourceVersion();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return ResourceVersion(number);
}

std::string ResourceVersion::str() const { return empty() ? std::string() : std::to_string(number_); }

}  // namespace capstan::api
