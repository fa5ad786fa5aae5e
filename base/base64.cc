#include "base/base64.h"

#include <algorithm>
#include <cstdint>

namespace capstan {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
}

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group =
        byte_at(bytes, i) << 16U | byte_at(bytes, i + 1) << 8U | byte_at(bytes, i + 2);
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t digit = 0; digit < digits; ++digit) text += alphabet[group >> (18 - 6 * digit) & 63U];
  }
  return text;
}

// Digits of the alphabet only, without padding; nothing else is accepted.
Result<std::string> decode(std::string_view digits, std::string_view alphabet) {
  if (digits.size() % 4 == 1) return fail(Code::Invalid, "base64 text is cut off");
  std::string bytes;
  bytes.reserve(digits.size() * 3 / 4);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : digits) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) return fail(Code::Invalid, "not base64: unexpected character");
    group = group << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  return bytes;
}

std::string without_line_breaks(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  for (const char c : text) {
    if (c != '\r' && c != '\n') joined += c;
  }
  return joined;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text = encode(bytes, kStandard);
  text.resize((bytes.size() + 2) / 3 * 4, '=');
  return text;
}

Result<std::string> base64_decode(std::string_view text) {
  const std::string joined = without_line_breaks(text);
  if (joined.size() % 4 != 0) return fail(Code::Invalid, "base64 text is cut off");
  std::string_view digits = joined;
  for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) digits.remove_suffix(1);
  return decode(digits, kStandard);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrl); }
Result<std::string> base64url_decode(std::string_view text) { return decode(text, kUrl); }

}  // namespace capstan
