#include "bootstrap/controller/reconciler.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/try.h"
#include "bootstrap/controller/act.h"
#include "bootstrap/controller/report.h"
#include "kube/typed.h"
#include "runtime/triggers.h"

namespace capstan::bootstrap::controller {
namespace {

using runtime::Outcome;

constexpr Seconds kUntilSomebodyActs{180};

void tell(runtime::EventRecorder& events, const api::CloudConfig& before, const api::CloudConfig& after) {
  const auto was = api::conditions::find(before.status.conditions, api::condition::kReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kReady);
  if (is == nullptr || is->status != api::status::kFalse || (was != nullptr && was->reason == is->reason))
    return;
  events.record(runtime::reference_to(kube::resource_of<api::CloudConfig>(), after.metadata),
                runtime::EventType::Warning, is->reason, is->message);
}

const api::MachineSpec& machine_spec(const api::Machine& machine) { return machine.spec; }
const api::MachineSpec& machine_spec(const api::MachinePool& pool) { return pool.spec.machine_template.spec; }

// Of a Machine or a MachinePool.
template <typename T>
std::vector<kube::ObjectKey> config_of(const runtime::Change<T>& change) {
  const auto& ref = machine_spec(change.object()).bootstrap.config_ref;
  if (!ref || ref->kind != api::bootstrap_kind::kCloudConfig || ref->api_group != api::group::kBootstrap)
    return {};
  if (change.before && change.after && machine_spec(*change.before) == machine_spec(*change.after)) return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = ref->name.str()}};
}

bool is_relevant(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto seen = observe(deps_.caches, deps_.clock, key);
  if (!seen) return Outcome::done();
  seen->fresh = context.fresh;
  const Plan plan = decide(*seen);
  const Effects effects = act(deps_.client, context, *seen, plan);
  const api::CloudConfig after = report(*seen, plan, effects);
  const auto patched = TRY(kube::patch_status(deps_.client, *seen->object, after, context.deadline));
  if (patched) {
    consistency_->wrote(key, deps_.caches.cloud_configs, patched->metadata.resource_version);
    tell(deps_.events, *seen->object, after);
  }
  if (effects.error) return fail(*effects.error);
  if (!effects.taken.empty()) return Outcome::after(kUntilSomebodyActs);
  return Outcome::after(plan.recheck);
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger_self(deps_.caches.cloud_configs, queue);
  runtime::trigger<api::Machine>(deps_.caches.machines, queue, config_of<api::Machine>);
  runtime::trigger<api::MachinePool>(deps_.caches.machine_pools, queue, config_of<api::MachinePool>);
  runtime::trigger<api::Cluster>(
      deps_.caches.clusters, queue, [&caches = deps_.caches](const runtime::Change<api::Cluster>& change) {
        std::vector<kube::ObjectKey> keys;
        if (!is_relevant(change)) return keys;
        for (const auto& config : caches.cloud_configs_of(runtime::key_of(change.object())))
          keys.push_back(runtime::key_of(*config));
        return keys;
      });
}

}  // namespace capstan::bootstrap::controller
