#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

std::string_view to_string(Type type) {
  switch (type) {
    case Type::Any: return "";
    case Type::Object: return "object";
    case Type::Array: return "array";
    case Type::String: return "string";
    case Type::Integer: return "integer";
    case Type::Number: return "number";
    case Type::Boolean: return "boolean";
  }
  return "";
}

const Schema* Schema::field(std::string_view name) const {
  const auto found = properties.find(name);
  if (found != properties.end()) return found->second.get();
  return additional.get();
}

}  // namespace capstan::apiserver
