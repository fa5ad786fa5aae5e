#include "controllers/machinepool/pool_replacements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/machinepool/report.h"
#include "controllers/shared/recheck.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

using Machines = std::vector<Snapshot<api::Machine>>;

constexpr Seconds kHeldRecheck{15};

bool may_decide(const Observation& seen) {
  return seen.policy && seen.fresh && seen.machines.state == MachinesSeen::State::Known;
}

Machines own_machines(const Observation& seen) {
  Machines machines;
  std::ranges::copy_if(seen.machines.machines, std::back_inserter(machines), [&](const auto& machine) {
    return runtime::is_controlled_by(machine->metadata, seen.pool->metadata.uid);
  });
  return machines;
}

// Of a pool that a system outside sizes the number of its instances is not ours to miss.
std::int32_t missing_machines(const Observation& seen, std::int32_t replicas) {
  if (is_sized_by_others(*seen.pool)) return 0;
  return std::max(0, replicas - static_cast<std::int32_t>(seen.machines.machines.size()));
}

lifecycle::Replacements ask(const Observation& seen, const Machines& machines, std::int32_t replicas) {
  return lifecycle::replacements({.now = seen.now,
                                  .contact = seen.contact,
                                  .policy = seen.policy->spec,
                                  .machines = machines,
                                  .missing = missing_machines(seen, replicas),
                                  .limit = lifecycle::max_in_flight(seen.policy->spec, replicas),
                                  .may_be_replaced = [](const api::Machine&) { return true; }});
}

Machines failed_for_good(const Observation& seen, const Machines& machines) {
  Machines failed;
  std::ranges::copy_if(machines, std::back_inserter(failed), [&](const auto& machine) {
    const auto& metadata = machine->metadata;
    return !metadata.deleting() && !metadata.annotations.contains(api::annotation::kPaused) &&
           !is_kept(seen, *machine) &&
           lifecycle::has_failed_for_good(*machine, lifecycle::rules_for(seen.policy->spec, *machine),
                                          {.now = seen.now, .contact = seen.contact});
  });
  return failed;
}

// A Machine that can't be read takes a place, too.
const runtime::Unreadable* unreadable_of(const Observation& seen) {
  const auto found = std::ranges::find_if(seen.machines.unreadable, [&](const auto& machine) {
    return machine.may_be_owned_by(seen.pool->metadata.uid);
  });
  return found == seen.machines.unreadable.end() ? nullptr : &*found;
}

void hold(std::string why, std::optional<Seconds> recheck, Plan& plan) {
  plan.replacements_held.push_back(std::move(why));
  recheck_within(plan.recheck, recheck);
}

void look_for_holds(const Observation& seen, Plan& plan) {
  if (const auto* doubt = unreadable_of(seen)) hold(doubt->problem, kHeldRecheck, plan);
  if (!seen.may_replace.open) hold(seen.may_replace.why, kHeldRecheck, plan);
}

// Of several Machines that wait for the same windows that is said once.
struct Windows {
  const Observation& seen;
  Plan& plan;
  std::map<safety::Cause, bool> asked = {};

  bool are_open(safety::Cause cause) {
    const auto [found, is_new] = asked.try_emplace(cause, true);
    if (!is_new) return found->second;
    const auto verdict = safety::ask_windows(seen.deletion_rules, cause, seen.now);
    if (!verdict.open) hold(verdict.why, verdict.opens_in, plan);
    return found->second = verdict.open;
  }
};

}  // namespace

safety::Cause cause_of_replacing(const api::Machine& machine) {
  return lifecycle::was_preserved(machine) ? safety::Cause::PreservationEnded : safety::Cause::Remediation;
}

void replace_machines(const Observation& seen, Plan& plan) {
  if (!may_decide(seen)) return;
  const Machines machines = own_machines(seen);
  const auto decided = ask(seen, machines, plan.size.replicas.value_or(0));
  const Machines failed = failed_for_good(seen, machines);
  recheck_within(plan.recheck, decided.recheck);
  std::string waiting = lifecycle::words_for_waiting(
      decided, lifecycle::in_words_max_in_flight(seen.policy->spec, plan.size.replicas.value_or(0)));
  if (!waiting.empty()) plan.replacements_wait.push_back(std::move(waiting));
  if (decided.granted.empty() && failed.empty()) return;
  look_for_holds(seen, plan);
  if (!plan.replacements_held.empty()) return;
  Windows windows{seen, plan};
  for (const auto& machine : decided.granted) {
    if (windows.are_open(safety::Cause::Remediation))
      plan.actions.push_back(GrantReplacement{.machine = machine});
  }
  for (const auto& machine : failed) {
    if (!deletes(plan, *machine) && windows.are_open(cause_of_replacing(*machine)))
      plan.actions.push_back(ReplaceMachine{.machine = machine});
  }
}

bool is_kept(const Observation& seen, const api::Machine& machine) {
  const auto instance = std::ranges::find_if(seen.instances, [&](const Instance& each) {
    return each.node && !machine.spec.provider_id.empty() && each.provider_id == machine.spec.provider_id;
  });
  if (instance == seen.instances.end()) return lifecycle::is_kept(machine, {}, seen.now);
  return lifecycle::is_kept(machine, {.known = true, .node = instance->node.get()}, seen.now);
}

}  // namespace capstan::controllers::machinepool
