#include "controllers/rollout/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace capstan::controllers::rollout {
namespace {

std::vector<SetCounts> active_sets(const Fleet& fleet) {
  std::vector<SetCounts> active = fleet.old;
  if (fleet.newest) active.push_back(*fleet.newest);
  std::erase_if(active, [](const SetCounts& set) { return set.spec <= 0; });
  return active;
}

const SetCounts* youngest(const std::vector<SetCounts>& sets) {
  const auto found = std::ranges::max_element(
      sets, {}, [](const SetCounts& set) { return std::tie(set.created, set.name); });
  return found == sets.end() ? nullptr : &*found;
}

// The one that stands for all: the only one with Machines; without any, the new one or the youngest.
std::optional<SetCounts> only_one(const Fleet& fleet, const std::vector<SetCounts>& active) {
  if (active.size() == 1) return active.front();
  if (active.size() > 1) return std::nullopt;
  if (fleet.newest) return fleet.newest;
  const SetCounts* last = youngest(fleet.old);
  return last == nullptr ? std::nullopt : std::optional(*last);
}

// How many more there may be; below 0: there are too many. A Machine on its way out counts until it is gone,
// as in a rollout: what holds it, a drain or a finalizer, holds its successor too.
Count room(const Fleet& fleet) {
  Count left = fleet.limits.most();
  for (const SetCounts& set : fleet.old) left -= set.machines();
  if (fleet.newest) left -= fleet.newest->machines();
  return left;
}

// Its own Machines that are on their way out leave their places to it.
void scale_only_one(const Fleet& fleet, const SetCounts& set, Scaling& scaling) {
  const Count to = std::min(fleet.limits.desired, std::max(set.spec, set.machines() + room(fleet)));
  if (to == set.spec) return;
  scaling.intend(set.name, to, "the rollout is paused: replicas follow the MachineDeployment");
}

bool is_saturated(const Fleet& fleet) {
  return fleet.newest && fleet.newest->spec == fleet.limits.desired &&
         fleet.newest->available == fleet.limits.desired;
}

void scale_largest(const Fleet& fleet, std::vector<SetCounts> active, Scaling& scaling) {
  const Count allowed = fleet.limits.desired > 0 ? fleet.limits.most() : 0;
  Count missing = allowed;
  for (const SetCounts& set : active) missing -= set.spec;
  const Count step = std::min(missing, std::max<Count>(room(fleet), 0));
  if (step == 0) return;
  if (allowed == 0) {
    for (const SetCounts& set : active) scaling.intend(set.name, 0, "no replicas are wanted");
    return;
  }
  const auto largest = std::ranges::min_element(active, [&](const SetCounts& left, const SetCounts& right) {
    if (left.spec != right.spec) return left.spec > right.spec;
    if (left.created != right.created)
      return missing > 0 ? left.created > right.created : left.created < right.created;
    return left.name < right.name;
  });
  scaling.intend(largest->name, std::max<Count>(largest->spec + step, 0),
                 fmt::format("the rollout is paused: {} Machines for {} replicas + {} maxSurge go by the "
                             "largest MachineSet",
                             allowed - missing, fleet.limits.desired, fleet.limits.surge));
}

}  // namespace

Scaling plan_paused(const Fleet& fleet, bool on_delete) {
  Scaling scaling;
  auto active = active_sets(fleet);
  if (const auto one = only_one(fleet, active)) {
    scale_only_one(fleet, *one, scaling);
    return scaling;
  }
  if (active.empty()) return scaling;
  if (is_saturated(fleet)) {
    for (const SetCounts& set : fleet.old) {
      if (set.spec > 0) scaling.intend(set.name, 0, "the new MachineSet has all replicas available");
    }
    return scaling;
  }
  if (!on_delete) scale_largest(fleet, std::move(active), scaling);
  return scaling;
}

}  // namespace capstan::controllers::rollout
