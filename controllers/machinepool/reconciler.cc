#include "controllers/machinepool/reconciler.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "controllers/machinepool/act.h"
#include "controllers/machinepool/decide.h"
#include "controllers/machinepool/report.h"
#include "controllers/safety/freeze_events.h"
#include "controllers/shared/finalizer.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/turn_steps.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

using api::MachinePool;
using kube::ObjectKey;
using runtime::Context;
using runtime::Outcome;

const OwnedConditions kOwned{.types = kOwnedConditions, .v1beta1_types = kOwnedV1Beta1Conditions};

// A pool whose Nodes come and go is counted once a second, whatever its size.
constexpr Nanoseconds kGathered = std::chrono::seconds(1);

bool counts_differ(const api::MachinePoolStatus& before, const api::MachinePoolStatus& after) {
  return before.node_refs != after.node_refs || before.ready_replicas != after.ready_replicas ||
         before.available_replicas != after.available_replicas;
}

// Only the status is written: a list of thousands needs not be encoded for it.
MachinePool without_spec(const MachinePool& pool) {
  return {.metadata = pool.metadata, .status = pool.status};
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const Context& context, const ObjectKey& key) {
  Pool pool = deps_.caches.machine_pools.get(key);
  if (!pool) memory_.forget(key);
  if (!pool || !in_scope(pool->metadata, deps_.watch_filter)) return Outcome::done();
  Belonged known = belonged(deps_.caches, std::move(pool));
  known.pool = TRY(prepare(context, std::move(known.pool)));
  if (TRY(hold_still(context, known.pool))) return Outcome::done();
  const auto& metadata = known.pool->metadata;
  if (metadata.deleting() && !metadata.has_finalizer(api::finalizer::kMachinePool)) return Outcome::done();
  return take_turn(context, known);
}

// The finalizer comes first, even on what is paused: nothing is made before it can be cleaned up. Owner and
// label come with it, in one patch.
Result<Reconciler::Pool> Reconciler::prepare(const Context& context, Pool pool) {
  if (pool->metadata.deleting()) return pool;
  const auto cluster = deps_.caches.cluster_of(pool->metadata.namespace_, pool->spec.cluster_name);
  api::ObjectMeta metadata = pool->metadata;
  metadata.finalizers = with_finalizer(metadata.finalizers, api::finalizer::kMachinePool);
  if (cluster && !pause_of(cluster.get(), pool->metadata, api::kind::kMachinePool).paused) {
    metadata.labels.set(Text(api::label::kClusterName), pool->spec.cluster_name);
    metadata.owner_references =
        runtime::with_owner(pool->metadata.owner_references,
                            runtime::owner_reference(kube::resource_of<api::Cluster>(), cluster->metadata));
  }
  if (metadata == pool->metadata) return pool;
  MachinePool after = *pool;
  after.metadata = std::move(metadata);
  const auto patched = TRY(kube::patch(deps_.client, *pool, after, context.deadline));
  if (!patched) return pool;
  host_->consistency.wrote(kube::key_of(*pool), deps_.caches.machine_pools,
                           patched->metadata.resource_version);
  return belonged(deps_.caches, std::make_shared<const MachinePool>(*patched)).pool;
}

Result<bool> Reconciler::hold_still(const Context& context, const Pool& pool) {
  const auto cluster = deps_.caches.cluster_of(pool->metadata.namespace_, pool->spec.cluster_name);
  const auto pause = pause_of(cluster.get(), pool->metadata, api::kind::kMachinePool);
  if (!pause.paused) return false;
  memory_.drainer.forget(runtime::key_of(*pool));
  TRY(write_pause(act_context(context), deps_.caches.machine_pools, without_spec(*pool), pause, kOwned));
  return true;
}

Result<Outcome> Reconciler::take_turn(const Context& context, const Belonged& known) {
  const Observation seen = observe({.deps = deps_, .host = *host_, .context = context}, memory_, known);
  const Plan plan = decide(seen);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  log_plan(context.log, plan);
  Effects effects = act(act_context(context), memory_, seen, plan);
  record_events(*seen.pool, effects.notes);
  if (effects.gone) return Outcome::done();
  auto reported = report(seen, plan, effects);
  auto outcome = Outcome::done();
  if (!seen.deleting()) outcome = report_contests(memory_.contests, deps_, effects.pool, reported.after);
  TRY(write_status(context, effects.pool, reported.after));
  record_events(reported.after, reported.notes);
  safety::record_freeze(deps_.events,
                        runtime::reference_to(kube::resource_of<MachinePool>(), seen.pool->metadata),
                        seen.pool->status.conditions, reported.after.status.conditions);
  outcome = outcome.or_sooner(Outcome::after(effects.waits_for ? effects.waits_for->recheck : plan.recheck))
                .or_sooner(Outcome::after(reported.recheck));
  if (counts_differ(seen.pool->status, reported.after.status)) outcome = outcome.quiet_for(kGathered);
  outcome = outcome.or_sooner(Outcome::after(effects.recheck));
  if (!seen.deleting() && effects.kept.empty()) memory_.drainer.forget(runtime::key_of(*seen.pool));
  if (effects.unfinished) outcome = outcome.or_sooner(Outcome::after(Nanoseconds()));
  std::ranges::copy(seen.errors, std::back_inserter(effects.errors));
  return ended(effects.errors, outcome);
}

ActContext Reconciler::act_context(const Context& context) {
  return {.deps = deps_, .host = *host_, .contests = memory_.contests, .context = context};
}

Result<void> Reconciler::write_status(const Context& context, const MachinePool& before,
                                      const MachinePool& after) {
  if (before.status == after.status) return {};
  TRY(controllers::write_status(act_context(context), deps_.caches.machine_pools, without_spec(before),
                                without_spec(after), kOwned));
  return {};
}

void Reconciler::record_events(const MachinePool& pool, std::span<const Note> notes) {
  record_notes(deps_.events, runtime::reference_to(kube::resource_of<MachinePool>(), pool.metadata), notes);
}

}  // namespace capstan::controllers::machinepool
