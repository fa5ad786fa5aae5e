#include "controllers/rollout/recreate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/safeguards.h"

namespace capstan::controllers::rollout {
namespace {

// A set that has not seen its size yet may still make Machines.
bool is_gone(const SetCounts& set) { return set.spec == 0 && set.status == 0 && set.settled; }

bool are_old_gone(const Fleet& fleet) {
  return std::ranges::all_of(fleet.old, is_gone) || is_off(Safeguard::Recreate);
}

}  // namespace

Scaling plan_recreate(const Fleet& fleet) {
  Scaling scaling;
  for (const SetCounts& set : fleet.old) {
    if (set.spec > 0) scaling.intend(set.name, 0, "recreate: old Machines go before new ones are made");
  }
  const SetCounts& newest = *fleet.newest;
  const Count desired = fleet.limits.desired;
  if (newest.spec == desired || (newest.spec < desired && !are_old_gone(fleet))) return scaling;
  scaling.intend(newest.name, desired,
                 fmt::format("recreate: {} replicas are wanted, and no old Machine is left", desired));
  return scaling;
}

bool is_between(const Fleet& fleet) {
  const auto stays = [](const SetCounts& set) { return set.spec > 0; };
  return std::ranges::none_of(fleet.old, stays) && !are_old_gone(fleet);
}

}  // namespace capstan::controllers::rollout
