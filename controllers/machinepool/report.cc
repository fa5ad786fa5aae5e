#include "controllers/machinepool/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "controllers/machinepool/conditions.h"
#include "controllers/machinepool/counters.h"
#include "controllers/safety/frozen_condition.h"
#include "controllers/shared/held_up.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinepool {
namespace {

namespace phase = api::machine_pool_phase;

constexpr std::size_t kNodesShown = 5;  // names in an Event

void what_holds_up_machines(const Observation& seen, api::MachinePool& after);
void failures(const Observation& seen, const Plan& plan, api::MachinePool& after);
std::string_view phase_of(const api::MachinePool& pool);
bool went_well(const Plan& plan, const Effects& effects);
api::MachinePool report_deletion(const Observation& seen, const Plan& plan, const Effects& effects);
std::vector<Note> news(const api::MachinePool& before, const api::MachinePool& after, const Effects& effects);

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  if (seen.deleting()) return {.after = report_deletion(seen, plan, effects)};
  Reported reported{.after = effects.pool};
  api::MachinePool& after = reported.after;
  after.status.initialization = plan.wanted.status.initialization;
  after.status.replicas = plan.wanted.status.replicas;
  if (seen.cluster) {
    count(seen, plan, effects, after.status);
    failures(seen, plan, after);
  }
  set_conditions(seen, plan, effects, after);
  if (seen.fresh)
    safety::show_frozen(seen.frozen, after.status.conditions, after.metadata.generation, seen.now);
  show_health(seen, plan, after);
  what_holds_up_machines(seen, after);
  if (seen.cluster) set_v1beta1_conditions(seen, plan, after);
  after.status.phase = Text(phase_of(after));
  if (went_well(plan, effects)) {
    after.status.observed_generation = std::max<std::int64_t>(1, after.metadata.generation);
  }
  reported.recheck = next_available(seen);
  recheck_within(reported.recheck, next_held_up(seen.machines.machines, seen.now));
  recheck_within(reported.recheck, when_nodes_are_given_up(seen));
  reported.notes = news(*seen.pool, after, effects);
  return reported;
}

bool is_sized_by_others(const api::MachinePool& pool) {
  const Text* manager = pool.metadata.annotations.find(api::annotation::kReplicasManagedBy);
  return manager != nullptr && *manager != "false";
}

namespace {

// Later ones override earlier ones, as upstream's do.
std::string_view phase_of(const api::MachinePool& pool) {
  const auto& now = pool.status;
  const bool provisioned = now.initialization.infrastructure_provisioned.value_or(false);
  const bool bootstrapped = now.initialization.bootstrap_data_secret_created.value_or(false);
  const std::int32_t wanted = pool.spec.replicas.value_or(1);
  const std::int32_t ready =
      now.deprecated && now.deprecated->v1beta1 ? now.deprecated->v1beta1->ready_replicas : 0;
  std::string_view in = now.phase.empty() ? phase::kPending : now.phase.view();
  if (bootstrapped && !provisioned) in = phase::kProvisioning;
  if (!now.node_refs.empty()) in = phase::kProvisioned;
  if (provisioned && wanted == ready) in = phase::kRunning;
  if (provisioned && wanted > ready) in = phase::kScalingUp;
  if (provisioned && wanted < ready) in = phase::kScalingDown;
  if (provisioned && wanted != ready && is_sized_by_others(pool)) in = phase::kScaling;
  if (pool.metadata.deleting()) in = phase::kDeleting;
  return in;
}

// Only where this turn has made the condition anew that it is added to.
void what_holds_up_machines(const Observation& seen, api::MachinePool& after) {
  if (seen.machines.state != MachinesSeen::State::Known) return;
  show_held_up(after.status.conditions, seen.machines.machines, after.metadata.generation, seen.now);
}

void say_failure(const ExternalSeen& external, const api::contract::Failures& said, api::MachinePool& after) {
  if (!said.any()) return;
  auto& old = after.status.deprecated.ensure().v1beta1.ensure();
  if (!said.reason.empty()) old.failure_reason = Text(said.reason);
  if (said.message.empty()) return;
  old.failure_message = FreeText(
      fmt::format("Failure detected from referenced resource {}, Kind={} with name \"{}\": {}",
                  external.resource.api_version(), external.resource.kind, external.key.name, said.message));
}

// Set once, never cleared: the older clients' word for what needs a human.
void failures(const Observation& seen, const Plan& plan, api::MachinePool& after) {
  say_failure(seen.bootstrap, plan.bootstrap.failures, after);
  say_failure(seen.infra, seen.infra_says.failures, after);
  const bool provisioned = after.status.initialization.infrastructure_provisioned.value_or(false);
  if (!seen.infra.missing() || !provisioned) return;
  const auto& ref = after.spec.machine_template.spec.infrastructure_ref;
  auto& old = after.status.deprecated.ensure().v1beta1.ensure();
  old.failure_reason = Text(api::v1beta1_reason::kInvalidConfiguration);
  old.failure_message =
      FreeText(fmt::format("MachinePool infrastructure resource {} {}/{} has been deleted after being ready",
                           ref.kind.view(), after.metadata.namespace_.view(), ref.name.view()));
}

// A lost race is no failure: the next turn is due already.
bool went_well(const Plan& plan, const Effects& effects) {
  return plan.troubles.empty() &&
         std::ranges::all_of(effects.errors, [](const Error& error) { return error.code == Code::Conflict; });
}

api::MachinePool report_deletion(const Observation& seen, const Plan& plan, const Effects& effects) {
  const auto& waits_for = effects.waits_for;
  const std::string_view reason = waits_for ? waits_for->reason : plan.reason;
  const std::string& message = waits_for ? waits_for->message : plan.message;
  api::MachinePool after = effects.pool;
  after.status.phase = Text(phase_of(after));
  api::conditions::set(after.status.conditions,
                       api::conditions::make(api::condition::kDeleting, api::status::kTrue, reason, message),
                       after.metadata.generation, seen.now);
  what_holds_up_machines(seen, after);
  return after;
}

std::vector<Note> news(const api::MachinePool& before, const api::MachinePool& after,
                       const Effects& effects) {
  std::vector<Note> notes;
  if (before.status.node_refs != after.status.node_refs && !after.status.node_refs.empty()) {
    std::vector<std::string> names;
    for (const auto& ref : after.status.node_refs) names.push_back(ref.name.str());
    notes.push_back(
        {.code = api::NoteCode::NodesFound, .text = api::conditions::name_list(names, kNodesShown)});
  }
  if (!effects.node_trouble.empty())
    notes.push_back({.code = api::NoteCode::NodesNotWritten, .text = effects.node_trouble});
  const auto was = api::conditions::find(before.status.conditions, api::condition::kInfrastructureReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kInfrastructureReady);
  if (is == nullptr || is->reason != kInvalidProviderIdList) return notes;
  if (was == nullptr || was->message != is->message)
    notes.push_back({.code = api::NoteCode::ProviderIdListInvalid, .text = is->message.str()});
  return notes;
}

}  // namespace
}  // namespace capstan::controllers::machinepool
