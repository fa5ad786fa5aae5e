#include "apiserver/continue_token.h"

#include <array>
#include <boost/json.hpp>

#include "apiserver/document.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string to_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    held += 8;
    for (; held >= 6; held -= 6) text += kAlphabet[(bits >> (held - 6)) & 63];
  }
  if (held > 0) text += kAlphabet[(bits << (6 - held)) & 63];
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto value = kAlphabet.find(c);
    if (value == std::string_view::npos) return {};
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      bytes += static_cast<char>((bits >> (held - 8)) & 255);
      held -= 8;
    }
  }
  return bytes;
}

}  // namespace

std::string render_continue(const ContinueToken& token) {
  return to_base64(json::serialize(json::object{
      {"v", "capstan/1"}, {"rv", token.version}, {"ns", token.after.namespace_}, {"name", token.after.name}}));
}

std::expected<ContinueToken, std::string> parse_continue(std::string_view text) {
  boost::system::error_code bad;
  const auto parsed = json::parse(from_base64(text), bad);
  const auto* fields = bad ? nullptr : parsed.if_object();
  if (fields == nullptr) return std::unexpected("illegal base64 data");
  if (text_at(*fields, {"v"}) != "capstan/1") return std::unexpected("unrecognized version");
  const auto version = integer_at(*fields, {"rv"});
  if (!version || *version < 0) return std::unexpected("unrecognized resource version");
  return ContinueToken{.version = static_cast<std::uint64_t>(*version),
                       .after = {.namespace_ = std::string(text_at(*fields, {"ns"})),
                                 .name = std::string(text_at(*fields, {"name"}))}};
}

}  // namespace capstan::apiserver
