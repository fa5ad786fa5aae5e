#include "api/schema/validate.h"

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "api/schema/encode.h"
#include "api/schema/json_events.h"
#include "api/schema/lists_in_text.h"

namespace capstan::api {
namespace detail {
namespace {

template <typename T>
const T& as(const void* address) {
  return *static_cast<const T*>(address);
}

std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
}

// Walks one object and gathers what is wrong with it. Absent members are not looked into.
class Checker {
 public:
  std::vector<Cause> take() { return std::move(causes_); }

  void object(const TypeInfo& type, const void* object, const std::string& path) {
    check_properties(type, object, *type.rules, path);
    for (const Member& member : type.members) {
      const std::string child =
          path.empty() ? std::string(member.name) : fmt::format("{}.{}", path, member.name);
      field(member, member.address(const_cast<void*>(object)), child);
    }
  }

 private:
  void field(const Member& member, const void* address, const std::string& path) {
    const TypeInfo* type = member.type;
    if (type->shape == Shape::ManagedFields) return;
    if (type->shape == Shape::Holder) {
      address = type->peek(address);
      const bool absent = address != nullptr && type->absent_is_empty && is_empty(*type->element, address);
      if (absent) address = nullptr;
      type = type->element;
    }
    if (address == nullptr || is_missing(member, *type, address)) {
      if (member.rules.required) causes_.push_back(field_required(path));
      return;
    }
    const bool absent =
        member.type->shape != Shape::Holder && !member.rules.required && is_empty(*type, address);
    if (!absent) value(*type, address, member.rules, path);
  }

  // A required text that has to hold something and does not was never given.
  static bool is_missing(const Member& member, const TypeInfo& type, const void* address) {
    const bool texts = type.shape == Shape::Text || type.shape == Shape::FreeText;
    if (texts) return member.rules.min_length.value_or(0) > 0 && is_empty(type, address);
    return (type.shape == Shape::Time || type.shape == Shape::MicroTime) && is_empty(type, address);
  }

  void value(const TypeInfo& type, const void* address, const Rules& rules, const std::string& path) {
    switch (type.shape) {
      case Shape::Int32: return number(as<std::int32_t>(address), rules, path);
      case Shape::Int64: return number(as<std::int64_t>(address), rules, path);
      case Shape::IntOrString:
        if (!as<IntOrString>(address).is_string()) number(as<IntOrString>(address).number(), rules, path);
        return;
      case Shape::Text: return text(as<Text>(address), rules, path);
      case Shape::FreeText: return text(as<FreeText>(address), rules, path);
      case Shape::TextMap: return map(as<TextMap>(address), rules, path);
      case Shape::List: return list(type, address, rules, path);
      case Shape::Object: check_properties(type, address, rules, path); return object(type, address, path);
      case Shape::Holder:
        if (const void* element = type.peek(address)) value(*type.element, element, rules, path);
        return;
      case Shape::Boolean:
      case Shape::Time:
      case Shape::MicroTime:
      case Shape::Uid:
      case Shape::ResourceVersion:
      case Shape::RawJson:
      case Shape::ManagedFields: return;
    }
  }

  void number(std::int64_t value, const auto& rules, const std::string& path) {
    if (rules.minimum && value < *rules.minimum) {
      invalid(path, std::to_string(value),
              fmt::format("should be greater than or equal to {}", *rules.minimum));
    }
    if (rules.maximum && value > *rules.maximum) {
      invalid(path, std::to_string(value), fmt::format("should be less than or equal to {}", *rules.maximum));
    }
  }

  void text(std::string_view value, const auto& rules, const std::string& path) {
    if (rules.max_length && characters(value) > *rules.max_length) {
      causes_.push_back(field_too_long(path, *rules.max_length));
      return;
    }
    if (rules.min_length && characters(value) < *rules.min_length) {
      invalid(path, quoted(value), fmt::format("should be at least {} chars long", *rules.min_length));
    }
    if (!rules.pattern.empty() && !std::regex_search(value.begin(), value.end(), pattern(rules.pattern))) {
      invalid(path, quoted(value), fmt::format("should match '{}'", rules.pattern));
    }
    const auto allowed = parts_of(rules.one_of);
    if (!allowed.empty() && std::ranges::find(allowed, value) == allowed.end()) {
      causes_.push_back(field_not_supported(path, quoted(value), {allowed.begin(), allowed.end()}));
    }
  }

  void map(const TextMap& map, const Rules& rules, const std::string& path) {
    properties(static_cast<std::int64_t>(map.size()), rules, path);
    for (const auto& [key, value] : map) text(value, rules.items, fmt::format("{}.{}", path, key.view()));
  }

  void list(const TypeInfo& type, const void* list, const Rules& rules, const std::string& path) {
    const std::size_t size = type.size(list);
    const auto count = static_cast<std::int64_t>(size);
    if (rules.max_items && count > *rules.max_items)
      causes_.push_back(field_too_many(path, count, *rules.max_items));
    if (rules.min_items && count < *rules.min_items) {
      invalid(path, std::to_string(count), fmt::format("should have at least {} items", *rules.min_items));
    }
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string element_path = fmt::format("{}[{}]", path, i);
      element(*type.element, type.at(list, i), rules, element_path);
      unique(*type.element, type.at(list, i), rules, element_path, seen);
    }
  }

  void element(const TypeInfo& type, const void* address, const Rules& rules, const std::string& path) {
    switch (type.shape) {
      case Shape::Object: return object(type, address, path);
      case Shape::Text: return text(as<Text>(address), rules.items, path);
      case Shape::FreeText: return text(as<FreeText>(address), rules.items, path);
      case Shape::Int32: return number(as<std::int32_t>(address), rules.items, path);
      case Shape::Int64: return number(as<std::int64_t>(address), rules.items, path);
      case Shape::Boolean:
      case Shape::Time:
      case Shape::MicroTime:
      case Shape::IntOrString:
      case Shape::Uid:
      case Shape::ResourceVersion:
      case Shape::RawJson:
      case Shape::TextMap:
      case Shape::ManagedFields:
      case Shape::List:
      case Shape::Holder: return;
    }
  }

  // List maps by their keys, sets by the whole element.
  void unique(const TypeInfo& type, const void* address, const Rules& rules, const std::string& path,
              std::vector<std::string>& seen) {
    if (rules.list_keys.empty() && rules.list != ListType::Set) return;
    boost::json::value element = to_json(type, address);
    if (!rules.list_keys.empty()) {
      boost::json::object keys;
      for (const std::string_view key : parts_of(rules.list_keys)) keys[key] = element.as_object()[key];
      element = std::move(keys);
    }
    std::string identity = boost::json::serialize(element);
    if (std::ranges::find(seen, identity) != seen.end()) {
      causes_.push_back(field_duplicate(path, identity));
      return;
    }
    seen.push_back(std::move(identity));
  }

  void check_properties(const TypeInfo& type, const void* object, const auto& rules,
                        const std::string& path) {
    if (!rules.min_properties && !rules.max_properties) return;
    properties(static_cast<std::int64_t>(to_json(type, object).as_object().size()), rules, path);
  }

  void properties(std::int64_t count, const auto& rules, const std::string& path) {
    if (rules.min_properties && count < *rules.min_properties) {
      invalid(path, std::to_string(count),
              fmt::format("should have at least {} properties", *rules.min_properties));
    }
    if (rules.max_properties && count > *rules.max_properties) {
      invalid(path, std::to_string(count),
              fmt::format("should have at most {} properties", *rules.max_properties));
    }
  }

  void invalid(const std::string& path, std::string_view value_json, std::string_view detail) {
    causes_.push_back(field_invalid(path, value_json, fmt::format("{} in body {}", path, detail)));
  }

  // Compiling one takes longer than what it is asked; the kinds have a few dozen.
  static const std::regex& pattern(std::string_view text) {
    static thread_local std::map<std::string, std::regex, std::less<>> compiled;
    const auto found = compiled.find(text);
    if (found != compiled.end()) return found->second;
    return compiled
        .emplace(text, std::regex(text.begin(), text.end(), std::regex::ECMAScript | std::regex::nosubs))
        .first->second;
  }

  std::vector<Cause> causes_ = {};
};

}  // namespace

std::vector<Cause> validate(const TypeInfo& type, const void* object) {
  Checker checker;
  checker.object(type, object, {});
  return checker.take();
}

}  // namespace detail

Cause field_invalid(std::string_view field, std::string_view value_json, std::string_view detail) {
  return {std::string(field), "FieldValueInvalid", fmt::format("Invalid value: {}: {}", value_json, detail)};
}

Cause field_required(std::string_view field, std::string_view detail) {
  return {std::string(field), "FieldValueRequired",
          detail.empty() ? "Required value" : fmt::format("Required value: {}", detail)};
}

Cause field_forbidden(std::string_view field, std::string_view detail) {
  return {std::string(field), "FieldValueForbidden", fmt::format("Forbidden: {}", detail)};
}

Cause field_internal_error(std::string_view field, std::string_view detail) {
  return {std::string(field), "InternalError", fmt::format("Internal error: {}", detail)};
}

Cause field_duplicate(std::string_view field, std::string_view value_json) {
  return {std::string(field), "FieldValueDuplicate", fmt::format("Duplicate value: {}", value_json)};
}

Cause field_not_supported(std::string_view field, std::string_view value_json,
                          const std::vector<std::string>& supported) {
  std::vector<std::string> shown;
  for (const std::string& value : supported) shown.push_back(quoted(value));
  return {std::string(field), "FieldValueNotSupported",
          fmt::format("Unsupported value: {}: supported values: {}", value_json, fmt::join(shown, ", "))};
}

Cause field_too_long(std::string_view field, std::int64_t max_length) {
  return {std::string(field), "FieldValueTooLong",
          fmt::format("Too long: may not be more than {} bytes", max_length)};
}

Cause field_too_many(std::string_view field, std::int64_t actual, std::int64_t max_items) {
  return {std::string(field), "FieldValueTooMany",
          fmt::format("Too many: {}: must have at most {} items", actual, max_items)};
}

std::string quoted(std::string_view text) {
  std::string out;
  detail::append_quoted(out, text);
  return out;
}

}  // namespace capstan::api
