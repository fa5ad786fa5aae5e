#include "apiserver/schema/value_type.h"

#include <boost/json.hpp>

namespace capstan::apiserver {

std::string_view actual_type(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "boolean";
    case json::kind::int64:
    case json::kind::uint64: return "integer";
    case json::kind::double_: return "number";
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
  }
  return "";
}

std::string wanted_type(const Schema& schema) {
  return schema.int_or_string ? "integer,string" : std::string(to_string(schema.type));
}

bool fits(const json::value& value, const Schema& schema) {
  const auto actual = actual_type(value);
  if (schema.int_or_string) return actual == "integer" || actual == "string";
  if (schema.type == Type::Any) return true;
  if (schema.type == Type::Number) return actual == "integer" || actual == "number";
  return actual == to_string(schema.type);
}

}  // namespace capstan::apiserver
