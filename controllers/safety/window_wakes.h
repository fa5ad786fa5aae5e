// Whether a change of the FleetPolicy may open or shut a window. Used by triggers; looks at the change alone.
#pragma once

#include "api/policy/fleet_policy.h"
#include "runtime/store.h"

namespace capstan::controllers::safety {

inline bool has_other_windows(const runtime::Change<api::FleetPolicy>& change) {
  static const api::FleetPolicySpec none;
  const api::FleetPolicySpec& before = change.before ? change.before->spec : none;
  const api::FleetPolicySpec& after = change.after ? change.after->spec : none;
  return !change.initial && !(before.windows == after.windows);
}

}  // namespace capstan::controllers::safety
