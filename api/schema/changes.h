// What differs between two states of a struct, in plain words for logs and tests: "spec.replicas: 2 -> 3,
// metadata.labels[example.com/zone]: none -> a". Objects in a list go by kind and name, or by type and
// status. Pure functions.
#pragma once

#include <string>

#include "api/schema/encode.h"

namespace capstan::api {

namespace detail {
enum class LeftOut { Goes, Stays };  // what the second state does not say
std::string changes(const TypeInfo& type, const void* from, const void* to, LeftOut left_out);
}  // namespace detail

// Empty when nothing differs.
template <Encodable T>
std::string changes(const T& from, const T& to) {
  return detail::changes(type_of<T>, &from, &to, detail::LeftOut::Goes);
}

// Of a server-side apply: `intent` says what it wants, and the rest stays.
template <Encodable T>
std::string changes_by_apply(const T& present, const T& intent) {
  return detail::changes(type_of<T>, &present, &intent, detail::LeftOut::Stays);
}

}  // namespace capstan::api
