// An object as a cache has it: never changed, shared by all that look at it; and its key. Plain values.
#pragma once

#include <memory>

#include "kube/resource.h"

namespace capstan::runtime {

using kube::ObjectKey;

template <typename T>
using Snapshot = std::shared_ptr<const T>;

template <typename T>
ObjectKey key_of(const T& object) {
  return {.namespace_ = object.metadata.namespace_.str(), .name = object.metadata.name.str()};
}

}  // namespace capstan::runtime
