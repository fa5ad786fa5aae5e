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

json::value object_of(const TypeInfo& type, const void* object, const Storage& storage,
                      std::string_view but = {}) {
  json::object out(storage);
  if (type.resource != nullptr) {
    out["apiVersion"] = type.resource->api_version();
    out["kind"] = text(type.resource->kind, storage);
  }
  for (const Member& member : type.members) {
    const void* address = field(member, object);
    if (member.name != but && is_written(member, address))
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

// --- what differs ---

bool same(const TypeInfo& type, const void* left, const void* right);

template <typename T>
bool equal(const void* left, const void* right) {
  return as<T>(left) == as<T>(right);
}

bool same_text_of_unknown(const TypeInfo& type, const void* left, const void* right) {
  return type.unknown == nullptr || unknown(type, left) == unknown(type, right);
}

// Neither is written, or both are and say the same.
bool same_member(const Member& member, const void* left, const void* right) {
  const bool written = is_written(member, left);
  return written == is_written(member, right) && (!written || same(*member.type, left, right));
}

bool same_object(const TypeInfo& type, const void* left, const void* right) {
  for (const Member& member : type.members) {
    if (!same_member(member, field(member, left), field(member, right))) return false;
  }
  return same_text_of_unknown(type, left, right);
}

bool same_list(const TypeInfo& type, const void* left, const void* right) {
  const std::size_t size = type.size(left);
  if (size != type.size(right)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    const void* one = type.at(left, i);
    const void* other = type.at(right, i);
    if (one != other && !same(*type.element, one, other)) return false;
  }
  return true;
}

// True only when both would be written alike; what is carried as text is compared as text.
bool same(const TypeInfo& type, const void* left, const void* right) {
  if (left == right) return true;
  switch (type.shape) {
    case Shape::Boolean: return equal<bool>(left, right);
    case Shape::Int32: return equal<std::int32_t>(left, right);
    case Shape::Int64: return equal<std::int64_t>(left, right);
    case Shape::Text: return equal<Text>(left, right);
    case Shape::FreeText: return equal<FreeText>(left, right);
    case Shape::Time: return equal<Time>(left, right);
    case Shape::MicroTime: return equal<MicroTime>(left, right);
    case Shape::IntOrString: return equal<IntOrString>(left, right);
    case Shape::Uid: return equal<Uid>(left, right);
    case Shape::ResourceVersion: return equal<ResourceVersion>(left, right);
    case Shape::RawJson: return equal<RawJson>(left, right);
    case Shape::TextMap: return equal<TextMap>(left, right);
    case Shape::ManagedFields: return true;
    case Shape::Object: return same_object(type, left, right);
    case Shape::List: return same_list(type, left, right);
    case Shape::Holder: break;
  }
  const void* one = type.peek(left);
  const void* other = type.peek(right);
  if (one == nullptr || other == nullptr) return one == other;
  return same(*type.element, one, other);
}

// The object a value is or holds; null when it is none.
struct Inner {
  const TypeInfo* type = nullptr;
  const void* address = nullptr;
};
Inner object_in(const TypeInfo& type, const void* address) {
  Inner inner{.type = &type, .address = address};
  if (type.shape == Shape::Holder) inner = {.type = type.element, .address = type.peek(address)};
  return inner.type->shape == Shape::Object ? inner : Inner{};
}

// Of a list that differs it is enough to know that there was another one.
json::value left_of(const TypeInfo& type, const void* address, bool differs, const Storage& storage) {
  if (type.shape == Shape::List && differs) return json::array({nullptr}, storage);
  return value_of(type, address, storage);
}

void split(const TypeInfo& type, const void* left, const void* right, json::object& in_left,
           json::object& in_right);

void split_member(const Member& member, const void* left, const void* right, json::object& in_left,
                  json::object& in_right) {
  const json::string_view name(member.name);
  const bool has_left = is_written(member, left);
  const bool has_right = is_written(member, right);
  const Inner one = has_left && has_right ? object_in(*member.type, left) : Inner{};
  if (one.address == nullptr) {
    if (has_left) in_left.emplace(name, left_of(*member.type, left, has_right, in_left.storage()));
    if (has_right) in_right.emplace(name, value_of(*member.type, right, in_right.storage()));
    return;
  }
  json::object inner_left(in_left.storage());
  json::object inner_right(in_right.storage());
  split(*one.type, one.address, object_in(*member.type, right).address, inner_left, inner_right);
  in_left.emplace(name, std::move(inner_left));
  in_right.emplace(name, std::move(inner_right));
}

void split(const TypeInfo& type, const void* left, const void* right, json::object& in_left,
           json::object& in_right) {
  for (const Member& member : type.members) {
    const void* one = field(member, left);
    const void* other = field(member, right);
    if (!same_member(member, one, other)) split_member(member, one, other, in_left, in_right);
  }
  if (same_text_of_unknown(type, left, right)) return;
  for (auto& [name, value] : unknown(type, left).to_json()) in_left.emplace(name, std::move(value));
  for (auto& [name, value] : unknown(type, right).to_json()) in_right.emplace(name, std::move(value));
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

json::value to_json_without(std::string_view member, const TypeInfo& type, const void* object,
                            const json::storage_ptr& storage) {
  return object_of(type, object, storage, member);
}

void split_differences(const TypeInfo& type, const void* left, const void* right, json::object& in_left,
                       json::object& in_right) {
  split(type, left, right, in_left, in_right);
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
