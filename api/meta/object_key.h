// Which object in a collection: namespace and name. kube/resource.h calls it kube::ObjectKey. A value.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

namespace capstan::api {

struct ObjectKey {
  std::string namespace_ = {};  // empty for cluster-scoped objects
  std::string name = {};

  std::string describe() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  auto operator<=>(const ObjectKey&) const = default;
  bool operator==(const ObjectKey&) const = default;
};

}  // namespace capstan::api

template <>
struct std::hash<capstan::api::ObjectKey> {
  std::size_t operator()(const capstan::api::ObjectKey& key) const noexcept {
    const std::hash<std::string> of;
    return of(key.namespace_) * 1099511628211ULL ^ of(key.name);
  }
};
