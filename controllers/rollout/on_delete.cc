#include "controllers/rollout/on_delete.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace capstan::controllers::rollout {
namespace {

std::string why_newest_grows(Count total, Count desired) {
  if (total >= desired) return "Machines of it that were to go are wanted again";
  return fmt::format("{} current Machines < {} MachineDeployment spec.replicas", total, desired);
}

void scale_newest(const Fleet& fleet, Scaling& scaling) {
  const SetCounts& newest = *fleet.newest;
  const Count desired = fleet.limits.desired;
  if (newest.spec > desired) {
    return scaling.intend(newest.name, desired,
                          "scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas");
  }
  Count of_old = 0;
  for (const SetCounts& set : fleet.old) of_old += set.machines();
  if (newest.spec >= desired - of_old || !fleet.old_are_settled()) return;
  scaling.intend(newest.name, desired - of_old, why_newest_grows(of_old + newest.machines(), desired));
}

}  // namespace

Scaling plan_on_delete(const Fleet& fleet) {
  Scaling scaling;
  scale_newest(fleet, scaling);
  std::vector<SetCounts> old = fleet.old;
  std::ranges::sort(old, {}, [](const SetCounts& set) { return std::tie(set.created, set.name); });
  Count excess = scaling.of(fleet.newest->name).value_or(fleet.newest->spec) - fleet.limits.desired;
  for (const SetCounts& set : old) excess += set.spec;
  excess = std::max<Count>(excess, 0);
  for (const SetCounts& set : old) {
    if (set.spec <= set.status) continue;
    scaling.intend(set.name, set.status, "scale down to the Machines that are left");
    excess -= set.spec - set.status;
  }
  // Counted from what the first pass left of a set: upstream starts again from its spec.replicas, removes too
  // few and comes back for the rest.
  for (const SetCounts& set : old) {
    const Count from = scaling.of(set.name).value_or(set.spec);
    const Count down = std::min(from, excess);
    if (down <= 0) continue;
    scaling.intend(set.name, from - down,
                   fmt::format("{} Machines more than MachineDeployment spec.replicas", excess));
    excess -= down;
  }
  return scaling;
}

}  // namespace capstan::controllers::rollout
