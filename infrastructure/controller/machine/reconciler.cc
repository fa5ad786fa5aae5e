#include "infrastructure/controller/machine/reconciler.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/try.h"
#include "infrastructure/controller/machine/act.h"
#include "infrastructure/controller/machine/report.h"
#include "kube/typed.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::machine {
namespace {

using runtime::Outcome;

// News for people, once: when Ready turns False for another reason than before.
void tell(runtime::EventRecorder& events, const api::DriverMachine& before, const api::DriverMachine& after) {
  const auto was = api::conditions::find(before.status.conditions, api::condition::kReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kReady);
  if (is == nullptr || is->status != api::status::kFalse) return;
  if (was != nullptr && was->reason == is->reason) return;
  events.record(runtime::reference_to(kube::resource_of<api::DriverMachine>(), after.metadata),
                runtime::EventType::Warning, is->reason, is->message);
}

// What of a Machine concerns the VM: its spec, and that it leaves.
bool is_relevant(const runtime::Change<api::Machine>& change) {
  if (!change.before || !change.after) return true;
  return !(change.before->spec == change.after->spec) ||
         change.before->metadata.deleting() != change.after->metadata.deleting();
}

// What of a MachinePool concerns the VMs of its Machines: that there is bootstrap data now.
bool is_relevant(const runtime::Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return true;
  return !(change.before->spec.machine_template.spec.bootstrap ==
           change.after->spec.machine_template.spec.bootstrap);
}

bool is_relevant(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const kube::ObjectKey& key) {
  auto seen = observe(deps_.caches, deps_.clock, key);
  if (!seen) {
    deps_.inventory.settle(key);  // no doubt of this one may meet the next of its name
    return Outcome::done();
  }
  seen->fresh = context.fresh;
  seen->doubted = deps_.inventory.doubts(key);
  const Plan plan = decide(*seen);
  const Effects effects = act({.client = deps_.client,
                               .driver = deps_.driver,
                               .randomness = deps_.randomness,
                               .caches = deps_.caches,
                               .consistency = *consistency_},
                              context, *seen, plan);
  if (plan.step == Step::Verify && !effects.error && !effects.trouble) deps_.inventory.settle(key);
  if (effects.released) return Outcome::done();
  const api::DriverMachine& before = effects.object ? *effects.object : *seen->object;
  const api::DriverMachine after = report(*seen, plan, effects);
  const auto patched = TRY(kube::patch_status(deps_.client, before, after, context.deadline));
  if (patched) {
    consistency_->wrote(key, deps_.caches.driver_machines, patched->metadata.resource_version);
    tell(deps_.events, before, after);
  }
  if (effects.error) return fail(*effects.error);
  if (effects.trouble) return Outcome::after(effects.trouble->retry);
  return Outcome::after(plan.recheck);
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger_self(deps_.caches.driver_machines, queue);
  runtime::trigger<api::Machine>(
      deps_.caches.machines, queue, [](const runtime::Change<api::Machine>& change) {
        const auto& ref = change.object().spec.infrastructure_ref;
        if (ref.kind != api::driver::kind::kDriverMachine || ref.api_group != api::group::kInfrastructure ||
            !is_relevant(change))
          return std::vector<kube::ObjectKey>();
        return std::vector<kube::ObjectKey>{
            {.namespace_ = change.object().metadata.namespace_.str(), .name = ref.name.str()}};
      });
  runtime::trigger<api::MachinePool>(
      deps_.caches.machine_pools, queue,
      [&caches = deps_.caches](const runtime::Change<api::MachinePool>& change) {
        std::vector<kube::ObjectKey> keys;
        if (!is_relevant(change)) return keys;
        for (const auto& machine : caches.members_of(change.object()))
          keys.push_back(runtime::key_of(*machine));
        return keys;
      });
  runtime::trigger<api::Cluster>(
      deps_.caches.clusters, queue, [&caches = deps_.caches](const runtime::Change<api::Cluster>& change) {
        std::vector<kube::ObjectKey> keys;
        if (!is_relevant(change)) return keys;
        for (const auto& machine : caches.driver_machines_of(runtime::key_of(change.object())))
          keys.push_back(runtime::key_of(*machine));
        return keys;
      });
  deps_.inventory.on_doubt([&queue](const kube::ObjectKey& key) { queue.add(key); });
}

}  // namespace capstan::infrastructure::machine
