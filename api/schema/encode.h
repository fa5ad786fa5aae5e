// Structs back to JSON. Empty members are left out unless they are required (Rules) or a present optional;
// unknown members follow the known ones. Only kinds we own can be encoded: a projection has no bag, so
// writing it would lose fields.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "api/schema/field.h"

namespace capstan::api {

namespace detail {
boost::json::value to_json(const TypeInfo& type, const void* object);
// With all its memory from `storage`: for a document that is looked at and dropped.
boost::json::value to_json(const TypeInfo& type, const void* object, const boost::json::storage_ptr& storage);
// The same but for one member of the object itself.
boost::json::value to_json_without(std::string_view member, const TypeInfo& type, const void* object,
                                   const boost::json::storage_ptr& storage);
// What differs between two structs of a type, down to the members that do: what is equal goes into neither
// document, and the kind doesn't. Of two lists that differ, the left one only says that it was another.
void split_differences(const TypeInfo& type, const void* left, const void* right,
                       boost::json::object& in_left, boost::json::object& in_right);
std::string encode(const TypeInfo& type, const void* object);
bool is_empty(const TypeInfo& type, const void* object);
}  // namespace detail

template <typename T>
concept Encodable = detail::Described<T> && detail::KeepsUnknown<T>;

// With apiVersion and kind in front when T is a resource. The caller includes <boost/json.hpp>.
template <Encodable T, typename Value = boost::json::value>
Value to_json(const T& object) {
  return detail::to_json(type_of<T>, &object);
}

// Compact text of the same.
template <Encodable T>
std::string encode(const T& object) {
  return detail::encode(type_of<T>, &object);
}

// True when the struct would be written as {}.
template <detail::Described T>
bool is_empty(const T& object) {
  return detail::is_empty(type_of<T>, &object);
}

}  // namespace capstan::api
