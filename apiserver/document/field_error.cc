#include "apiserver/document/field_error.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace capstan::apiserver {
namespace {

std::string with_detail(std::string text, std::string_view detail) {
  if (!detail.empty()) fmt::format_to(std::back_inserter(text), ": {}", detail);
  return text;
}

}  // namespace

StatusCause required(std::string field, std::string_view detail) {
  return {.reason = "FieldValueRequired",
          .message = with_detail("Required value", detail),
          .field = std::move(field)};
}

StatusCause invalid_value(std::string field, const json::value& value, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = with_detail("Invalid value: " + shown(value), detail),
          .field = std::move(field)};
}

StatusCause type_invalid(std::string field, const json::value& value, std::string_view detail) {
  return {.reason = "FieldValueTypeInvalid",
          .message = with_detail("Invalid value: " + shown(value), detail),
          .field = std::move(field)};
}

StatusCause unsupported_value(std::string field, const json::value& value,
                              const std::vector<std::string>& supported) {
  std::vector<std::string> names;
  for (const auto& name : supported) names.push_back(quoted(name));
  const auto detail =
      names.empty() ? std::string() : fmt::format("supported values: {}", fmt::join(names, ", "));
  return {.reason = "FieldValueNotSupported",
          .message = with_detail("Unsupported value: " + shown(value), detail),
          .field = std::move(field)};
}

StatusCause duplicate_value(std::string field, const json::value& value) {
  return {.reason = "FieldValueDuplicate",
          .message = "Duplicate value: " + shown(value),
          .field = std::move(field)};
}

StatusCause forbidden_field(std::string field, std::string_view detail) {
  return {.reason = "FieldValueForbidden",
          .message = with_detail("Forbidden", detail),
          .field = std::move(field)};
}

StatusCause too_long(std::string field, std::size_t limit) {
  return {.reason = "FieldValueTooLong",
          .message = fmt::format("Too long: may not be more than {} bytes", limit),
          .field = std::move(field)};
}

StatusCause too_many(std::string field, std::size_t actual, std::size_t limit) {
  return {.reason = "FieldValueTooMany",
          .message = fmt::format("Too many: {}: must have at most {} items", actual, limit),
          .field = std::move(field)};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string shown(const json::value& value) {
  if (const auto* text = value.if_string()) return quoted(*text);
  if (const auto* number = value.if_double()) return fmt::format("{}", *number);
  return json::serialize(value);
}

std::string child(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string item(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

std::string entry(std::string_view path, std::string_view key) { return fmt::format("{}[{}]", path, key); }

}  // namespace capstan::apiserver
