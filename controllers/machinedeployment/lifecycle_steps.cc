#include "controllers/machinedeployment/lifecycle_steps.h"

#include <algorithm>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/shared/recheck.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinedeployment {
namespace {

std::string_view revision_of(const api::ObjectMeta& object) {
  return object.annotations.value_or_empty(api::annotation::kRevision);
}

// Of a set that is not being rolled away.
bool is_of_the_newest(const Observation& seen, const api::Machine& machine) {
  return std::ranges::any_of(seen.sets, [&](const auto& set) {
    return runtime::is_controlled_by(machine.metadata, set->metadata.uid) &&
           revision_of(set->metadata) == revision_of(seen.stored->metadata);
  });
}

std::int32_t missing_machines(const Observation& seen) {
  std::int32_t missing = 0;
  for (const auto& set : seen.sets) {
    const auto there = std::ranges::count_if(seen.owned, [&](const auto& machine) {
      return runtime::is_controlled_by(machine->metadata, set->metadata.uid);
    });
    missing += std::max(0, set->spec.replicas.value_or(0) - static_cast<std::int32_t>(there));
  }
  return missing;
}

// The smaller one of the policy's and the deployment's own. What makes no sense in a spec allows none: the
// MachineSet says what is wrong.
std::int32_t limit_of(const Observation& seen) {
  const std::int32_t replicas = seen.deployment.spec.replicas.value_or(1);
  const std::int32_t by_policy = lifecycle::max_in_flight(seen.policy->spec, replicas);
  const auto& own = seen.deployment.spec.remediation.max_in_flight;
  if (!own) return by_policy;
  return std::min(by_policy, scaled_value(*own, replicas, Rounding::Up).value_or(0));
}

std::string limit_in_words(const Observation& seen) {
  const std::int32_t replicas = seen.deployment.spec.replicas.value_or(1);
  std::string by_policy = lifecycle::in_words_max_in_flight(seen.policy->spec, replicas);
  if (limit_of(seen) == lifecycle::max_in_flight(seen.policy->spec, replicas)) return by_policy;
  return "spec.remediation.maxInFlight is " + seen.deployment.spec.remediation.max_in_flight->to_string();
}

}  // namespace

void grant_replacements(const Observation& seen, Plan& plan) {
  if (!seen.policy || !seen.complete || plan.stuck) return;
  const auto decided = lifecycle::replacements(
      {.now = seen.now,
       .contact = seen.contact,
       .policy = seen.policy->spec,
       .machines = seen.owned,
       .missing = missing_machines(seen),
       .limit = limit_of(seen),
       .may_be_replaced = [&](const api::Machine& machine) { return is_of_the_newest(seen, machine); }});
  recheck_within(plan.recheck, decided.recheck);
  if (!seen.may_remediate.open) {
    plan.replacements_wait = lifecycle::words_for_held(decided, seen.may_remediate.why);
    if (!plan.replacements_wait.empty()) recheck_within(plan.recheck, kHeldRecheck);
    return;
  }
  for (const auto& machine : decided.granted) plan.actions.push_back(GrantReplacement{.machine = machine});
  plan.replacements_wait = lifecycle::words_for_waiting(decided, limit_in_words(seen));
}

void settle_victims(const Observation& seen, Plan& plan) {
  std::string from = lifecycle::victims_said(seen.stored->metadata.annotations);
  if (from.empty() || !seen.complete) return;
  const auto objection = [&](std::string_view name) {
    const auto machine =
        std::ranges::find(seen.owned, name, [](const auto& each) { return each->metadata.name.view(); });
    return lifecycle::objection_to(machine == seen.owned.end() ? nullptr : machine->get());
  };
  const auto victims = lifecycle::victims_in(
      from, {.now = seen.now,
             .expiry = lifecycle::victims_expiry(seen.policy ? &seen.policy->spec : nullptr),
             .objection = objection});
  recheck_within(plan.recheck, victims.recheck);
  if (victims.value() == from) return;
  plan.actions.push_back(WriteVictims{
      .from = std::move(from),
      .to = victims.value(),
      .dropped = lifecycle::reasons(victims),
      .overruled =
          lifecycle::overruled_alias(seen.stored->metadata.annotations, api::policy::annotation::kVictims)});
}

std::int64_t preserved_failures(const Observation& seen) {
  return std::ranges::count_if(seen.machines,
                               [](const auto& machine) { return lifecycle::is_preserved_failure(*machine); });
}

}  // namespace capstan::controllers::machinedeployment
