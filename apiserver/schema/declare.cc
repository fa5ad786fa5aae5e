#include "apiserver/schema/declare.h"

#include <stdexcept>

namespace capstan::apiserver {
namespace {

constexpr std::string_view kCore = "io.k8s.api.core.v1";
constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

// Takes the text between two marks off the front of `rest`.
std::optional<std::string_view> bracketed(std::string_view& rest, char open, char close) {
  if (!rest.starts_with(open)) return {};
  const auto end = rest.find(close);
  const auto inside = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return inside;
}

bool take(std::string_view& rest, std::string_view mark) {
  if (!rest.starts_with(mark)) return false;
  rest.remove_prefix(mark.size());
  return true;
}

std::shared_ptr<Schema> scalar(Type type, std::string_view format = {}) {
  auto schema = std::make_shared<Schema>();
  schema->type = type;
  schema->format = format;
  return schema;
}

// The types the language knows by itself; null for the others.
std::shared_ptr<Schema> basic_type(std::string_view name) {
  if (name == "string") return scalar(Type::String);
  if (name == "bool") return scalar(Type::Boolean);
  if (name == "int32" || name == "int64") return scalar(Type::Integer, name);
  if (name == "double") return scalar(Type::Number, "double");
  if (name == "bytes") return scalar(Type::String, "byte");
  if (name == "time" || name == "time0") return scalar(Type::String, "date-time");
  if (name == "microtime") return scalar(Type::String, "date-time-micro");
  if (name == "quantity") return scalar(Type::String, "quantity");
  if (name == "intstr") {
    auto schema = scalar(Type::Any);
    schema->int_or_string = true;
    return schema;
  }
  if (name != "any") return nullptr;
  auto schema = scalar(Type::Any);
  schema->preserve_unknown = true;
  return schema;
}

}  // namespace

TypeTables::TypeTables(const std::vector<std::string_view>& texts) {
  for (const auto text : texts) {
    std::string package;
    Line* current = nullptr;
    for (const auto line : split(text, '\n')) {
      if (line.starts_with('@')) {
        package = line.substr(1);
      } else if (line.starts_with(' ')) {
        current->fields += line;
      } else {
        const auto colon = line.find(':');
        auto name = line.substr(0, colon);
        const bool atomic = name.ends_with('#');
        if (atomic) name.remove_suffix(1);
        current = &lines_[package + "." + std::string(name)];
        *current = {.package = package, .fields = std::string(line.substr(colon + 1)), .atomic = atomic};
      }
    }
  }
  for (const auto& [name, line] : lines_) build(name);
}

SchemaPtr TypeTables::build(const std::string& name) {
  if (const auto known = built_.find(name); known != built_.end()) return known->second;
  const auto line = lines_.find(name);
  if (line == lines_.end()) throw std::logic_error("no such built-in type: " + name);
  auto schema = scalar(Type::Object);
  schema->builtin = true;
  schema->type_name = name;
  if (line->second.atomic) schema->map_type = MapType::Atomic;
  for (const auto token : split(line->second.fields, ' ')) {
    auto made = field(line->second.package, token);
    const auto field_name = std::string(token.substr(0, token.find_first_of("[{<~#:!?=")));
    if (made->presence == Presence::Always) schema->required.push_back(field_name);
    schema->properties.emplace(field_name, std::move(made));
  }
  built_.emplace(name, schema);
  return schema;
}

SchemaPtr TypeTables::field(const std::string& package, std::string_view token) {
  auto rest = token.substr(std::min(token.find_first_of("[{<~#:!?="), token.size()));
  const bool list = take(rest, "[]");
  const auto keys = bracketed(rest, '{', '}');
  const auto merge_key = bracketed(rest, '<', '>');
  const bool retain_keys = take(rest, "~");
  const bool atomic = take(rest, "#");
  std::string_view type_name = "string";
  if (take(rest, ":")) {
    const auto end = rest.find_first_of("!?=");
    type_name = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  const auto element = field_type(package, type_name);
  auto schema = std::make_shared<Schema>(*element);
  if (list) {
    *schema = Schema{.type = Type::Array, .items = element};
    if (keys && *keys == "set") schema->list_type = ListType::Set;
    if (keys && *keys != "set") {
      schema->list_type = ListType::Map;
      for (const auto key : split(*keys, ',')) schema->list_keys.emplace_back(key);
    }
    schema->patch_merge = merge_key.has_value();
    schema->patch_merge_key = merge_key.value_or("");
  }
  schema->builtin = true;
  schema->patch_retain_keys = retain_keys;
  if (atomic) schema->map_type = MapType::Atomic;
  const bool value_struct = !list && schema->type == Type::Object && !schema->type_name.empty();
  if (value_struct || type_name == "time" || type_name == "microtime") schema->presence = Presence::Always;
  if (take(rest, "?")) schema->presence = Presence::Pointer;
  if (take(rest, "!") && schema->presence != Presence::Pointer) schema->presence = Presence::Always;
  if (take(rest, "=")) {
    schema->default_value =
        schema->type == Type::String && rest != "\"\"" ? json::value(rest) : json::parse(rest);
  }
  return schema;
}

SchemaPtr TypeTables::field_type(const std::string& package, std::string_view name) {
  if (name.starts_with("map(")) {
    auto schema = scalar(Type::Object);
    schema->builtin = true;
    auto inner = name.substr(4, name.size() - 5);
    const bool lists = inner.ends_with("[]");
    if (lists) inner.remove_suffix(2);
    schema->additional = field_type(package, inner);
    if (lists) {
      auto array =
          std::make_shared<Schema>(Schema{.type = Type::Array, .builtin = true, .items = schema->additional});
      schema->additional = std::move(array);
    }
    return schema;
  }
  if (auto schema = basic_type(name)) {
    schema->builtin = true;
    return schema;
  }
  return build(full_name(package, name));
}

std::string TypeTables::full_name(const std::string& package, std::string_view name) const {
  for (const auto& place : {package, std::string(kCore), std::string(kMeta)}) {
    auto full = place + "." + std::string(name);
    if (lines_.contains(full)) return full;
  }
  throw std::logic_error("no such built-in type: " + std::string(name) + " (from " + package + ")");
}

}  // namespace capstan::apiserver
