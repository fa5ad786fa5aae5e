// Checks a struct against the rules of its descriptors (not its CEL rules) and words each fault as
// kube-apiserver words it. Cross-field rules are functions beside each kind; they add causes made with
// `field_invalid` and its like.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"
#include "base/error.h"

namespace capstan::api {

namespace detail {
std::vector<Cause> validate(const TypeInfo& type, const void* object);
}

template <detail::Described T>
std::vector<Cause> validate(const T& object) {
  return detail::validate(type_of<T>, &object);
}

// Causes in the words of Kubernetes' field errors. `value` is shown as JSON text.
Cause field_invalid(std::string_view field, std::string_view value_json, std::string_view detail);
Cause field_required(std::string_view field, std::string_view detail = {});
Cause field_forbidden(std::string_view field, std::string_view detail);
Cause field_internal_error(std::string_view field, std::string_view detail);
Cause field_duplicate(std::string_view field, std::string_view value_json);
Cause field_not_supported(std::string_view field, std::string_view value_json,
                          const std::vector<std::string>& supported);
Cause field_too_long(std::string_view field, std::int64_t max_length);
Cause field_too_many(std::string_view field, std::int64_t actual, std::int64_t max_items);
// Text as a JSON string, for `value_json`.
std::string quoted(std::string_view text);

}  // namespace capstan::api
