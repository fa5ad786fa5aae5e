#include "controllers/rollout/rolling_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/safeguards.h"

namespace capstan::controllers::rollout {
namespace {

template <typename Number>
Count sum_of_old(const Fleet& fleet, Number number) {
  Count sum = 0;
  for (const SetCounts& set : fleet.old) sum += number(set);
  return sum;
}

template <typename Number>
Count sum(const Fleet& fleet, Number number) {
  return sum_of_old(fleet, number) + (fleet.newest ? number(*fleet.newest) : 0);
}

// Nothing: whether its Machines work is known, or is not waited for.
std::optional<Count> slow_start_of(const Fleet& fleet) {
  const bool has_worked = fleet.newest && fleet.newest->available > 0;
  return has_worked || is_off(Safeguard::SlowStart) ? std::nullopt : fleet.slow_start;
}

std::string why_newest_grows(const Fleet& fleet) {
  const Count total = sum(fleet, std::mem_fn(&SetCounts::machines));
  if (total >= fleet.limits.most()) return "Machines of it that were to go are wanted again";
  return fmt::format("{} current Machines < {} MachineDeployment spec.replicas + {} maxSurge", total,
                     fleet.limits.desired, fleet.limits.surge);
}

// Its own Machines that are on their way out stand in nothing's way but their successors': its MachineSet
// makes none while they are there, and spares those whose deletion was held.
void scale_newest(const Fleet& fleet, Scaling& scaling) {
  const SetCounts& newest = *fleet.newest;
  const Limits& limits = fleet.limits;
  if (newest.spec == limits.desired) return;
  if (newest.spec > limits.desired) {
    return scaling.intend(newest.name, limits.desired,
                          "scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas");
  }
  if (!fleet.old_are_settled()) return;
  const Count ceiling = std::min(slow_start_of(fleet).value_or(limits.desired), limits.desired);
  const Count to = std::min(ceiling, limits.most() - sum_of_old(fleet, std::mem_fn(&SetCounts::machines)));
  if (to > newest.spec) scaling.intend(newest.name, to, why_newest_grows(fleet));
}

// The old sets on their way down, under one budget.
class ScaleDown {
 public:
  ScaleDown(const Fleet& fleet, Scaling& scaling, Count budget)
      : scaling_(scaling),
        least_(fleet.limits.least_available()),
        available_(sum(fleet, [](const SetCounts& set) { return set.available; })),
        budget_(budget) {}

  bool can_go_on() const { return budget_ > 0; }

  void shrink(const SetCounts& set, bool only_unavailable) {
    const Count from = scaling_.of(set.name).value_or(set.spec);
    if (from <= 0) return;
    const Count before = available_;
    Count down = std::min(only_unavailable ? std::max<Count>(from - set.available, 0) : from, budget_);
    if (down == 0) return;
    if (set.available > 0) down = affordable(set, from, down);
    if (down == 0) return;
    scaling_.intend(set.name, std::max<Count>(from - down, 0), why(before));
    budget_ = std::max<Count>(budget_ - down, 0);
  }

 private:
  // We do not choose which Machines go, so each one that stayed so far and goes counts as available.
  Count affordable(const SetCounts& set, Count from, Count down) {
    Count left = std::max<Count>(from - down, 0);
    Count leaving = std::max<Count>(set.staying() - left, 0);
    if (leaving == 0) return down;
    if (available_ - least_ < leaving) {
      const Count can_leave = std::max<Count>(available_ - least_, 0);
      left = std::min(set.staying() - can_leave, from);
      down = std::max<Count>(from - left, 0);
      leaving = std::max<Count>(set.staying() - left, 0);
    }
    available_ -= std::min(set.available, leaving);
    return down;
  }

  std::string why(Count before) const {
    if (before == available_) {
      return "scale down to align to existing Machines or scale down by removing unavailable replicas (and "
             "no available replicas exist on the MachineSet)";
    }
    return fmt::format("{} available replicas > {} minimum available replicas", before, least_);
  }

  Scaling& scaling_;
  const Count least_;
  Count available_;
  Count budget_;
};

// Machines that do not exist yet can be given up at any time, but for those that the promise needs: one may
// be the successor of a Machine that died, and whether the new set's Machines will work is not known yet.
void give_up_unmade(const std::vector<SetCounts>& old, Count budget, Scaling& scaling) {
  for (const SetCounts& set : old) {
    const Count down = std::min(set.spec - set.status, budget);
    if (down <= 0) continue;
    scaling.intend(set.name, set.spec - down, "scale down to the Machines that were made");
    budget -= down;
  }
}

// Sorts `old` by age, but only when there is a budget: the deadlock breaker goes by the order it finds.
void scale_old(const Fleet& fleet, std::vector<SetCounts>& old, Scaling& scaling) {
  if (sum_of_old(fleet, [](const SetCounts& set) { return set.spec; }) == 0) return;
  const Count budget = scale_down_budget(fleet, scaling);
  if (budget == 0) return;
  std::ranges::sort(old, {}, [](const SetCounts& set) { return std::tie(set.created, set.name); });
  if (!fleet.newest->settled || !fleet.old_are_settled()) return give_up_unmade(old, budget, scaling);
  ScaleDown down(fleet, scaling, budget);
  for (const bool only_unavailable : {true, false}) {
    for (const SetCounts& set : old) {
      if (down.can_go_on()) down.shrink(set, only_unavailable);
    }
  }
}

// A rollout that waits for a broken old Machine to recover would wait for ever.
void break_deadlock(const Fleet& fleet, const std::vector<SetCounts>& old, Scaling& scaling) {
  const Count status = sum_of_old(fleet, [](const SetCounts& set) { return set.status; });
  const Count available = sum_of_old(fleet, [](const SetCounts& set) { return set.available; });
  if (status == 0 || status == available) return;
  const auto in_motion = [&](const SetCounts& set) {
    return !set.settled || set.spec != set.status || scaling.of(set.name).has_value();
  };
  if (in_motion(*fleet.newest) || std::ranges::any_of(old, in_motion)) return;
  if (fleet.newest->available != fleet.newest->status) return;
  const auto stuck = std::ranges::find_if(
      old, [](const SetCounts& set) { return set.available != set.status && set.spec > 0; });
  if (stuck == old.end()) return;
  scaling.intend(stuck->name, stuck->spec - 1);
  scaling.notes.push_back(
      {.about = fleet.newest->name,
       .code = api::NoteCode::RolloutStep,
       .text = "scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS"});
}

// Machines of the new set that are not available yet. Before it has seen its size that is all of them.
Count coming(const Fleet& fleet) {
  if (!fleet.newest) return 0;
  const Count available = fleet.newest->settled ? fleet.newest->available : 0;
  return std::max<Count>(fleet.newest->spec - available, 0);
}

// What a slow start lets go of the old sets.
std::optional<Count> spare_at_start(const Fleet& fleet) {
  const auto start = slow_start_of(fleet);
  if (!start) return std::nullopt;
  return sum_of_old(fleet, [](const SetCounts& set) { return set.spec; }) - (fleet.limits.desired - *start);
}

}  // namespace

Count scale_down_budget(const Fleet& fleet, const Scaling& so_far) {
  const Count all = sum(fleet, [](const SetCounts& set) { return set.spec; });
  const Count going = sum(fleet, [&](const SetCounts& set) {
    const Count next = std::min(set.spec, so_far.of(set.name).value_or(set.spec));
    return std::max<Count>(set.staying() - next, 0);
  });
  const Count budget = all - going - fleet.limits.least_available() - coming(fleet);
  return std::max<Count>(std::min(budget, spare_at_start(fleet).value_or(budget)), 0);
}

Scaling plan_rolling_update(const Fleet& fleet) {
  Scaling scaling;
  scale_newest(fleet, scaling);
  std::vector<SetCounts> old = fleet.old;
  scale_old(fleet, old, scaling);
  break_deadlock(fleet, old, scaling);
  return scaling;
}

}  // namespace capstan::controllers::rollout
