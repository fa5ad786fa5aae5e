// The structural OpenAPI v3 schema of a struct, from its descriptors: what a CRD carries and `kubectl
// explain` shows.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/schema/field.h"

namespace capstan::api {

namespace detail {
boost::json::value openapi(const TypeInfo& type);
}

template <detail::Described T, typename Value = boost::json::value>
Value openapi() {
  return detail::openapi(type_of<T>);
}

}  // namespace capstan::api
