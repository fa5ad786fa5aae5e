#include "controllers/inplace/sizes.h"

#include <algorithm>
#include <tuple>

#include "api/names.h"

namespace capstan::controllers::inplace {
namespace {

using rollout::Count;
using rollout::Fleet;
using rollout::Scaling;
using rollout::SetCounts;

Count there_in(const Situation& now, const api::MachineSet& set) {
  const Count coming = std::ranges::count_if(taken_over_by(set.metadata), [&](const std::string& name) {
    const MachineSeen* each = now.find_machine(name);
    return each != nullptr && each->set != set.metadata.name.view();
  });
  return coming + std::ranges::count_if(now.machines(), [&](const MachineSeen& each) {
           return each.set == set.metadata.name.view();
         });
}

Count available_in(const Situation& now, const api::MachineSet& set) {
  return std::ranges::count_if(now.machines(), [&](const MachineSeen& each) {
    return each.set == set.metadata.name.view() && is_available(each);
  });
}

bool may_create(const api::MachineSet& set) {
  return set.metadata.annotations.value_or_empty(api::annotation::kDisableMachineCreate) != "true";
}

void count_by_machines(const Situation& now, SetCounts& counts) {
  const SetSnapshot* set = now.find_set(counts.name);
  if (set == nullptr) return;
  counts.status = std::max(counts.status, there_in(now, **set));
  counts.available = std::min(counts.available, available_in(now, **set));
}

void count_unmade(const Situation& now, SetCounts& counts) {
  const SetSnapshot* set = now.find_set(counts.name);
  if (set != nullptr && may_create(**set)) counts.status = std::max(counts.status, counts.spec);
}

Count next_size(const SetCounts& set, const Scaling& scaling) {
  return scaling.of(set.name).value_or(set.spec);
}

// Its own Machines that are on their way out leave their places to it, as in a rollout.
void size_newest(const Fleet& fleet, Scaling& scaling) {
  const SetCounts& newest = *fleet.newest;
  const Count desired = fleet.limits.desired;
  if (newest.spec > desired) return scaling.intend(newest.name, desired, "no more replicas are wanted");
  Count of_old = 0;
  for (const SetCounts& set : fleet.old) of_old += set.machines();
  const Count to = std::min(desired, fleet.limits.most() - of_old);
  if (to <= newest.spec || !fleet.old_are_settled()) return;
  scaling.intend(newest.name, to, "what old Machines that are updated in place do not make up");
}

// Machines that an old set lacks are made by the new one.
void give_up_missing(const Fleet& fleet, Scaling& scaling) {
  for (const SetCounts& set : fleet.old)
    if (set.settled && set.spec > set.status)
      scaling.intend(set.name, set.status, "an old MachineSet makes no Machine any more");
}

void give_up_excess(const Fleet& fleet, Scaling& scaling) {
  Count excess = next_size(*fleet.newest, scaling) - fleet.limits.most();
  for (const SetCounts& set : fleet.old) excess += next_size(set, scaling);
  std::vector<SetCounts> old = fleet.old;
  std::ranges::sort(old, {}, [](const SetCounts& set) { return std::tie(set.created, set.name); });
  for (const SetCounts& set : old) {
    const Count from = next_size(set, scaling);
    const Count down = std::min(from, excess);
    if (down <= 0) continue;
    scaling.intend(set.name, from - down, "more Machines than replicas and maxSurge");
    excess -= down;
  }
}

}  // namespace

Fleet by_machines(Fleet fleet, const Question& ask, bool keeps_old) {
  const Situation now(ask);
  if (fleet.newest) count_by_machines(now, *fleet.newest);
  for (SetCounts& set : fleet.old) count_by_machines(now, set);
  if (!keeps_old) return fleet;
  fleet.limits = now.limits();
  for (SetCounts& set : fleet.old) count_unmade(now, set);
  return fleet;
}

void count_hand_overs(const std::map<std::string, HandOver>& hand_overs, Fleet& fleet) {
  const auto count = [&](SetCounts& set) {
    const auto noted = hand_overs.find(set.name);
    if (noted == hand_overs.end()) return;
    const Count growth = noted->second.growth;
    set.spec = std::max<Count>(set.spec + growth, 0);
    set.status += std::max<Count>(growth, 0);  // on its way, and none that the set lacks
  };
  if (fleet.newest) count(*fleet.newest);
  std::ranges::for_each(fleet.old, count);
}

Scaling plan_sizes(const Fleet& fleet) {
  Scaling scaling;
  size_newest(fleet, scaling);
  give_up_missing(fleet, scaling);
  give_up_excess(fleet, scaling);
  return scaling;
}

}  // namespace capstan::controllers::inplace
