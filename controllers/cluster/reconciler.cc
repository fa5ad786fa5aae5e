#include "controllers/cluster/reconciler.h"

#include "api/names.h"
#include "base/try.h"
#include "controllers/cluster/act.h"
#include "controllers/cluster/report.h"
#include "controllers/shared/status_patch.h"
#include "runtime/events.h"

namespace capstan::controllers::cluster {
namespace {

constexpr auto kLoadingRecheck = std::chrono::milliseconds(200);
// After that it is no matter of a moment any more, and users want to know.
constexpr auto kLoadingPatience = std::chrono::seconds(30);

std::string name_of(const Referred& referred) { return referred.resource.group + "/" + referred.kind; }

}  // namespace

Reconciler::Reconciler(const Deps& deps, Settings settings)
    : deps_(deps), settings_(settings), kubeconfigs_(deps.clock, deps.client), live_looks_(deps.clock) {}

Result<runtime::Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto cluster = deps_.caches.clusters.get(key);
  if (!cluster) {
    kubeconfigs_.forget(key);
    live_looks_.forget(key);
    contests_.forget(key);
    return runtime::Outcome::done();  // gone: nobody to report to
  }
  if (!in_scope(cluster->metadata, deps_.watch_filter)) return runtime::Outcome::done();
  Observation seen = observe(context, std::move(cluster));
  if (is_worth_waiting(seen)) return runtime::Outcome::after(kLoadingRecheck);
  ask_for_what_no_cache_shows(context, seen);
  return take_turn(context, seen);
}

Observation Reconciler::observe(const runtime::Context& context, Snapshot<api::Cluster> cluster) {
  const kube::ObjectKey key = runtime::key_of(*cluster);
  Observation seen{.now = Time::from(deps_.clock.now()),
                   .cluster = std::move(cluster),
                   .fresh = context.fresh,
                   .stale = context.stale};
  const auto pause =
      runtime::paused(seen.cluster->spec.paused.value_or(false), seen.cluster->metadata, api::kind::kCluster);
  if (pause.paused) return seen;  // nothing else matters
  const auto& spec = seen.cluster->spec;
  seen.infrastructure = look_up(deps_.caches, host_->externals, spec.infrastructure_ref, *seen.cluster);
  seen.control_plane = look_up(deps_.caches, host_->externals, spec.control_plane_ref, *seen.cluster);
  seen.descendants = descendants_of(deps_.caches, *seen.cluster);
  seen.reach = deps_.workload_clusters.reach(key);
  seen.connection_grace = settings_.connection_grace;
  return seen;
}

// Only a deletion has to know, and only once the Machines are gone.
void Reconciler::ask_for_what_no_cache_shows(const runtime::Context& context, Observation& seen) {
  const auto& cluster = *seen.cluster;
  const Descendants& all = seen.descendants;
  if (!cluster.metadata.deleting() || !cluster.metadata.has_finalizer(api::finalizer::kCluster)) return;
  if (!all.pools.empty() || !all.deployments.empty() || !all.sets.empty() || !all.worker_machines.empty())
    return;
  const auto ask = [&](const std::optional<api::ContractRef>& reference, Referred& referred) {
    if (referred.problem.empty() || referred.definition_gone) return;
    look_live({live_looks_, deps_.client, context.deadline}, deps_.caches, reference, cluster, referred);
  };
  ask(cluster.spec.infrastructure_ref, seen.infrastructure);
  ask(cluster.spec.control_plane_ref, seen.control_plane);
}

bool Reconciler::is_worth_waiting(const Observation& seen) {
  const SteadyTime now = deps_.clock.steady_now();
  return loading_since_.with([&](auto& since) {
    bool worth = false;
    for (const Referred* each : {&seen.infrastructure, &seen.control_plane}) {
      if (each->loading) {
        worth = worth || now - since.try_emplace(name_of(*each), now).first->second < kLoadingPatience;
      } else if (each->wanted) {
        since.erase(name_of(*each));
      }
    }
    return worth;
  });
}

Result<runtime::Outcome> Reconciler::take_turn(const runtime::Context& context, const Observation& seen) {
  const Plan plan = decide(seen);
  const Effects effects = act({deps_, *host_, kubeconfigs_, live_looks_, contests_}, context, seen, plan);
  record(*seen.cluster, effects.notes);  // they are told once, whatever becomes of the status
  if (plan.add_finalizer && !effects.errors.empty()) return fail(effects.errors.front());
  api::Cluster after = report(seen, plan, effects);
  const auto contested = report_contests(contests_, deps_, *seen.cluster, after);
  if (!effects.gone) TRY(tell(context, seen, effects, after));
  record(*seen.cluster, plan.notes);
  if (!effects.gone) record(*seen.cluster, news(*seen.cluster, after));
  if (!effects.errors.empty()) return fail(effects.errors.front());
  return contested.or_sooner(runtime::Outcome::after(plan.recheck))
      .or_sooner(runtime::Outcome::after(effects.recheck));
}

Result<void> Reconciler::tell(const runtime::Context& context, const Observation& seen,
                              const Effects& effects, const api::Cluster& after) {
  const auto patched = controllers::patch_status(
      deps_.client, effects.cluster, after,
      {.types = owned_conditions(), .v1beta1_types = owned_v1beta1_conditions()}, seen.now, context.deadline);
  if (!patched && patched.error().code == Code::NotFound && after.metadata.deleting()) return {};
  if (!patched) return fail(patched.error());
  if (*patched)
    host_->consistency.wrote(runtime::key_of(after), deps_.caches.clusters,
                             (*patched)->metadata.resource_version);
  return {};
}

void Reconciler::record(const api::Cluster& cluster, const std::vector<Note>& notes) {
  if (notes.empty()) return;
  const auto about = runtime::reference_to(kube::resource_of<api::Cluster>(), cluster.metadata);
  for (const Note& note : notes) {
    deps_.events.record(about, note.warning ? runtime::EventType::Warning : runtime::EventType::Normal,
                        note.reason, note.message);
  }
}

}  // namespace capstan::controllers::cluster
