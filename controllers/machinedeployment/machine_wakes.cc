#include "controllers/machinedeployment/machine_wakes.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/inplace/node_labels.h"
#include "controllers/inplace/update_mark.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecycle/replacements.h"
#include "controllers/lifecycle/rules.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/safety/fleet_request.h"

namespace capstan::controllers::machinedeployment {
namespace {

using api::Machine;

bool same_owner(const Machine& before, const Machine& after) {
  const auto* was = before.metadata.controller();
  const auto* is = after.metadata.controller();
  return was == nullptr || is == nullptr ? was == is : was->uid == is->uid;
}

// What it says of its life, whatever of that it is.
bool same_words(const Machine& before, const Machine& after) {
  const auto words = [](const Machine& machine) {
    return api::conditions::find(machine.status.conditions, api::policy::condition::kLifecycle);
  };
  const auto was = words(before);
  const auto is = words(after);
  if (was == nullptr || is == nullptr) return (was == nullptr) == (is == nullptr);
  return was->reason == is->reason && was->message == is->message &&
         was->last_transition_time == is->last_transition_time;
}

// What its MachineSet asks of the FleetPolicy, and is granted, is the set's affair.
bool same_life(const Machine& before, const Machine& after) {
  if (safety::differ_by_fleet_words_alone(before, after)) return true;
  return same_owner(before, after) && same_words(before, after) &&
         before.metadata.annotations == after.metadata.annotations &&
         before.metadata.deleting() == after.metadata.deleting();
}

// One that is not there holds up others as one that is on its way does.
bool frees_a_place(const Machine* before, const Machine* after, const Heeded& by) {
  if (!by.grants) return false;
  const bool took = before == nullptr || lifecycle::takes_a_place(*before, by.counted);
  const bool takes = after != nullptr && lifecycle::takes_a_place(*after, by.counted);
  return took && !takes;
}

// Of what waits to be replaced everything may matter: since when, whether a user wants it, a time of its own;
// and when it waits no longer, another one may be the first.
bool waits(const Machine* machine, const Heeded& by) {
  return by.grants && machine != nullptr && lifecycle::is_in(*machine, lifecycle::Phase::Unhealthy);
}

bool is_updated(const Machine* machine) { return machine != nullptr && inplace::is_marked(*machine); }

bool is_preserved_failure(const Machine* machine) {
  return machine != nullptr && lifecycle::is_preserved_failure(*machine);
}

bool is_there(const Machine* machine) { return machine != nullptr && !machine->metadata.deleting(); }

// Its MachineSet may have nothing to report of that.
bool is_urgent(const Machine* before, const Machine* after, const Heeded& by) {
  if (before != nullptr && after != nullptr && !same_owner(*before, *after)) return true;
  if (by.updates || is_updated(before) || is_updated(after)) return true;
  if (by.victims && lifecycle::objection_to(before) != lifecycle::objection_to(after)) return true;
  return is_preserved_failure(before) != is_preserved_failure(after) || (is_there(after) && waits(after, by));
}

}  // namespace

Heeded heeded_by(const api::MachineDeployment& deployment, const api::MachineLifecyclePolicy* policy) {
  Heeded by{.victims = !lifecycle::victims_said(deployment.metadata.annotations).empty()};
  if (policy == nullptr) return by;
  const auto& spec = policy->spec;
  by.grants = spec.reports_lifecycle();
  if (by.grants) by.counted = lifecycle::counted_phases(spec);
  by.updates = spec.rollout && spec.rollout->in_place && !is_rolled_out(deployment);
  by.numbers = spec.overshoot.has_value();
  return by;
}

Wake wake_of(const Machine* before, const Machine* after, const Heeded& by) {
  const bool stays = before != nullptr && after != nullptr;
  if (stays && same_life(*before, *after)) return Wake::None;
  if (is_urgent(before, after, by)) return Wake::Now;
  // Of one that comes its MachineSet always has something to report.
  const bool is_missed = by.numbers && after == nullptr;
  return is_missed || frees_a_place(before, after, by) || waits(before, by) || waits(after, by) ? Wake::Later
                                                                                                : Wake::None;
}

bool heeds_node_of(const Machine& machine, const api::Node& node, const Heeded& by) {
  return by.updates || inplace::is_marked(machine) || inplace::shows_an_update(node);
}

// It has said so since its spec changed last. Until then the turn that begins a rollout may still come, and
// what that says of it wakes the MachineDeployment again.
bool is_rolled_out(const api::MachineDeployment& deployment) {
  const auto rolling = api::conditions::find(deployment.status.conditions, api::condition::kRollingOut);
  return rolling != nullptr && rolling->status == api::status::kFalse &&
         deployment.status.observed_generation == deployment.metadata.generation;
}

}  // namespace capstan::controllers::machinedeployment
