// What wakes the MachineLifecyclePolicy controller: policies, labels and owners of what they may select, and
// where a life cycle is asked for what becomes of Machines.
#include "runtime/triggers.h"

#include <tuple>

#include "controllers/lifecycle/judge.h"
#include "controllers/lifecycle/preservation.h"
#include "controllers/lifecyclepolicy/reconciler.h"
#include "controllers/safety/frozen_condition.h"

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
        change.before->metadata.owner_references != change.after->metadata.owner_references ||
        safety::is_shown_frozen(change.before->status.conditions) !=
            safety::is_shown_frozen(change.after->status.conditions);
    if (relabelled) wake_namespace(caches, change.object().metadata.namespace_, queue);
  });
}

// Machines of a fleet change one after the other, and their numbers are for people.
constexpr auto kCounted = std::chrono::seconds(10);

void wake_counting(const Caches& caches, std::string_view where, runtime::Queue& queue) {
  for (const auto& policy : caches.policies_in(where)) {
    if (policy->spec.reports_lifecycle()) queue.add_after(runtime::key_of(*policy), kCounted);
  }
}

bool counts_the_same(const api::Machine& before, const api::Machine& after) {
  const auto was = lifecycle::standing_of(before);
  const auto is = lifecycle::standing_of(after);
  return was.has_value() == is.has_value() && (!was || was->phase == is->phase) &&
         lifecycle::is_granted(before) == lifecycle::is_granted(after) &&
         lifecycle::preserved_until(before).has_value() == lifecycle::preserved_until(after).has_value() &&
         before.metadata.deleting() == after.metadata.deleting();
}

// Whether there is another Machine to preserve, or room for one.
bool preserves_the_same(const Change<api::Machine>& change) {
  if (!change.before || !change.after)
    return !lifecycle::has_failed(change.object()) && !lifecycle::is_auto_preserved(change.object());
  // One that is being deleted is not preserved any more. Of any other one that changes nothing, and each
  // scale-down would bring a turn over all Machines of the policy.
  const auto facts = [](const api::Machine& machine) {
    if (machine.metadata.deleting()) return std::tuple{false, false, false};
    return std::tuple{lifecycle::has_failed(machine), lifecycle::is_auto_preserved(machine),
                      lifecycle::preserved_until(machine).has_value()};
  };
  return facts(*change.before) == facts(*change.after);
}

// What changes the status alone is mostly its own write: answered at once, each write of a count would bring
// the next one for as long as Machines come and go.
bool changes_status_alone(const Change<api::MachineLifecyclePolicy>& change) {
  if (!change.before || !change.after || change.before->status == change.after->status) return false;
  return change.before->spec == change.after->spec &&
         change.before->metadata.labels == change.after->metadata.labels &&
         change.before->metadata.annotations == change.after->metadata.annotations &&
         change.before->metadata.deleting() == change.after->metadata.deleting();
}

void wake_on_policies(Caches& caches, runtime::Queue& queue) {
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        const auto key = runtime::key_of(change.object());
        if (changes_status_alone(change)) return queue.add_after(key, kCounted);
        queue.add(key, change.initial ? runtime::Priority::Low : runtime::Priority::Normal);
        if (change.before && change.after && change.before->spec == change.after->spec) return;
        wake_namespace(caches, change.object().metadata.namespace_, queue);
      });
}

// A MachineSet waits for the mark: at once.
void wake_on_failures(Caches& caches, runtime::Queue& queue) {
  caches.machines.subscribe([&caches, &queue](const Change<api::Machine>& change) {
    if (preserves_the_same(change)) return;
    for (const auto& policy : caches.policies_in(change.object().metadata.namespace_.view()))
      if (policy->spec.preservation) queue.add(runtime::key_of(*policy));
  });
}

void wake_on_lives(Caches& caches, runtime::Queue& queue) {
  caches.machines.subscribe([&caches, &queue](const Change<api::Machine>& change) {
    if (change.before && change.after && counts_the_same(*change.before, *change.after)) return;
    if (!change.initial) wake_counting(caches, change.object().metadata.namespace_.view(), queue);
  });
  caches.machine_sets.subscribe([&caches, &queue](const Change<api::MachineSet>& change) {
    const bool resized =
        change.before && change.after && change.before->spec.replicas != change.after->spec.replicas;
    if (resized) wake_counting(caches, change.after->metadata.namespace_.view(), queue);
  });
  caches.machine_health_checks.subscribe([&caches, &queue](const Change<api::MachineHealthCheck>& change) {
    const bool same = change.before && change.after && change.before->spec == change.after->spec;
    if (!change.initial && !same) wake_counting(caches, change.object().metadata.namespace_.view(), queue);
  });
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  wake_on_policies(caches, queue);
  wake_on_labels(caches, caches.machine_deployments, queue);
  wake_on_labels(caches, caches.machine_sets, queue);
  wake_on_labels(caches, caches.machine_pools, queue);
  wake_on_lives(caches, queue);
  wake_on_failures(caches, queue);
}

}  // namespace capstan::controllers::lifecyclepolicy
