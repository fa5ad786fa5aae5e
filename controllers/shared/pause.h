// Whether an object stands still: its Cluster is paused, or it has the annotation. Used by the turns of all
// kinds. Pure.
#pragma once

#include <string_view>

#include "api/v1beta2/cluster.h"
#include "runtime/paused.h"

namespace capstan::controllers {

// `cluster`: the one the object belongs to; null: there is none, and only the annotation counts.
inline runtime::Paused pause_of(const api::Cluster* cluster, const api::ObjectMeta& object,
                                std::string_view kind) {
  return runtime::paused(cluster != nullptr && cluster->spec.paused.value_or(false), object, kind);
}

}  // namespace capstan::controllers
