#include "controllers/machinehealthcheck/decide.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "base/safeguards.h"
#include "controllers/machinehealthcheck/decide_marks.h"
#include "controllers/machinehealthcheck/targets.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/recheck.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Seconds kStaleRecheck{5};
// A Node that the cache and the server disagree about.
constexpr Seconds kUnsureRecheck{1};

void judge_all(const Observation& seen, Plan& plan) {
  const Circumstances when = circumstances_of(*seen.cluster, seen.now);
  for (const Target& target : seen.targets) {
    Verdict verdict = judge(target, seen.check->spec.checks, when);
    recheck_within(plan.recheck, verdict.next_check);
    if (target.node_state == Target::NodeState::Unsure) recheck_within(plan.recheck, kUnsureRecheck);
    if (verdict.health == Health::Healthy) ++plan.counts.healthy;
    if (verdict.health == Health::Unhealthy) ++plan.counts.unhealthy;
    plan.verdicts.push_back(std::move(verdict));
  }
  plan.counts.targets = static_cast<std::int32_t>(seen.targets.size());
  plan.judged = true;
}

// Since when remediation is on hold, as the check itself says; unset: it is not.
Time held_since(const api::MachineHealthCheck& check) {
  const auto shown = api::conditions::find(check.status.conditions, api::condition::kRemediationAllowed);
  const bool held = shown != nullptr && shown->status == api::status::kFalse &&
                    shown->reason == api::policy::reason::kSharedCause;
  return held ? shown->last_transition_time : Time();
}

Symptom symptom_of(const Target& target, const Verdict& verdict, Time held) {
  const api::Machine& machine = *target.machine;
  if (!target.policy || machine.metadata.deleting()) return {};
  Symptom symptom{.policy = target.policy.get(),
                  .failure_domain = machine.status.failure_domain.empty()
                                        ? machine.spec.failure_domain.view()
                                        : machine.status.failure_domain.view(),
                  .pool = target.pool,
                  .ill_since = verdict.ill_since};
  // A Node that is younger than the trouble never had it.
  const bool was_there = held.is_set() && target.node && target.node->metadata.creation_timestamp < held;
  if (was_there) symptom.well_since = verdict.well_since;
  return symptom;
}

void find_shared_cause(const Observation& seen, Plan& plan) {
  const bool asked = std::ranges::any_of(seen.targets, [](const Target& target) {
    return target.policy && target.policy->spec.health.shared_cause;
  });
  if (!asked || is_off(Safeguard::SharedCause)) return;
  const Time held = held_since(*seen.check);
  std::vector<Symptom> symptoms;
  for (std::size_t i = 0; i < seen.targets.size(); ++i)
    symptoms.push_back(symptom_of(seen.targets[i], plan.verdicts[i], held));
  plan.shared_cause = shared_cause(symptoms, seen.now);
  recheck_within(plan.recheck, plan.shared_cause.next);
}

void own_check(const Observation& seen, Plan& plan) {
  auto wanted = owned_metadata(*seen.check, *seen.cluster);
  if (wanted == seen.check->metadata) return;
  plan.actions.push_back(OwnCheck{.from = seen.check->metadata, .to = std::move(wanted)});
}

}  // namespace

api::ObjectMeta owned_metadata(const api::MachineHealthCheck& check, const api::Cluster& cluster) {
  api::ObjectMeta metadata = check.metadata;
  metadata.labels.set(Text(api::label::kClusterName), check.spec.cluster_name);
  metadata.owner_references =
      runtime::with_owner(metadata.owner_references,
                          runtime::owner_reference(kube::resource_of<api::Cluster>(), cluster.metadata));
  return metadata;
}

Plan decide(const Observation& seen) {
  Plan plan;
  plan.cluster_missing = seen.cluster == nullptr;
  plan.pause = pause_of(seen.cluster.get(), seen.check->metadata, api::kind::kMachineHealthCheck);
  if (plan.cluster_missing || plan.pause.paused) return plan;
  own_check(seen, plan);
  if (!seen.connected) return plan;  // the connection wakes us
  judge_all(seen, plan);
  plan.selects_none = seen.targets.empty() && (!seen.selector_problem.empty() ||
                                               (seen.others && control_plane_initialized(*seen.cluster)));
  plan.allowance = allowance(seen.check->spec.remediation.trigger_if, plan.counts, seen.brake);
  if (!seen.template_problem.empty())
    plan.allowance = {.state = Allowance::State::Refused, .message = seen.template_problem};
  find_shared_cause(seen, plan);
  plan.remediate = plan.allowance.allowed() && seen.fresh;
  if (!seen.fresh) recheck_within(plan.recheck, kStaleRecheck);
  decide_marks(seen, plan);
  return plan;
}

}  // namespace capstan::controllers::machinehealthcheck
