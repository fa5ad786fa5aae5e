// What wakes the MachineLifecyclePolicy controller: policies, and labels and owners of what they may select.
#include "runtime/triggers.h"

#include "controllers/lifecyclepolicy/reconciler.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

using runtime::Change;

// The objects of a fleet come one after the other while it is made: one turn sees many of them.
constexpr auto kGathered = std::chrono::seconds(1);

void wake_namespace(const Caches& caches, std::string_view where, runtime::Queue& queue) {
  for (const auto& policy : caches.policies_in(where)) queue.add_after(runtime::key_of(*policy), kGathered);
}

template <typename T>
void wake_on_labels(Caches& caches, runtime::Store<T>& store, runtime::Queue& queue) {
  store.subscribe([&caches, &queue](const Change<T>& change) {
    if (change.initial) return;
    const bool relabelled =
        !change.before || !change.after || change.before->metadata.labels != change.after->metadata.labels ||
        change.before->metadata.owner_references != change.after->metadata.owner_references;
    if (relabelled) wake_namespace(caches, change.object().metadata.namespace_, queue);
  });
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_lifecycle_policies, queue);
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        if (change.before && change.after && change.before->spec == change.after->spec) return;
        wake_namespace(caches, change.object().metadata.namespace_, queue);
      });
  wake_on_labels(caches, caches.machine_deployments, queue);
  wake_on_labels(caches, caches.machine_sets, queue);
  wake_on_labels(caches, caches.machine_pools, queue);
}

}  // namespace capstan::controllers::lifecyclepolicy
