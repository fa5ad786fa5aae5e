#include "api/schema/encode.h"

#include <boost/json.hpp>
#include <cassert>

#include "api/schema/resource.h"

namespace capstan::api::detail {
namespace {

namespace json = boost::json;

using Storage = json::storage_ptr;

json::value value_of(const TypeInfo& type, const void* address, const Storage& storage);

template <typename T>
const T& as(const void* address) {
  return *static_cast<const T*>(address);
}

json::value text(std::string_view view, const Storage& storage) { return json::string(view, storage); }

// A field is found by a function from owner to field that adds no const of its own.
const void* field(const Member& member, const void* object) {
  return member.address(const_cast<void*>(object));
}

const UnknownFields& unknown(const TypeInfo& type, const void* object) {
  return *type.unknown(const_cast<void*>(object));
}

bool has_unknown(const TypeInfo& type, const void* object) {
  return type.unknown != nullptr && !unknown(type, object).empty();
}

// Even where it has to stand, there must be something to write.
bool writable(const TypeInfo& type, const void* address) {
  switch (type.shape) {
    case Shape::Time: return as<Time>(address).is_set();
    case Shape::MicroTime: return as<MicroTime>(address).is_set();
    case Shape::RawJson: return !as<RawJson>(address).empty();
    case Shape::ManagedFields: return false;
    case Shape::Holder: return type.peek(address) != nullptr;
    case Shape::Boolean:
    case Shape::Int32:
    case Shape::Int64:
    case Shape::Text:
    case Shape::FreeText:
    case Shape::IntOrString:
    case Shape::Uid:
    case Shape::ResourceVersion:
    case Shape::TextMap:
    case Shape::Object:
    case Shape::List: break;
  }
  return true;
}

bool is_written(const Member& member, const void* address) {
  if (member.rules.required || member.rules.keep_empty) return writable(*member.type, address);
  return !is_empty(*member.type, address);
}

json::value object_of(const TypeInfo& type, const void* object, const Storage& storage) {
  json::object out(storage);
  if (type.resource != nullptr) {
    out["apiVersion"] = type.resource->api_version();
    out["kind"] = text(type.resource->kind, storage);
  }
  for (const Member& member : type.members) {
    const void* address = field(member, object);
    if (is_written(member, address))
      out.emplace(json::string_view(member.name), value_of(*member.type, address, storage));
  }
  if (has_unknown(type, object)) {
    for (auto& [name, value] : unknown(type, object).to_json()) out.emplace(name, std::move(value));
  }
  return out;
}

json::value list_of(const TypeInfo& type, const void* list, const Storage& storage) {
  json::array out(storage);
  const std::size_t size = type.size(list);
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) out.push_back(value_of(*type.element, type.at(list, i), storage));
  return out;
}

json::value map_of(const TextMap& map, const Storage& storage) {
  json::object out(storage);
  out.reserve(map.size());
  for (const auto& [key, value] : map) out.emplace(json::string_view(key.view()), text(value, storage));
  return out;
}

json::value int_or_string(const IntOrString& value, const Storage& storage) {
  if (value.is_string()) return text(value.text(), storage);
  return value.number();
}

json::value value_of(const TypeInfo& type, const void* address, const Storage& storage) {
  switch (type.shape) {
    case Shape::Boolean: return as<bool>(address);
    case Shape::Int32: return as<std::int32_t>(address);
    case Shape::Int64: return as<std::int64_t>(address);
    case Shape::Text: return text(as<Text>(address), storage);
    case Shape::FreeText: return text(as<FreeText>(address), storage);
    case Shape::Time: return text(as<Time>(address).to_string(), storage);
    case Shape::MicroTime: return text(as<MicroTime>(address).to_string(), storage);
    case Shape::IntOrString: return int_or_string(as<IntOrString>(address), storage);
    case Shape::Uid: return text(as<Uid>(address).str(), storage);
    case Shape::ResourceVersion: return text(as<ResourceVersion>(address).str(), storage);
    case Shape::RawJson: return as<RawJson>(address).to_json();
    case Shape::TextMap: return map_of(as<TextMap>(address), storage);
    case Shape::Object: return object_of(type, address, storage);
    case Shape::List: return list_of(type, address, storage);
    case Shape::Holder: return value_of(*type.element, type.peek(address), storage);
    case Shape::ManagedFields: break;
  }
  assert(false && "managedFields are never written");
  return nullptr;
}

bool is_empty_object(const TypeInfo& type, const void* object) {
  if (has_unknown(type, object)) return false;
  for (const Member& member : type.members) {
    if (!is_empty(*member.type, field(member, object))) return false;
  }
  return true;
}

}  // namespace

json::value to_json(const TypeInfo& type, const void* object) { return value_of(type, object, {}); }

json::value to_json(const TypeInfo& type, const void* object, const json::storage_ptr& storage) {
  return value_of(type, object, storage);
}

std::string encode(const TypeInfo& type, const void* object) {
  json::monotonic_resource scratch;
  return json::serialize(value_of(type, object, &scratch));
}

bool is_empty(const TypeInfo& type, const void* address) {
  switch (type.shape) {
    case Shape::Boolean: return !as<bool>(address);
    case Shape::Int32: return as<std::int32_t>(address) == 0;
    case Shape::Int64: return as<std::int64_t>(address) == 0;
    case Shape::Text: return as<Text>(address).empty();
    case Shape::FreeText: return as<FreeText>(address).empty();
    case Shape::Time: return !as<Time>(address).is_set();
    case Shape::MicroTime: return !as<MicroTime>(address).is_set();
    case Shape::IntOrString: return as<IntOrString>(address) == IntOrString();
    case Shape::Uid: return as<Uid>(address).empty();
    case Shape::ResourceVersion: return as<ResourceVersion>(address).empty();
    case Shape::RawJson: return as<RawJson>(address).empty();
    case Shape::TextMap: return as<TextMap>(address).empty();
    case Shape::ManagedFields: return true;
    case Shape::Object: return is_empty_object(type, address);
    case Shape::List: return type.size(address) == 0;
    case Shape::Holder: break;
  }
  const void* element = type.peek(address);
  return element == nullptr || (type.absent_is_empty && is_empty(*type.element, element));
}

}  // namespace capstan::api::detail
