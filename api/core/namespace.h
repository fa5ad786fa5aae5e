// Namespace: its labels (drain rules select by them) and whether it is going away. A projection, a plain
// value.
#pragma once

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct NamespaceStatus {
  Text phase = {};
  bool operator==(const NamespaceStatus&) const = default;
};
template <>
inline constexpr auto members<NamespaceStatus> = std::array{member<&NamespaceStatus::phase>("phase")};

struct Namespace {
  ObjectMeta metadata = {};
  NamespaceStatus status = {};

  bool terminating() const { return status.phase == "Terminating" || metadata.deleting(); }
  bool operator==(const Namespace&) const = default;
};
template <>
inline constexpr ResourceInfo resource<Namespace> = {.version = "v1",
                                                     .kind = "Namespace",
                                                     .plural = "namespaces",
                                                     .scope = Scope::Cluster,
                                                     .status_subresource = true};
template <>
inline constexpr auto members<Namespace> = std::array{
    member<&Namespace::metadata>("metadata"),
    member<&Namespace::status>("status"),
};

}  // namespace capstan::api
