// metadata.ownerReferences: who made this object, and with whom it goes. The whole list is interned, because
// the Machines of one set share it. A value.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "api/schema/field.h"

namespace capstan::api {

struct OwnerReference {
  Text api_version = {};
  Text kind = {};
  Text name = {};
  Uid uid = {};
  std::optional<bool> controller = {};
  std::optional<bool> block_owner_deletion = {};
  UnknownFields unknown = {};

  bool is_controller() const { return controller.value_or(false); }
  // "cluster.x-k8s.io" of "cluster.x-k8s.io/v1beta2"; empty for the core group.
  std::string_view group() const;

  bool operator==(const OwnerReference&) const = default;
};

template <>
inline constexpr auto members<OwnerReference> = std::array{
    member<&OwnerReference::api_version>("apiVersion", {.required = true}),
    member<&OwnerReference::kind>("kind", {.required = true}),
    member<&OwnerReference::name>("name", {.required = true}),
    member<&OwnerReference::uid>("uid", {.required = true}),
    member<&OwnerReference::controller>("controller"),
    member<&OwnerReference::block_owner_deletion>("blockOwnerDeletion"),
};

}  // namespace capstan::api

template <>
struct std::hash<capstan::api::OwnerReference> {
  std::size_t operator()(const capstan::api::OwnerReference& owner) const noexcept;
};

namespace capstan::api {

using OwnerReferences = Interned<std::vector<OwnerReference>>;

}  // namespace capstan::api
