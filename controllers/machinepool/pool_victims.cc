#include "controllers/machinepool/pool_victims.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/rules.h"
#include "controllers/machinepool/report.h"
#include "controllers/safety/deletion_guard.h"
#include "controllers/shared/recheck.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

using api::policy::annotation::kVictims;

constexpr Seconds kHeldVictimsRecheck{15};
constexpr Seconds kConfirmationRecheck{60};  // a person has to do something first
constexpr std::string_view kNoMachines =
    "the pool has no Machines: its provider chooses, a DriverMachinePool by an annotation of its own";

Snapshot<api::Machine> find_own(const Observation& seen, std::string_view name) {
  const auto found = std::ranges::find_if(seen.machines.machines, [&](const auto& machine) {
    return machine->metadata.name == name &&
           runtime::is_controlled_by(machine->metadata, seen.pool->metadata.uid);
  });
  return found == seen.machines.machines.end() ? nullptr : *found;
}

// Its provider has come down to the size that is wanted, or was never above it.
bool takes_no_more(const Observation& seen, const Plan& plan) {
  const auto& wanted = plan.size.replicas;
  const auto& there = seen.infra_says.replicas;
  if (!wanted || !there || is_sized_by_others(*seen.pool)) return false;
  const auto staying = std::ranges::count_if(
      seen.machines.machines, [](const auto& machine) { return !machine->metadata.deleting(); });
  return *there <= *wanted && staying <= *wanted;
}

void hold_victims(std::string why, std::optional<Seconds> recheck, Plan& plan) {
  plan.victims_held.push_back(std::move(why));
  recheck_within(plan.recheck, recheck);
}

void look_what_holds_victims(const Observation& seen, Plan& plan) {
  if (!seen.may_scale_down.open) hold_victims(seen.may_scale_down.why, kHeldVictimsRecheck, plan);
  const auto windows = safety::ask_windows(seen.deletion_rules, safety::Cause::ScaleIn, seen.now);
  if (!windows.open) hold_victims(windows.why, windows.opens_in, plan);
}

bool is_confirmed(const Observation& seen, const lifecycle::Victim& victim, const api::Machine& machine) {
  return safety::is_confirmed(machine, seen.fleet, victim.named.to_string());
}

// Those that a person has confirmed and that wait for their place in the limits of the FleetPolicy, or the
// rest.
std::vector<safety::Doomed> doomed_of(const Observation& seen, const lifecycle::Victims& victims,
                                      bool confirmed) {
  std::vector<safety::Doomed> doomed;
  for (const auto& victim : victims.valid) {
    const auto& machine = *find_own(seen, victim.name);
    if (is_confirmed(seen, victim, machine) == confirmed)
      doomed.push_back({.text = victim.name, .identity = machine.metadata.uid.str()});
  }
  return doomed;
}

// True: a person has confirmed what goes.
bool ask_guard_of_victims(const Observation& seen, const lifecycle::Victims& victims, Plan& plan) {
  const auto& rules = seen.deletion_rules;
  if (!rules.guard_percent) return false;
  const auto verdict = safety::ask_guard({.kind = api::kind::kMachinePool,
                                          .owner = seen.pool->metadata,
                                          .policy = rules.policy,
                                          .percent = *rules.guard_percent,
                                          .governed = rules.governed.value_or(0),
                                          .doomed = doomed_of(seen, victims, false),
                                          .confirmed = doomed_of(seen, victims, true)});
  if (!verdict.open) hold_victims(verdict.why, kConfirmationRecheck, plan);
  return verdict.confirmed;
}

void delete_victims(const Observation& seen, const lifecycle::Victims& victims, Plan& plan) {
  if (victims.valid.empty() || !takes_no_more(seen, plan)) return;
  look_what_holds_victims(seen, plan);
  const bool confirmed = plan.victims_held.empty() && ask_guard_of_victims(seen, victims, plan);
  if (!plan.victims_held.empty()) return;
  for (const auto& victim : victims.valid) {
    auto machine = find_own(seen, victim.name);
    if (deletes(plan, *machine)) continue;
    const bool counts = confirmed || is_confirmed(seen, victim, *machine);
    plan.actions.push_back(ReplaceMachine{.machine = std::move(machine),
                                          .named = true,
                                          .confirmed = counts ? victim.named.to_string() : std::string()});
  }
  if (confirmed) plan.actions.push_back(UseConfirmation{});
}

}  // namespace

lifecycle::Victims named_victims(const Observation& seen) {
  const bool has_machines = seen.machines.state != MachinesSeen::State::Unsupported;
  const auto objection = [&](std::string_view name) {
    return has_machines ? lifecycle::objection_to(find_own(seen, name).get()) : std::string(kNoMachines);
  };
  return lifecycle::victims_in(
      lifecycle::victims_said(seen.pool->metadata.annotations),
      {.now = seen.now,
       .expiry = lifecycle::victims_expiry(seen.policy ? &seen.policy->spec : nullptr),
       .objection = objection});
}

void mark_victim(const lifecycle::Victims& named, const api::Machine& present, api::Machine& wanted) {
  if (!named.names(present.metadata.name.view())) return;
  const Text* mark = present.metadata.annotations.find(api::annotation::kDeleteMachine);
  if (mark == nullptr || *mark == kVictims)
    wanted.metadata.annotations.set(Text(api::annotation::kDeleteMachine), Text(kVictims));
}

void settle_victims(const Observation& seen, Plan& plan) {
  std::string from = lifecycle::victims_said(seen.pool->metadata.annotations);
  const bool known = seen.machines.state != MachinesSeen::State::Unknown && seen.infra_says.ready;
  if (from.empty() || !seen.fresh || !known) return;
  const auto victims = named_victims(seen);
  recheck_within(plan.recheck, victims.recheck);
  delete_victims(seen, victims, plan);
  if (victims.value() == from) return;
  plan.actions.push_back(
      WriteVictims{.from = std::move(from),
                   .to = victims.value(),
                   .dropped = lifecycle::reasons(victims),
                   .overruled = lifecycle::overruled_alias(seen.pool->metadata.annotations, kVictims)});
}

}  // namespace capstan::controllers::machinepool
