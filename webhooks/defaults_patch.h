// The JSON Patch that brings defaults into an object as it was sent: only what defaults changed is named, so
// that fields which no struct knows stay as they are. Used by the defaulting hooks. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "api/schema/encode.h"
#include "api/schema/raw_json.h"

namespace capstan::webhooks {

namespace detail {
std::string defaults_patch(const boost::json::value& sent, const boost::json::value& before,
                           const boost::json::value& after);
std::string defaults_patch(const api::RawJson& sent, const api::TypeInfo& type, const void* before,
                           const void* after);
}  // namespace detail

// `before` is what was read from `sent`, `after` the same with its defaults. Empty when nothing differs.
template <api::Encodable T>
std::string defaults_patch(const api::RawJson& sent, const T& before, const T& after) {
  return detail::defaults_patch(sent, api::type_of<T>, &before, &after);
}

}  // namespace capstan::webhooks
