// Which collection of a Kubernetes API server a request is about, and which object in it. Plain values.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

namespace capstan::kube {

struct Resource {
  std::string group = {};  // empty for the core group
  std::string version = {};
  std::string plural = {};
  std::string kind = {};
  bool namespaced = true;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  auto operator<=>(const Resource&) const = default;
  bool operator==(const Resource&) const = default;
};

struct ObjectKey {
  std::string namespace_ = {};  // empty for cluster-scoped objects
  std::string name = {};

  std::string describe() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  auto operator<=>(const ObjectKey&) const = default;
  bool operator==(const ObjectKey&) const = default;
};

}  // namespace capstan::kube

template <>
struct std::hash<capstan::kube::ObjectKey> {
  std::size_t operator()(const capstan::kube::ObjectKey& key) const noexcept {
    const std::hash<std::string> hash;
    return hash(key.namespace_) * 1099511628211ULL ^ hash(key.name);
  }
};
