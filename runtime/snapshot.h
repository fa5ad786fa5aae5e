// An object as a cache has it: never changed, shared by all that look at it; its key, and what becomes of it.
// Plain values.
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

// before is null for a new object, after for one that is gone.
template <typename T>
struct Change {
  Snapshot<T> before = {};
  Snapshot<T> after = {};
  bool initial = false;  // of the first list: nothing happened, we only just look

  const T& object() const { return after ? *after : *before; }
};

}  // namespace capstan::runtime
