// Fills absent fields with the defaults of their descriptors, as the API server does for a CRD's schema:
// inside structs that are there, never creating a parent that has no default of its own.
#pragma once

#include "api/schema/field.h"

namespace capstan::api {

namespace detail {
void apply_defaults(const TypeInfo& type, void* object);
}

template <detail::Described T>
void apply_defaults(T& object) {
  detail::apply_defaults(type_of<T>, &object);
}

}  // namespace capstan::api
