#include "infrastructure/controller/cluster/reconciler.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/try.h"
#include "infrastructure/controller/cluster/act.h"
#include "infrastructure/controller/cluster/report.h"
#include "kube/typed.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::cluster {
namespace {

using runtime::Outcome;

// News for people, once: when Ready turns False for another reason than before, troubles only.
void tell(runtime::EventRecorder& events, const api::DriverCluster& before, const api::DriverCluster& after) {
  const auto was = api::conditions::find(before.status.conditions, api::condition::kReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kReady);
  if (is == nullptr || is->status != api::status::kFalse || (was != nullptr && was->reason == is->reason))
    return;
  events.record(runtime::reference_to(kube::resource_of<api::DriverCluster>(), after.metadata),
                runtime::EventType::Warning, is->reason, is->message);
}

// Its DriverClusters: the one it refers to.
std::vector<kube::ObjectKey> infrastructure_of(const runtime::Change<api::Cluster>& change) {
  const auto& cluster = change.object();
  const auto& ref = cluster.spec.infrastructure_ref;
  if (!ref || ref->kind != api::driver::kind::kDriverCluster || ref->api_group != api::group::kInfrastructure)
    return {};
  const bool same = change.before && change.after && change.before->spec == change.after->spec &&
                    change.before->metadata.deleting() == change.after->metadata.deleting();
  if (same) return {};
  return {{.namespace_ = cluster.metadata.namespace_.str(), .name = ref->name.str()}};
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto seen = observe(deps_.caches, deps_.clock, key);
  if (!seen) {
    ensured_.with([&](auto& ensured) { ensured.erase(key); });
    return Outcome::done();
  }
  seen->fresh = context.fresh;
  seen->makes_control_planes = deps_.makes_control_planes;
  seen->ensured = ensured_.with([&](const auto& ensured) { return ensured.contains(key); });
  const Plan plan = decide(*seen);
  const Effects effects = act({.client = deps_.client,
                               .control_planes = deps_.control_planes,
                               .caches = deps_.caches,
                               .consistency = *consistency_},
                              context, *seen, plan);
  if (effects.provided) ensured_.with([&](auto& ensured) { ensured.insert(key); });
  if (effects.released) return Outcome::done();
  const api::DriverCluster& before = effects.object ? *effects.object : *seen->object;
  const api::DriverCluster after = report(*seen, plan, effects);
  const auto patched = TRY(kube::patch_status(deps_.client, before, after, context.deadline));
  if (patched) {
    consistency_->wrote(key, deps_.caches.driver_clusters, patched->metadata.resource_version);
    if (effects.trouble) tell(deps_.events, before, after);
  }
  if (effects.error) return fail(*effects.error);
  if (effects.trouble) return Outcome::after(effects.trouble->retry);
  return Outcome::after(plan.recheck);
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger_self(deps_.caches.driver_clusters, queue);
  runtime::trigger<api::Cluster>(deps_.caches.clusters, queue, infrastructure_of);
}

}  // namespace capstan::infrastructure::cluster
