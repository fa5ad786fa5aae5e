#include "controllers/machinedeployment/held_rolls.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "controllers/safety/deletion_guard.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinedeployment {
namespace {

using rollout::SetCounts;

// A person has to do something first.
constexpr Seconds kConfirmRecheck{60};

Count kept_of(const RollStep& step, const SetCounts& set) {
  return step.on_delete ? std::min(set.spec, set.status) : set.spec;
}

// A step that makes a set smaller takes along what the set holds.
Count taken_from(const RollStep& step, const SetCounts& set, const rollout::Scaling& scaling) {
  const Count taken = kept_of(step, set) - scaling.of(set.name).value_or(set.spec);
  return taken > 0 ? taken + set.held : 0;
}

std::vector<safety::Doomed> doomed_in(const RollStep& step, const rollout::Scaling& scaling) {
  std::vector<safety::Doomed> doomed;
  for (const SetCounts& set : step.fleet.old) {
    const Count taken = taken_from(step, set, scaling);
    if (taken == 0) continue;
    doomed.push_back({.text = fmt::format("{} of MachineSet {}", taken, set.name),
                      .identity = fmt::format("{}: {} of {}", set.name, taken, kept_of(step, set) + set.held),
                      .machines = static_cast<std::size_t>(taken)});
  }
  return doomed;
}

void keep_old_sets(const RollStep& step, rollout::Scaling& scaling) {
  for (const SetCounts& set : step.fleet.old)
    if (taken_from(step, set, scaling) > 0) scaling.intend(set.name, kept_of(step, set));
}

safety::GuardVerdict ask_guard(const Observation& seen, std::vector<safety::Doomed> doomed) {
  if (!seen.deletion_rules.guard_percent) return {};
  return safety::ask_guard({.kind = api::kind::kMachineDeployment,
                            .owner = seen.stored->metadata,
                            .policy = seen.deletion_rules.policy,
                            .percent = *seen.deletion_rules.guard_percent,
                            .governed = seen.deletion_rules.governed,
                            .doomed = std::move(doomed)});
}

}  // namespace

bool hold_rolls(const Observation& seen, const RollStep& step, rollout::Scaling& scaling, Plan& plan) {
  auto doomed = doomed_in(step, scaling);
  if (doomed.empty()) return false;
  const auto cause = step.paused ? safety::Cause::ScaleIn : safety::Cause::Rollout;
  const auto window = safety::ask_windows(seen.deletion_rules, cause, seen.now);
  if (!window.open) {
    keep_old_sets(step, scaling);
    plan.held.push_back(window.why);
    plan.held_by = window.why;
    recheck_within(plan.recheck, window.opens_in);
    return false;
  }
  const auto guard = ask_guard(seen, std::move(doomed));
  if (guard.open) return guard.confirmed;
  plan.needs_count = guard.uncounted;
  keep_old_sets(step, scaling);
  plan.held.push_back(guard.why);
  plan.held_by = guard.why;
  recheck_within(plan.recheck, kConfirmRecheck);
  return false;
}

}  // namespace capstan::controllers::machinedeployment
