// What the answer to a write says of the object: all that most writers go on with. A client that speaks HTTP
// reads no more of the answer than that (kube/client.h, Into). A value.
#pragma once

#include <array>

#include "api/meta/object_meta.h"
#include "api/schema/field.h"

namespace capstan::api {

struct WrittenMeta {
  Text name = {};
  Uid uid = {};
  ResourceVersion resource_version = {};
  Time deletion_timestamp = {};
  OwnerReferences owner_references = {};
  Finalizers finalizers = {};

  bool deleting() const { return deletion_timestamp.is_set(); }
};

struct Written {
  WrittenMeta metadata = {};
};

template <>
inline constexpr auto members<WrittenMeta> = std::array{
    member<&WrittenMeta::name>("name"),
    member<&WrittenMeta::uid>("uid"),
    member<&WrittenMeta::resource_version>("resourceVersion"),
    member<&WrittenMeta::deletion_timestamp>("deletionTimestamp"),
    member<&WrittenMeta::owner_references>("ownerReferences"),
    member<&WrittenMeta::finalizers>("finalizers"),
};
template <>
inline constexpr auto members<Written> = std::array{member<&Written::metadata>("metadata")};

}  // namespace capstan::api
