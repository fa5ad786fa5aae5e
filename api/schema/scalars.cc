#include "api/schema/scalars.h"

#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "base/hash.h"

namespace capstan::api {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kUuidLength = 36;
constexpr bool is_dash(std::size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

struct Halves {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

// Lower-case UUIDs only: anything else would not come back as it was.
std::optional<Halves> parse_uuid(std::string_view text) {
  if (text.size() != kUuidLength) return std::nullopt;
  std::array<std::uint64_t, 2> halves{};
  std::size_t digit = 0;
  for (std::size_t i = 0; i < kUuidLength; ++i) {
    if (is_dash(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const std::size_t value = kHex.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    auto& half = halves[digit++ / 16];
    half = half << 4U | value;
  }
  return Halves{halves[0], halves[1]};
}

}  // namespace

Uid::Uid(std::string_view text) : low_(0) {
  if (text.empty()) return;
  const auto uuid = parse_uuid(text);
  const bool ours = uuid && uuid->high != kOdd && (uuid->high != 0 || uuid->low != 0);
  if (ours) {
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
  std::string out;
  out.reserve(kUuidLength);
  std::size_t digit = 0;
  while (out.size() < kUuidLength) {
    if (is_dash(out.size())) {
      out += '-';
      continue;
    }
    const std::uint64_t half = digit < 16 ? high_ : low_;
    out += kHex[half >> (60 - 4 * (digit % 16)) & 0xfU];
    ++digit;
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
