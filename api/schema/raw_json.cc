#include "api/schema/raw_json.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <iterator>

#include "api/schema/json_events.h"
#include "api/schema/json_reader.h"
#include "api/schema/raw_writer.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

// Carried text may be as deep as what it came from. Most of it are words that need no parser.
json::value parse_carried(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (text.front() == '"' && text.find('\\') == std::string_view::npos)
    return json::string(text.substr(1, text.size() - 2));
  json::parse_options options;
  options.max_depth = 512;
  return json::parse(text, {}, options);
}

std::string compact(const json::value& value) {
  detail::RawWriter writer;
  detail::replay(value, writer);
  return std::string(writer.text());
}

}  // namespace

RawJson::RawJson(const json::value& value) : text_(compact(value)) {}

// What nearly every object of a provider says is there once.
RawJson RawJson::from_compact(std::string_view compact) {
  using Common = std::array<FreeText, 4>;
  static const capstan::detail::Immortal<Common> kCommon(Common{FreeText("true"), FreeText("[]"),
                                                                FreeText(R"({"provisioned":true})"),
                                                                FreeText(R"({"dataSecretCreated":true})")});
  RawJson raw;
  const auto* const common = std::ranges::find(kCommon.value, compact);
  raw.text_ = common != kCommon.value.end() ? *common : FreeText(compact);
  return raw;
}

json::value RawJson::to_json() const { return empty() ? json::value() : parse_carried(text()); }

UnknownFields::UnknownFields(const json::object& members)
    : text_(members.empty() ? std::string() : compact(members)) {}

UnknownFields UnknownFields::from_compact(std::string_view compact) {
  UnknownFields fields;
  if (compact != "{}") fields.text_ = FreeText(compact);
  return fields;
}

json::object UnknownFields::to_json() const {
  return empty() ? json::object() : std::move(parse_carried(text()).as_object());
}

std::optional<RawJson> UnknownFields::find(std::string_view name) const {
  if (empty()) return std::nullopt;
  const json::object members = to_json();
  const json::value* found = members.if_contains(name);
  if (found == nullptr) return std::nullopt;
  return RawJson(*found);
}

namespace detail {

std::string plain_text(const Number& number) {
  if (!is_representable(number)) return std::string(number.text);
  char digits[32];
  char* end = digits;
  switch (number.kind) {
    case Number::Kind::Integer: end = std::to_chars(digits, std::end(digits), number.integer).ptr; break;
    case Number::Kind::Unsigned:
      end = std::to_chars(digits, std::end(digits), number.unsigned_integer).ptr;
      break;
    case Number::Kind::Real: end = std::to_chars(digits, std::end(digits), number.real).ptr; break;
  }
  std::string text(digits, end);
  if (number.kind == Number::Kind::Real && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        } else {
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4U];
          out += kHex[static_cast<unsigned char>(c) & 0xfU];
        }
    }
  }
  out += '"';
}

}  // namespace detail
}  // namespace capstan::api
