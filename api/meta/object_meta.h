// metadata of a cached object, budgeted for a hundred thousand of them: interned strings, sets and owners,
// 16-byte UIDs. Every kind we own and every projection starts with it. A value.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "api/meta/owner_reference.h"
#include "api/schema/field.h"

namespace capstan::api {

using Labels = TextMap;
using Finalizers = Interned<std::vector<Text>>;

struct ObjectMeta {
  Text name = {};
  Text namespace_ = {};
  Uid uid = {};
  ResourceVersion resource_version = {};
  std::int64_t generation = 0;
  Time creation_timestamp = {};
  Time deletion_timestamp = {};
  Labels labels = {};
  Labels annotations = {};
  OwnerReferences owner_references = {};
  Finalizers finalizers = {};
  ManagedFields managed_fields = {};  // a digest; read, never written
  UnknownFields unknown = {};         // what is rare and never read here: generateName, the grace period

  bool deleting() const { return deletion_timestamp.is_set(); }
  bool has_finalizer(std::string_view finalizer) const;
  // The owner with controller: true, or null.
  const OwnerReference* controller() const;

  bool operator==(const ObjectMeta&) const = default;
};

template <>
inline constexpr auto members<ObjectMeta> = std::array{
    member<&ObjectMeta::name>("name"),
    member<&ObjectMeta::namespace_>("namespace"),
    member<&ObjectMeta::uid>("uid"),
    member<&ObjectMeta::resource_version>("resourceVersion"),
    member<&ObjectMeta::generation>("generation"),
    member<&ObjectMeta::creation_timestamp>("creationTimestamp"),
    member<&ObjectMeta::deletion_timestamp>("deletionTimestamp"),
    member<&ObjectMeta::labels>("labels"),
    member<&ObjectMeta::annotations>("annotations"),
    member<&ObjectMeta::owner_references>("ownerReferences"),
    member<&ObjectMeta::finalizers>("finalizers"),
    member<&ObjectMeta::managed_fields>("managedFields"),
};

}  // namespace capstan::api
