#include "infrastructure/controller/pool/reconciler.h"

#include <tuple>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "base/try.h"
#include "infrastructure/controller/pool/act.h"
#include "infrastructure/controller/pool/report.h"
#include "kube/typed.h"
#include "runtime/triggers.h"

namespace capstan::infrastructure::pool {
namespace {

using kube::ObjectKey;
using runtime::Change;
using runtime::Outcome;

constexpr Seconds kSoon{1};

// News for people, once: when Ready turns False for another reason than before. That a group grows is none.
void tell(runtime::EventRecorder& events, const api::DriverMachinePool& before,
          const api::DriverMachinePool& after) {
  const auto was = api::conditions::find(before.status.conditions, api::condition::kReady);
  const auto is = api::conditions::find(after.status.conditions, api::condition::kReady);
  if (is == nullptr || is->status != api::status::kFalse || is->reason == api::driver::reason::kResizing)
    return;
  if (was != nullptr && was->reason == is->reason) return;
  events.record(runtime::reference_to(kube::resource_of<api::DriverMachinePool>(), after.metadata),
                runtime::EventType::Warning, is->reason, is->message);
}

Outcome outcome(const Observation& seen, const Plan& plan, const Effects& effects, Nanoseconds look_every) {
  Outcome next = Outcome::after(plan.recheck);
  if (effects.more) next = next.or_sooner(Outcome::after(kSoon));
  if (effects.trouble && effects.trouble->retry > Seconds(0))
    next = next.or_sooner(Outcome::after(effects.trouble->retry));
  const bool looks = plan.step == Step::Size && !seen.with_machines() && look_every > Nanoseconds(0);
  return looks ? next.or_sooner(Outcome::after(look_every)) : next;
}

// What of a MachinePool concerns its instances.
bool is_relevant(const Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return true;
  const auto& [before, after, initial] = change;
  return before->spec.replicas != after->spec.replicas ||
         before->metadata.annotations != after->metadata.annotations ||
         !(before->spec.machine_template.spec.bootstrap == after->spec.machine_template.spec.bootstrap) ||
         before->metadata.deleting() != after->metadata.deleting();
}

bool is_relevant(const Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

bool is_relevant(const Change<api::DriverMachine>& change) {
  if (!change.before || !change.after) return true;
  const auto& [before, after, initial] = change;
  return before->spec.provider_id != after->spec.provider_id ||
         before->metadata.deleting() != after->metadata.deleting() ||
         before->metadata.owner_references != after->metadata.owner_references ||
         !(before->status.initialization == after->status.initialization) ||
         before->status.conditions != after->status.conditions;
}

std::vector<ObjectKey> pool_of(const Change<api::MachinePool>& change) {
  const auto& ref = change.object().spec.machine_template.spec.infrastructure_ref;
  if (ref.kind != api::driver::kind::kDriverMachinePool || ref.api_group != api::group::kInfrastructure ||
      !is_relevant(change))
    return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = ref.name.str()}};
}

// A Machine that begins to leave makes room for another; one that is handed over goes, and one that has
// joined lets the next go; one that is well again loses its mark.
bool is_relevant(const Change<api::Machine>& change) {
  if (!change.before || !change.after) return false;
  const auto facts = [](const api::Machine& machine) {
    return std::tuple(machine.metadata.deleting(), is_handed_over(machine), is_well_again(machine),
                      machine.status.node_ref.has_value());
  };
  return facts(*change.before) != facts(*change.after);
}

std::vector<ObjectKey> pool_of(const Caches& caches, const Change<api::Machine>& change) {
  if (!is_relevant(change)) return {};
  const auto object = caches.driver_machines.get({.namespace_ = change.after->metadata.namespace_.str(),
                                                  .name = change.after->spec.infrastructure_ref.name.str()});
  if (!object) return {};
  return runtime::owners_of_kind<api::DriverMachine>({.before = nullptr, .after = object},
                                                     api::group::kInfrastructure,
                                                     api::driver::kind::kDriverMachinePool);
}

}  // namespace

Result<Outcome> Reconciler::reconcile(const runtime::Context& context, const ObjectKey& key) {
  auto seen = observe(deps_.caches, deps_.clock, key);
  if (!seen) return Outcome::done();
  seen->fresh = context.fresh;
  const Plan plan = decide(*seen);
  const Effects effects = act({.threads = deps_.threads,
                               .client = deps_.client,
                               .driver = deps_.driver,
                               .randomness = deps_.randomness,
                               .caches = deps_.caches,
                               .consistency = *consistency_},
                              context, *seen, plan);
  if (effects.released) return Outcome::done();
  const api::DriverMachinePool& before = effects.object ? *effects.object : *seen->object;
  const api::DriverMachinePool after = report(*seen, plan, effects);
  const auto patched = TRY(kube::patch_status(deps_.client, before, after, context.deadline));
  if (patched) {
    consistency_->wrote(key, deps_.caches.driver_machine_pools, patched->metadata.resource_version);
    tell(deps_.events, before, after);
  }
  if (effects.error) return fail(*effects.error);
  return outcome(*seen, plan, effects, deps_.look_every);
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.driver_machine_pools, queue);
  runtime::trigger<api::MachinePool>(caches.machine_pools, queue,
                                     [](const Change<api::MachinePool>& change) { return pool_of(change); });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    std::vector<ObjectKey> keys;
    if (!is_relevant(change)) return keys;
    for (const auto& pool : caches.driver_machine_pools_of(runtime::key_of(change.object())))
      keys.push_back(runtime::key_of(*pool));
    return keys;
  });
  runtime::trigger<api::DriverMachine>(
      caches.driver_machines, queue, [](const Change<api::DriverMachine>& change) {
        if (!is_relevant(change)) return std::vector<ObjectKey>();
        return runtime::owners_of_kind(change, api::group::kInfrastructure,
                                       api::driver::kind::kDriverMachinePool);
      });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return pool_of(caches, change);
  });
}

}  // namespace capstan::infrastructure::pool
