// Whether a change of an object may freeze or thaw what belongs to it. Used by triggers; looks at the change
// alone.
#pragma once

#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "controllers/safety/fleet_freeze.h"
#include "controllers/safety/frozen_condition.h"
#include "runtime/store.h"

namespace capstan::controllers::safety {

template <typename T>
bool may_change_a_freeze(const T& before, const T& after) {
  namespace annotation = api::policy::annotation;
  const auto differs = [&](std::string_view key) {
    return before.metadata.annotations.value_or_empty(key) != after.metadata.annotations.value_or_empty(key);
  };
  const auto alias_differs = [&](std::string_view key) {
    return before.metadata.labels.value_or_empty(key) != after.metadata.labels.value_or_empty(key);
  };
  return differs(annotation::kFreeze) || alias_differs(api::policy::mcm::kFreeze) ||
         differs(annotation::kUnfreeze) || differs(annotation::kUnfreezeOfMcm) ||
         differs(annotation::kUnfrozenAt) ||
         is_shown_frozen(before.status.conditions) != is_shown_frozen(after.status.conditions);
}

inline bool has_other_freeze(const runtime::Change<api::FleetPolicy>& change) {
  const auto freeze = [](const auto& policy) { return policy ? fleet_freeze(*policy) : std::nullopt; };
  return !change.initial && freeze(change.before) != freeze(change.after);
}

}  // namespace capstan::controllers::safety
