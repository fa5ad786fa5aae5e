// v1.ObjectReference: a pointer to any object, as MachinePools and Events carry it. A plain value.
#pragma once

#include <array>

#include "api/schema/field.h"

namespace capstan::api {

struct ObjectReference {
  Text kind = {};
  Text namespace_ = {};
  Text name = {};
  Uid uid = {};
  Text api_version = {};
  Text resource_version = {};
  Text field_path = {};
  UnknownFields unknown = {};
  bool operator==(const ObjectReference&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<ObjectReference> = {.map_atomic = true};
template <>
inline constexpr auto members<ObjectReference> = std::array{
    member<&ObjectReference::kind>("kind", {.doc = "Kind of the object."}),
    member<&ObjectReference::namespace_>("namespace",
                                         {.doc = "Namespace of the object; empty when it has none."}),
    member<&ObjectReference::name>("name", {.doc = "Name of the object."}),
    member<&ObjectReference::uid>("uid", {.doc = "UID of the object."}),
    member<&ObjectReference::api_version>("apiVersion", {.doc = "API group and version of the object."}),
    member<&ObjectReference::resource_version>("resourceVersion", {.doc = "A certain state of the object."}),
    member<&ObjectReference::field_path>("fieldPath", {.doc = "A part of the object."}),
};

}  // namespace capstan::api
