#include "apiserver/schema/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/schema/formats.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

// Where we are: with indexes for unknown fields, as Go counts fields for type errors.
struct Place {
  std::string path = {};       // spec.containers[0].name
  std::string go_field = {};   // PodSpec.spec.containers.name
  std::string go_struct = {};  // PodSpec
  std::string dotted = {};     // spec.containers
};

std::string json_word(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "bool";
    case json::kind::int64:
    case json::kind::uint64: return "number";
    case json::kind::double_: return "number " + shown(value);
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
  }
  return "";
}

std::string go_type(const Schema& schema) {
  switch (schema.type) {
    case Type::Any: return "interface {}";
    case Type::String: return "string";
    case Type::Integer: return schema.format.empty() ? "int64" : schema.format;
    case Type::Number: return "float64";
    case Type::Boolean: return "bool";
    case Type::Array: return "[]" + (schema.items ? go_type(*schema.items) : std::string("interface {}"));
    case Type::Object: break;
  }
  if (schema.type_name.empty())
    return "map[string]" + (schema.additional ? go_type(*schema.additional) : "string");
  return "v1." + schema.type_name.substr(schema.type_name.rfind('.') + 1);
}

class Decoder {
 public:
  DecodeFindings findings = {};

  void value(json::value& value, const Schema& schema, const Place& place);
  void object(json::object& object, const Schema& schema, const Place& place);
  void normalise(json::object& object, const Schema& schema);

 private:
  void mismatch(const json::value& value, const Schema& schema, const Place& place);
  void scalar(json::value& value, const Schema& schema, const Place& place);
  void array(json::array& array, const Schema& schema, const Place& place);
};

void Decoder::mismatch(const json::value& value, const Schema& schema, const Place& place) {
  if (findings.error) return;
  const auto where = place.go_struct.empty() ? fmt::format("Go value of type {}", go_type(schema))
                                             : fmt::format("Go struct field {}.{} of type {}",
                                                           place.go_struct, place.dotted, go_type(schema));
  findings.error = fmt::format("json: cannot unmarshal {} into {}", json_word(value), where);
}

void Decoder::value(json::value& value, const Schema& schema, const Place& place) {
  if (schema.preserve_unknown && schema.type == Type::Any) return;
  if (schema.type == Type::Object) {
    if (!value.is_object()) return mismatch(value, schema, place);
    return object(value.get_object(), schema, place);
  }
  if (schema.type == Type::Array) {
    if (!value.is_array()) return mismatch(value, schema, place);
    return array(value.get_array(), schema, place);
  }
  scalar(value, schema, place);
}

void Decoder::scalar(json::value& value, const Schema& schema, const Place& place) {
  if (schema.int_or_string) {
    if (!value.is_int64() && !value.is_string()) mismatch(value, schema, place);
    return;
  }
  if (schema.format == "quantity" && value.is_number()) value = json::value(shown(value));
  switch (schema.type) {
    case Type::Boolean:
      if (!value.is_bool()) mismatch(value, schema, place);
      return;
    case Type::Integer:
      if (!value.is_int64() ||
          (schema.format == "int32" && value.get_int64() != static_cast<std::int32_t>(value.get_int64()))) {
        mismatch(value, schema, place);
      }
      return;
    case Type::Number:
      if (!value.is_number()) mismatch(value, schema, place);
      return;
    case Type::String: break;
    case Type::Any:
    case Type::Array:
    case Type::Object: return;
  }
  if (!value.is_string()) return mismatch(value, schema, place);
  if (findings.error) return;
  const auto text = text_of(value);
  if (schema.format == "byte" && !is_base64(text)) {
    findings.error = fmt::format("illegal base64 data at input byte {}", first_bad_base64(text));
  }
  if (schema.format == "date-time" && !text.empty() && !is_date_time(text)) {
    findings.error = fmt::format(
        "parsing time {0} as \"2006-01-02T15:04:05Z07:00\": cannot parse {0} as \"2006\"", quoted(text));
  }
  if (schema.format == "date-time-micro" && !text.empty() && !MicroTime::parse(text)) {
    const auto rest = is_date_time(text) ? text.substr(19) : text;
    findings.error =
        fmt::format("parsing time {} as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse {} as {}",
                    quoted(text), quoted(rest), is_date_time(text) ? "\".000000\"" : "\"2006\"");
  }
}

void Decoder::array(json::array& array, const Schema& schema, const Place& place) {
  if (!schema.items) return;
  for (std::size_t i = 0; i < array.size(); ++i) {
    auto here = place;
    here.path = item(place.path, i);
    if (array[i].is_null()) {
      if (schema.items->type == Type::Object)
        array[i].emplace_object();
      else
        continue;
    }
    value(array[i], *schema.items, here);
  }
}

void Decoder::object(json::object& object, const Schema& schema, const Place& place) {
  std::vector<std::string> names;
  for (const auto& field : object) names.emplace_back(field.key());
  std::ranges::sort(names);
  for (const auto& name : names) {
    auto here = place;
    here.path = child(place.path, name);
    const auto* known = schema.field(name);
    if (known == nullptr) {
      findings.unknown_fields.push_back(here.path);
      object.erase(name);
      continue;
    }
    auto& slot = object[name];
    if (slot.is_null()) {
      if (schema.additional && known->type == Type::String)
        slot = "";
      else
        object.erase(name);
      continue;
    }
    if (!schema.additional) {
      here.dotted = child(place.dotted, name);
      here.go_struct = schema.type_name.substr(schema.type_name.rfind('.') + 1);
    }
    value(slot, *known, here);
  }
  if (!schema.additional) normalise(object, schema);
}

json::value zero(const Schema& schema) {
  switch (schema.type) {
    case Type::String: return schema.format.starts_with("date-time") ? json::value(nullptr) : json::value("");
    case Type::Integer: return 0;
    case Type::Number: return 0;
    case Type::Boolean: return false;
    case Type::Object: return schema.type_name.empty() ? json::value(nullptr) : json::value(json::object());
    case Type::Array: return nullptr;
    case Type::Any: return schema.int_or_string ? json::value(0) : json::value(nullptr);
  }
  return nullptr;
}

void Decoder::normalise(json::object& object, const Schema& schema) {
  for (const auto& [name, field] : schema.properties) {
    auto* slot = object.if_contains(name);
    switch (field->presence) {
      case Presence::Pointer: break;
      case Presence::OmitEmpty:
        if (slot != nullptr && is_empty(*slot)) object.erase(name);
        break;
      case Presence::Always:
        if (slot == nullptr) slot = &object.emplace(name, zero(*field)).first->value();
        if (slot->is_string() && slot->get_string().empty() && field->format.starts_with("date-time"))
          *slot = nullptr;
        if (slot->is_object() && !field->type_name.empty()) normalise(slot->get_object(), *field);
    }
  }
}

}  // namespace

DecodeFindings decode_builtin(json::object& document, const Schema& schema, std::string_view path) {
  Decoder decoder;
  decoder.object(document, schema, {.path = std::string(path)});
  return std::move(decoder.findings);
}

void normalise_builtin(json::object& document, const Schema& schema) {
  Decoder().normalise(document, schema);
}

}  // namespace capstan::apiserver
