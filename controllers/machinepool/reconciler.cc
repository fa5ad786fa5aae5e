#include "controllers/machinepool/reconciler.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/message.h"
#include "controllers/machinepool/conditions.h"
#include "controllers/machinepool/report.h"
#include "controllers/shared/status_patch.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinepool {
namespace {

using api::MachinePool;
using kube::ObjectKey;
using runtime::Context;
using runtime::Outcome;

// Somebody was faster: the event of that write brings the next turn, this is for when it has come already.
constexpr Nanoseconds kAfterConflict = std::chrono::milliseconds(200);
constexpr std::size_t kNames = 5;

bool is_paused(const MachinePool& pool, const api::Cluster& cluster) {
  return runtime::paused(cluster.spec.paused.value_or(false), pool.metadata, api::kind::kMachinePool).paused;
}

// A pool whose Nodes come and go is counted once a second, whatever its size.
constexpr Nanoseconds kGathered = std::chrono::seconds(1);

bool counts_differ(const api::MachinePoolStatus& before, const api::MachinePoolStatus& after) {
  return before.node_refs != after.node_refs || before.ready_replicas != after.ready_replicas ||
         before.available_replicas != after.available_replicas;
}

// The status alone is told: a list of thousands needs not be encoded for it.
MachinePool without_spec(const MachinePool& pool) {
  return {.metadata = pool.metadata, .status = pool.status};
}

// Errors of a turn become its end; a lost race is no failure.
Result<Outcome> ended(const std::vector<Error>& errors, const Outcome& otherwise) {
  const auto real =
      std::ranges::find_if(errors, [](const Error& error) { return error.code != Code::Conflict; });
  if (real != errors.end()) return fail(*real);
  if (!errors.empty()) return Outcome::after(kAfterConflict).or_sooner(otherwise);
  return otherwise;
}

}  // namespace

Reconciler::Reconciler(const Deps& deps)
    : deps_(deps), node_writes_(deps.clock), drainer_(deps_), live_looks_(deps.clock) {}

void Reconciler::bind(const Host& host) { host_.emplace(host); }

Result<Outcome> Reconciler::reconcile(const Context& context, const ObjectKey& key) {
  Pool pool = deps_.caches.machine_pools.get(key);
  if (!pool) forget(key);
  if (!pool || !in_scope(pool->metadata, deps_.watch_filter)) return Outcome::done();
  Belonged known = belonged(deps_.caches, std::move(pool));
  known.pool = TRY(prepare(context, std::move(known.pool)));
  if (const auto stopped = TRY(pause(context, known.pool))) return *stopped;
  return known.pool->metadata.deleting() ? take_down(context, known) : go_on(context, known);
}

void Reconciler::forget(const ObjectKey& key) {
  node_writes_.forget(key);
  infra_memory_.forget(key);
  drainer_.forget(key);
  live_looks_.forget(key);
  contests_.forget(key);
  emptied_.with([&](auto& since) { since.erase(key); });
}

// The finalizer comes first, even on what is paused: nothing is made before it can be cleaned up. Owner and
// label come with it, in one patch.
Result<Reconciler::Pool> Reconciler::prepare(const Context& context, Pool pool) {
  if (pool->metadata.deleting()) return pool;
  const auto cluster = deps_.caches.cluster_of(pool->metadata.namespace_, pool->spec.cluster_name);
  api::ObjectMeta metadata = pool->metadata;
  if (!metadata.has_finalizer(api::finalizer::kMachinePool)) {
    auto finalizers = *metadata.finalizers;
    finalizers.emplace_back(api::finalizer::kMachinePool);
    metadata.finalizers = api::Finalizers(std::move(finalizers));
  }
  if (cluster && !is_paused(*pool, *cluster)) {
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

// Something when the turn ends here.
Result<std::optional<Outcome>> Reconciler::pause(const Context& context, const Pool& pool) {
  const auto cluster = deps_.caches.cluster_of(pool->metadata.namespace_, pool->spec.cluster_name);
  const auto verdict = runtime::paused(cluster && cluster->spec.paused.value_or(false), pool->metadata,
                                       api::kind::kMachinePool);
  if (!verdict.paused) return std::optional<Outcome>();
  drainer_.forget(runtime::key_of(*pool));
  const auto step = runtime::judge_pause(verdict, pool->status.conditions, pool->metadata.generation,
                                         Time::from(deps_.clock.now()));
  if (step.step == runtime::PauseStep::Stop) return std::optional(Outcome::done());
  MachinePool after = *pool;
  after.status.conditions = step.conditions;
  TRY(write_status(context, *pool, after));
  return std::optional(Outcome::done());
}

Result<Outcome> Reconciler::go_on(const Context& context, const Belonged& known) {
  const Pool& pool = known.pool;
  const ActContext with = act_with(context);
  Observation seen = observe({deps_, *host_, infra_memory_}, context.fresh, known);
  confirm_empty_list(with, seen);
  const Plan plan = decide(seen);
  if (plan.too_early) return Outcome::after(*plan.too_early);
  const Effects effects = act(with, seen, plan);
  auto reported = report(seen, plan, effects);
  const Outcome contested = report_contests(contests_, deps_, effects.pool, reported.after);
  TRY(write_status(context, effects.pool, reported.after));
  tell(*pool, reported.after, effects);
  auto outcome =
      contested.or_sooner(Outcome::after(plan.recheck)).or_sooner(Outcome::after(reported.recheck));
  if (counts_differ(pool->status, reported.after.status)) outcome = outcome.quiet_for(kGathered);
  outcome = outcome.or_sooner(Outcome::after(effects.recheck));
  if (effects.kept.empty()) drainer_.forget(runtime::key_of(*pool));
  if (effects.unfinished) outcome = outcome.or_sooner(Outcome::after(Nanoseconds()));
  return ended(effects.errors, outcome);
}

ActContext Reconciler::act_with(const Context& context) {
  return {.deps = deps_,
          .host = *host_,
          .node_writes = node_writes_,
          .drainer = drainer_,
          .live_looks = live_looks_,
          .contests = contests_,
          .context = context};
}

void Reconciler::confirm_empty_list(const ActContext& with, Observation& seen) {
  const ObjectKey key = kube::key_of(*seen.pool);
  if (!says_emptied(seen.infra_says, *seen.pool)) {
    emptied_.with([&](auto& since) { since.erase(key); });
    return;
  }
  const SteadyTime now = deps_.clock.steady_now();
  const SteadyTime first =
      emptied_.with([&](auto& since) { return since.try_emplace(key, now).first->second; });
  if (now - first < kSecondLook) return;
  // An error means: not yet sure.
  if (!is_confirmed_empty(with, seen).value_or(false)) return;
  accept_empty_list(seen);
}

Result<Outcome> Reconciler::take_down(const Context& context, const Belonged& known) {
  const Pool& pool = known.pool;
  if (!pool->metadata.has_finalizer(api::finalizer::kMachinePool)) return Outcome::done();
  const ActContext with = act_with(context);
  Observation seen = observe({deps_, *host_, infra_memory_}, context.fresh, known);
  const auto looked = look_at_unreadable(with, seen);
  DeletionPlan leaving = decide_deletion(seen);
  Effects effects = leave(with, seen, leaving);
  if (!looked) effects.errors.push_back(looked.error());
  if (effects.went) return Outcome::done();
  TRY(write_status(context, *pool, report_deletion(seen, leaving)));
  auto outcome = Outcome::after(leaving.recheck);
  if (effects.unfinished) outcome = outcome.or_sooner(Outcome::after(Nanoseconds()));
  return ended(effects.errors, outcome);
}

Result<void> Reconciler::write_status(const Context& context, const MachinePool& before,
                                      const MachinePool& after) {
  if (before.status == after.status) return {};
  const auto written = patch_status(deps_.client, without_spec(before), without_spec(after),
                                    {.types = kOwnedConditions, .v1beta1_types = kOwnedV1Beta1Conditions},
                                    Time::from(deps_.clock.now()), context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};  // gone meanwhile
  if (!written) return fail(written.error());
  if (*written) {
    host_->consistency.wrote(kube::key_of(before), deps_.caches.machine_pools,
                             (*written)->metadata.resource_version);
  }
  return {};
}

// News only; the conditions say the rest all the time.
void Reconciler::tell(const MachinePool& before, const MachinePool& after, const Effects& effects) {
  const auto about = runtime::reference_to(kube::resource_of<MachinePool>(), after.metadata);
  if (before.status.node_refs != after.status.node_refs && !after.status.node_refs.empty()) {
    std::vector<std::string> names;
    for (const auto& ref : after.status.node_refs) names.push_back(ref.name.str());
    deps_.events.record(about, runtime::EventType::Normal, api::event::kSuccessfulSetNodeRefs,
                        api::conditions::name_list(names, kNames));
  }
  if (!effects.node_trouble.empty()) {
    deps_.events.record(about, runtime::EventType::Warning, api::event::kFailedSetNodeRef,
                        effects.node_trouble);
  }
  const auto was = api::conditions::find(before.status.conditions, api::condition::kInfrastructureReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kInfrastructureReady);
  if (is == nullptr || is->reason != kInvalidProviderIdList) return;
  if (was != nullptr && was->message == is->message) return;
  deps_.events.record(about, runtime::EventType::Warning, kInvalidProviderIdList, is->message);
}

}  // namespace capstan::controllers::machinepool
