#include "controllers/machinehealthcheck/reconciler.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/machinehealthcheck/act.h"
#include "controllers/machinehealthcheck/governance.h"
#include "controllers/machinehealthcheck/report.h"
#include "controllers/shared/status_patch.h"
#include "kube/resources.h"
#include "runtime/events.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

// A live read before a Node that the cache lacks counts as deleted; what was told before needs no second one.
bool is_known_missing(const api::Machine& machine) {
  const auto told = api::conditions::find(machine.status.conditions, api::condition::kHealthCheckSucceeded);
  return told != nullptr && told->reason == api::reason::kNodeDeleted && told->status == api::status::kFalse;
}

// Other checks of the Cluster that select one of these.
void find_rivals(const Caches& caches, Observation& seen) {
  for (auto& other : caches.machine_health_checks_of(runtime::key_of(*seen.cluster))) {
    if (other->metadata.uid == seen.check->metadata.uid) continue;
    auto selector = selector_of(*other);
    if (!selector) continue;
    const bool overlaps = std::ranges::any_of(
        seen.targets, [&](const Target& target) { return is_target(*target.machine, *selector); });
    if (!overlaps) continue;
    seen.overlapping.push_back(other->metadata.name.str());
    if (other->metadata.annotations.contains(api::annotation::kPaused)) continue;
    seen.rivals.push_back({.check = std::move(other), .selector = std::move(*selector)});
  }
}

}  // namespace

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto check = deps_.caches.machine_health_checks.get(key);
  if (!check) contests_.forget(key);
  if (!check || !in_scope(check->metadata, deps_.watch_filter)) return runtime::Outcome::done();
  auto cluster = deps_.caches.cluster_of(key.namespace_, check->spec.cluster_name);
  return take_turn(context, observe(context, std::move(check), std::move(cluster)));
}

Observation Reconciler::observe(const runtime::Context& context, Snapshot<api::MachineHealthCheck> check,
                                Snapshot<api::Cluster> cluster) {
  Observation seen{.now = deps_.clock.now(),
                   .check = std::move(check),
                   .cluster = std::move(cluster),
                   .fresh = context.fresh};
  if (!seen.cluster) return seen;  // its arrival wakes the check
  const bool paused = seen.cluster->spec.paused.value_or(false) ||
                      seen.check->metadata.annotations.contains(api::annotation::kPaused);
  if (paused) return seen;  // nothing else matters
  seen.brake = deps_.brake.ask(runtime::Intent::Remediate, runtime::key_of(*seen.check));
  find_targets(context, seen);
  find_rivals(deps_.caches, seen);
  return seen;
}

void Reconciler::find_targets(const runtime::Context& context, Observation& seen) {
  const auto selector = selector_of(*seen.check);
  if (!selector) {
    seen.selector_problem = selector.error().message;
    return;
  }
  const kube::ObjectKey cluster = runtime::key_of(*seen.cluster);
  std::shared_ptr<kubeconfig::WorkloadCluster> workload;
  if (control_plane_initialized(*seen.cluster)) {
    const auto connected = deps_.workload_clusters.get(cluster);
    const auto reach = deps_.workload_clusters.reach(cluster);
    const bool goes_on = is_off(Safeguard::OutOfReach) && reach.last_success.is_set();
    // In doubt, what the cache says of Nodes may have been over for a while.
    seen.connected = (connected || goes_on) && reach.doubt.empty();
    if (!seen.connected) return;
    if (connected) workload = *connected;
  }
  auto machines = deps_.caches.machines_of(cluster);
  seen.template_problem = template_problem(*seen.check, machines);
  for (auto& machine : machines) {
    if (is_target(*machine, *selector)) {
      seen.targets.push_back(target_of(std::move(machine), workload.get(), context));
    } else {
      seen.others = true;
      if (is_exempted(*machine, *selector)) seen.exempted.push_back(std::move(machine));
    }
  }
  Governance(deps_.caches, cluster.namespace_).tell(seen);
}

Target Reconciler::target_of(Snapshot<api::Machine> machine, kubeconfig::WorkloadCluster* workload,
                             const runtime::Context& context) {
  Target target{.machine = std::move(machine)};
  const auto& reference = target.machine->status.node_ref;
  if (workload == nullptr || !reference) return target;
  const kube::ObjectKey key{.namespace_ = {}, .name = reference->name.str()};
  target.node = workload->nodes().get(key);
  if (target.node) {
    target.node_state = Target::NodeState::Here;
  } else if (is_known_missing(*target.machine)) {
    target.node_state = Target::NodeState::Missing;
  } else {
    const auto live = workload->client().get(kube::resources::nodes(), key, context.deadline);
    const bool missing = !live && live.error().code == Code::NotFound;
    target.node_state = missing ? Target::NodeState::Missing : Target::NodeState::Unsure;
  }
  return target;
}

Result<runtime::Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen) {
  const Plan plan = decide(seen);
  const Effects effects = act(deps_, *host_, contests_, context, seen, plan);
  auto after = report(seen, plan, effects);
  const runtime::Outcome contested = report_contests(contests_, deps_, *seen.check, after);
  const auto told = tell(context, plan, effects, after);
  // While one Machine makes the check back off, the deadlines of the others go on.
  const bool failed = !told || !effects.errors.empty();
  if (failed && plan.recheck) host_->queue.add_after(runtime::key_of(*seen.check), *plan.recheck);
  TRY(told);
  if (!effects.errors.empty()) return fail(effects.errors.front());
  runtime::Outcome outcome = contested;
  if (plan.recheck) outcome = outcome.or_sooner(runtime::Outcome::after(*plan.recheck));
  if (effects.recheck) outcome = outcome.or_sooner(runtime::Outcome::after(*effects.recheck));
  return outcome;
}

Result<void> Reconciler::tell(const runtime::Context& context, const Plan& plan, const Effects& effects,
                              const api::MachineHealthCheck& after) {
  const auto patched =
      controllers::patch_status(deps_.client, effects.check, after,
                                {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()},
                                Time::from(deps_.clock.now()), context.deadline);
  if (!patched && patched.error().code == Code::NotFound) return {};
  if (!patched) return fail(patched.error());
  if (!*patched) return {};
  host_->consistency.wrote(runtime::key_of(after), deps_.caches.machine_health_checks,
                           (*patched)->metadata.resource_version);
  const auto about = runtime::reference_to(kube::resource_of<api::MachineHealthCheck>(), after.metadata);
  for (const Note& note : news(plan, effects.check, after))
    deps_.events.record(about, runtime::EventType::Warning, note.reason, note.message);
  return {};
}

}  // namespace capstan::controllers::machinehealthcheck
