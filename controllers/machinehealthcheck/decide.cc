#include "controllers/machinehealthcheck/decide.h"

#include <algorithm>

#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

constexpr Seconds kStaleRecheck{5};
// A Node that the cache and the server disagree about.
constexpr Seconds kUnsureRecheck{1};

void look_again(Plan& plan, std::optional<Nanoseconds> span) {
  if (span) plan.recheck = std::min(plan.recheck.value_or(*span), *span);
}

void judge_all(const Observation& seen, Plan& plan) {
  const Circumstances when = circumstances_of(*seen.cluster, seen.now);
  for (const Target& target : seen.targets) {
    Verdict verdict = judge(target, seen.check->spec.checks, when);
    look_again(plan, verdict.next_check);
    if (target.node_state == Target::NodeState::Unsure) look_again(plan, kUnsureRecheck);
    if (verdict.health == Health::Healthy) ++plan.counts.healthy;
    if (verdict.health == Health::Unhealthy) ++plan.counts.unhealthy;
    plan.verdicts.push_back(std::move(verdict));
  }
  plan.counts.targets = static_cast<std::int32_t>(seen.targets.size());
  plan.judged = true;
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
  plan.pause = runtime::paused(seen.cluster->spec.paused.value_or(false), seen.check->metadata,
                               api::kind::kMachineHealthCheck);
  if (plan.pause.paused) return plan;
  plan.own = owned_metadata(*seen.check, *seen.cluster) != seen.check->metadata;
  if (!seen.connected) return plan;  // the connection wakes us
  judge_all(seen, plan);
  plan.allowance = allowance(seen.check->spec.remediation.trigger_if, plan.counts, seen.brake);
  plan.remediate = plan.allowance.allowed() && seen.fresh;
  if (!seen.fresh) look_again(plan, kStaleRecheck);
  return plan;
}

}  // namespace capstan::controllers::machinehealthcheck
