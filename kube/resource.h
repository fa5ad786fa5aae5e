// Which collection of a Kubernetes API server a request is about, and which object in it. Plain values.
#pragma once

#include <compare>
#include <string>

#include "api/meta/object_key.h"

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

using ObjectKey = api::ObjectKey;

}  // namespace capstan::kube
