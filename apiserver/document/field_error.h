// What is wrong with one field, in Kubernetes' words: the causes of an Invalid status. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/status_error.h"

namespace capstan::apiserver {

using FieldErrors = std::vector<StatusCause>;

StatusCause required(std::string field, std::string_view detail = {});
StatusCause invalid_value(std::string field, const json::value& value, std::string_view detail);
// The value is of another type than the schema says; the value is printed, or its type's name.
StatusCause type_invalid(std::string field, const json::value& value, std::string_view detail);
StatusCause unsupported_value(std::string field, const json::value& value,
                              const std::vector<std::string>& supported);
StatusCause duplicate_value(std::string field, const json::value& value);
StatusCause forbidden_field(std::string field, std::string_view detail);
StatusCause too_long(std::string field, std::size_t limit);
StatusCause too_many(std::string field, std::size_t actual, std::size_t limit);

// As Go's %q and strconv.Quote print it.
std::string quoted(std::string_view text);
// As messages show a value: strings quoted, the rest as JSON.
std::string shown(const json::value& value);
// "spec.template" + "metadata" -> "spec.template.metadata"; "" + "spec" -> "spec".
std::string child(std::string_view path, std::string_view name);
std::string item(std::string_view path, std::size_t index);      // path[3]
std::string entry(std::string_view path, std::string_view key);  // path[key]

}  // namespace capstan::apiserver
