#include <fmt/format.h>

#include <boost/json.hpp>
#include <limits>

#include "api/v1beta1/form.h"
#include "base/duration.h"
#include "base/time.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

Failure wrong(std::string_view wanted) { return fail(Code::Invalid, fmt::format("wants {}", wanted)); }

// "spec.replicas: wants a number": the way down is put together on the way up.
Failure below(Error error, std::string_view step) {
  const bool leaf = error.message.starts_with("wants ") || error.message.starts_with("is ");
  error.message = fmt::format("{}{}{}", step,
                              leaf                             ? ": "
                              : error.message.starts_with("[") ? ""
                                                               : ".",
                              error.message);
  return Failure(std::move(error));
}

Result<void> read_value(const Form& form, const Form* target, json::value& value);

Result<void> read_integer(const json::value& value, std::int64_t least, std::int64_t most) {
  if (const auto* number = value.if_int64(); number != nullptr && *number >= least && *number <= most)
    return {};
  if (const auto* number = value.if_uint64();
      number != nullptr && *number <= static_cast<std::uint64_t>(most))
    return {};
  return wrong("a whole number within its bounds");
}

Result<void> read_int_or_string(const json::value& value) {
  if (value.is_string()) return {};
  using Bounds = std::numeric_limits<std::int32_t>;
  if (read_integer(value, Bounds::min(), Bounds::max())) return {};
  return wrong("a whole number or a string");
}

Result<void> read_text(const Form& form, json::value& value) {
  if (!value.is_string()) return wrong("a string");
  if (!form.duration) return {};
  const auto span = parse_duration(std::string_view(value.get_string()));
  if (!span) return wrong("a duration as 1m30s");
  value = json::string(format_duration(*span));
  return {};
}

Result<void> read_time(json::value& value) {
  if (!value.is_string()) return wrong("a time");
  const auto time = Time::parse(std::string_view(value.get_string()));
  if (!time) return wrong("a time as 2006-01-02T15:04:05Z");
  if (time->is_set())
    value = json::string(time->to_string());
  else
    value = nullptr;
  return {};
}

Result<void> read_micro_time(json::value& value) {
  if (value.is_string()) return {};
  return wrong("a time");
}

Result<void> read_map(json::value& value) {
  if (!value.is_object()) return wrong("an object");
  for (auto& [key, entry] : value.get_object()) {
    if (entry.is_null()) entry = json::string();
    if (!entry.is_string()) return below(wrong("a string").error(), std::string_view(key));
  }
  return {};
}

// A null among others is what Go makes of it: an element in which nothing is set.
Result<void> read_list(const Form& form, json::value& value) {
  if (!value.is_array()) return wrong("a list");
  std::size_t index = 0;
  for (json::value& element : value.get_array()) {
    if (element.is_null() && form.element->shape == Shape::Object) element.emplace_object();
    if (element.is_null() && form.element->shape == Shape::Text) element.emplace_string();
    if (auto outcome = read_value(*form.element, nullptr, element); !outcome) {
      return below(std::move(outcome).error(), fmt::format("[{}]", index));
    }
    ++index;
  }
  return {};
}

Result<void> read_value(const Form& form, const Form* target, json::value& value) {
  using Int32 = std::numeric_limits<std::int32_t>;
  using Int64 = std::numeric_limits<std::int64_t>;
  switch (form.shape) {
    case Shape::Boolean: return value.is_bool() ? Result<void>() : wrong("true or false");
    case Shape::Int32: return read_integer(value, Int32::min(), Int32::max());
    case Shape::Int64: return read_integer(value, Int64::min(), Int64::max());
    case Shape::Text:
    case Shape::FreeText:
    case Shape::Uid:
    case Shape::ResourceVersion: return read_text(form, value);
    case Shape::Time: return read_time(value);
    case Shape::MicroTime: return read_micro_time(value);
    case Shape::IntOrString: return read_int_or_string(value);
    case Shape::TextMap: return read_map(value);
    case Shape::List: return read_list(form, value);
    case Shape::Object:
      if (!value.is_object()) return wrong("an object");
      return read(form, target, value.get_object());
    case Shape::RawJson:
    case Shape::ManagedFields:
    case Shape::Holder: break;
  }
  return {};
}

}  // namespace

Result<void> read(const Form& form, const Form* target, json::object& document) {
  for (auto at = document.begin(); at != document.end();) {
    const std::string_view name = at->key();
    const FormField* field = form.find(name);
    const FormField* same = target == nullptr ? nullptr : target->find(name);
    bool gone = at->value().is_null() || (field == nullptr && same != nullptr);
    if (!gone && field != nullptr) {
      if (auto outcome = read_value(*field->form, same == nullptr ? nullptr : same->form, at->value());
          !outcome) {
        return below(std::move(outcome).error(), name);
      }
      gone = at->value().is_null() || (!field->pointer && is_zero(*field->form, at->value()));
    }
    at = gone ? document.erase(at) : std::next(at);
  }
  return {};
}

}  // namespace capstan::api::v1beta1
