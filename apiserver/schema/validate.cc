#include "apiserver/schema/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apiserver/document/document.h"
#include "apiserver/schema/formats.h"
#include "apiserver/schema/pattern.h"
#include "apiserver/schema/value_type.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kNoField = "<nil>";

// The path as field errors print it: without the dot a field of the root starts with.
std::string shown_path(std::string_view path) {
  return path.empty() ? std::string(kNoField) : std::string(path.starts_with('.') ? path.substr(1) : path);
}

StatusCause wrong_type(std::string_view path, std::string_view wanted, std::string_view actual) {
  return type_invalid(shown_path(path), json::value(actual),
                      fmt::format("{} in body must be of type {}: {}", path, wanted, quoted(actual)));
}

StatusCause complaint(std::string_view path, const json::value& value, std::string_view why) {
  return invalid_value(shown_path(path), value, fmt::format("{} in body {}", path, why));
}

StatusCause junctor(std::string_view why) {
  return invalid_value(std::string(kNoField), json::value(""), why);
}

// Fields of the root keep a dot in the sentence where the real server does.
std::string member(std::string_view path, std::string_view name) { return child(path, name); }

// The value in the old document that the one at hand grew out of.
const json::value* old_field(const json::value* before, std::string_view name) {
  const auto* object = before == nullptr ? nullptr : before->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

const json::value* old_item(const json::value* before, const Schema& schema, const json::value& item) {
  const auto* array = before == nullptr ? nullptr : before->if_array();
  if (array == nullptr || schema.list_type != ListType::Map || !item.is_object()) return nullptr;
  const auto same_keys = [&](const json::value& one) {
    return one.is_object() && std::ranges::all_of(schema.list_keys, [&](const std::string& key) {
             const auto* left = one.get_object().if_contains(key);
             const auto* right = item.get_object().if_contains(key);
             return left != nullptr && right != nullptr ? *left == *right : left == right;
           });
  };
  const auto found = std::ranges::find_if(*array, same_keys);
  return found == array->end() ? nullptr : &*found;
}

void check(const json::value& value, const Schema& schema, const json::value* before, const std::string& path,
           FieldErrors& errors);

void check_type(const json::value& value, const Schema& schema, const std::string& path,
                FieldErrors& errors) {
  const auto wanted = wanted_type(schema);
  if (wanted.empty() && schema.format.empty()) return;
  const auto actual = actual_type(value);
  if (value.is_null()) {
    if (!wanted.empty() && !schema.nullable) errors.push_back(wrong_type(path, wanted, "null"));
    return;
  }
  if (wanted.empty() || fits(value, schema)) return;
  const bool fraction = value.is_double();
  if (fraction && !schema.format.empty()) {
    errors.push_back(wrong_type(path, schema.format, "float64"));
  } else {
    errors.push_back(wrong_type(path, wanted, actual));
  }
}

void check_junctors(const json::value& value, const Schema& schema, const std::string& path,
                    FieldErrors& errors) {
  const auto judged = [&](const SchemaPtr& one) {
    FieldErrors found;
    check(value, *one, nullptr, path, found);
    return found;
  };
  if (!schema.any_of.empty()) {
    const auto first = judged(schema.any_of.front());
    if (!std::ranges::any_of(schema.any_of, [&](const auto& one) { return judged(one).empty(); })) {
      errors.push_back(junctor(fmt::format("{} must validate at least one schema (anyOf)", quoted(path))));
      errors.insert(errors.end(), first.begin(), first.end());
    }
  }
  if (!schema.one_of.empty()) {
    const auto valid =
        std::ranges::count_if(schema.one_of, [&](const auto& one) { return judged(one).empty(); });
    if (valid != 1) {
      errors.push_back(
          junctor(fmt::format("{} must validate one and only one schema (oneOf). Found {}", quoted(path),
                              valid == 0 ? "none valid" : fmt::format("{} valid alternatives", valid))));
      if (valid == 0) {
        const auto first = judged(schema.one_of.front());
        errors.insert(errors.end(), first.begin(), first.end());
      }
    }
  }
  if (!schema.all_of.empty()) {
    FieldErrors found;
    for (const auto& one : schema.all_of) check(value, *one, nullptr, path, found);
    if (!found.empty()) {
      errors.push_back(junctor(fmt::format("{} must validate all the schemas (allOf)", quoted(path))));
      errors.insert(errors.end(), found.begin(), found.end());
    }
  }
  if (schema.not_ && judged(schema.not_).empty()) {
    errors.push_back(junctor(fmt::format("{} must not validate the schema (not)", quoted(path))));
  }
}

std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

void check_text(const json::value& value, const Schema& schema, const std::string& path,
                FieldErrors& errors) {
  const auto text = text_of(value);
  const auto length = characters(text);
  if (schema.max_length && length > *schema.max_length) {
    errors.push_back(too_long(shown_path(path), static_cast<std::size_t>(*schema.max_length)));
  }
  if (schema.min_length && length < *schema.min_length) {
    errors.push_back(
        complaint(path, value, fmt::format("should be at least {} chars long", *schema.min_length)));
  }
  if (schema.compiled_pattern && !schema.compiled_pattern->found_in(text)) {
    errors.push_back(complaint(path, value, fmt::format("should match '{}'", schema.pattern)));
  }
  if (!schema.format.empty() && schema.type == Type::String && !has_format(schema.format, text)) {
    errors.push_back(
        type_invalid(shown_path(path), value,
                     fmt::format("{} in body must be of type {}: {}", path, schema.format, quoted(text))));
  }
}

void check_number(const json::value& value, const Schema& schema, const std::string& path,
                  FieldErrors& errors) {
  const auto number = value.to_number<double>();
  const bool too_wide = schema.format == "int32" && (number > 2147483647.0 || number < -2147483648.0);
  if (schema.type == Type::Integer && !schema.format.empty() && (value.is_double() || too_wide)) {
    errors.push_back(junctor(
        fmt::format("Checked value must be of type integer with format {} in {}", schema.format, path)));
  }
  if (schema.multiple_of && std::fmod(number, *schema.multiple_of) != 0) {
    errors.push_back(complaint(path, value, fmt::format("should be a multiple of {}", *schema.multiple_of)));
  }
  if (schema.maximum &&
      (number > *schema.maximum || (schema.exclusive_maximum && number == *schema.maximum))) {
    errors.push_back(complaint(path, value,
                               fmt::format("should be less than {}{}",
                                           schema.exclusive_maximum ? "" : "or equal to ", *schema.maximum)));
  }
  if (schema.minimum &&
      (number < *schema.minimum || (schema.exclusive_minimum && number == *schema.minimum))) {
    errors.push_back(complaint(path, value,
                               fmt::format("should be greater than {}{}",
                                           schema.exclusive_minimum ? "" : "or equal to ", *schema.minimum)));
  }
}

void check_items(const json::value& value, const Schema& schema, const json::value* before,
                 const std::string& path, FieldErrors& errors) {
  const auto& array = value.get_array();
  for (std::size_t i = 0; schema.items && i < array.size(); ++i) {
    check(array[i], *schema.items, old_item(before, schema, array[i]), item(path, i), errors);
  }
  const auto size = static_cast<std::int64_t>(array.size());
  if (schema.min_items && size < *schema.min_items) {
    errors.push_back(
        complaint(path, json::value(size), fmt::format("should have at least {} items", *schema.min_items)));
  }
  if (schema.max_items && size > *schema.max_items) {
    errors.push_back(too_many(shown_path(path), array.size(), static_cast<std::size_t>(*schema.max_items)));
  }
  if (!schema.unique_items) return;
  for (auto one = array.begin(); one != array.end(); ++one) {
    if (std::find(array.begin(), one, *one) == one) continue;
    errors.push_back(complaint(path, value, "shouldn't contain duplicates"));
    return;
  }
}

void check_fields(const json::value& value, const Schema& schema, const json::value* before,
                  const std::string& path, FieldErrors& errors) {
  const auto& object = value.get_object();
  const auto size = static_cast<std::int64_t>(object.size());
  if (schema.min_properties && size < *schema.min_properties) {
    errors.push_back(complaint(path, json::value(size),
                               fmt::format("should have at least {} properties", *schema.min_properties)));
  }
  if (schema.max_properties && size > *schema.max_properties) {
    errors.push_back(
        too_many(shown_path(path), object.size(), static_cast<std::size_t>(*schema.max_properties)));
  }
  for (const auto& field : object) {
    const auto* known = schema.field(field.key());
    if (known != nullptr)
      check(field.value(), *known, old_field(before, field.key()), member(path, field.key()), errors);
  }
  for (const auto& name : schema.required) {
    if (!object.contains(name)) errors.push_back(required(shown_path(member(path, name))));
  }
  if (!schema.embedded_resource) return;
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (text_at(object, {name}).empty()) errors.push_back(required(shown_path(member(path, name))));
  }
}

void check(const json::value& value, const Schema& schema, const json::value* before, const std::string& path,
           FieldErrors& errors) {
  if (before != nullptr && *before == value) return;
  check_type(value, schema, path, errors);
  if (!value.is_null()) check_junctors(value, schema, path, errors);
  if (value.is_string()) check_text(value, schema, path, errors);
  if (value.is_number()) check_number(value, schema, path, errors);
  if (value.is_array()) check_items(value, schema, before, path, errors);
  if (!schema.enumeration.empty() &&
      std::ranges::find(schema.enumeration, value) == schema.enumeration.end() && !value.is_null()) {
    std::vector<std::string> allowed;
    for (const auto& one : schema.enumeration) {
      allowed.push_back(one.is_string() ? std::string(one.get_string()) : json::serialize(one));
    }
    errors.push_back(unsupported_value(shown_path(path), value, allowed));
  }
  if (value.is_object()) check_fields(value, schema, before, path, errors);
}

}  // namespace

FieldErrors schema_errors(const json::object& resource, const Schema& schema, const json::object* before) {
  FieldErrors errors;
  const json::value now(resource);
  if (before == nullptr) {
    check(now, schema, nullptr, "", errors);
  } else {
    const json::value then(*before);
    check(now, schema, &then, "", errors);
  }
  return errors;
}

}  // namespace capstan::apiserver
