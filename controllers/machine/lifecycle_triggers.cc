#include "controllers/machine/lifecycle_triggers.h"

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/shared/reach.h"
#include "runtime/triggers.h"

namespace capstan::controllers::machine {
namespace {

using runtime::Change;

// A policy that is made or edited, or labels of many objects, come one after the other.
constexpr Nanoseconds kSettling = std::chrono::seconds(1);

void wake(const std::vector<Snapshot<api::Machine>>& machines, runtime::Queue& queue) {
  for (const auto& machine : machines) queue.add_after(runtime::key_of(*machine), kSettling);
}

template <typename Owner>
void wake_owned_by(const Caches& caches, const std::vector<Snapshot<Owner>>& owners, runtime::Queue& queue) {
  for (const auto& owner : owners) wake(caches.machines_owned_by(owner->metadata.uid), queue);
}

bool changes_a_life(const Change<api::MachineLifecyclePolicy>& change) {
  const auto reports = [](const auto& policy) {
    return policy && (policy->spec.reports_lifecycle() || policy->spec.drain.forces() ||
                      policy->spec.node_template || policy->spec.rollout);
  };
  if (change.initial || (!reports(change.before) && !reports(change.after))) return false;
  return !change.before || !change.after || change.before->spec != change.after->spec;
}

// Whether another policy may govern the object by now.
template <typename T>
bool changes_its_policy(const Caches& caches, const Change<T>& change) {
  if (change.initial || !change.before || !change.after) return false;
  const auto& [before, after, initial] = change;
  return (before->metadata.labels != after->metadata.labels ||
          before->metadata.owner_references != after->metadata.owner_references) &&
         !caches.policies_in(after->metadata.namespace_.view()).empty();
}

// Nodes of all its sets are marked for the autoscaler meanwhile.
bool begins_or_ends_to_roll(const Caches& caches, const Change<api::MachineDeployment>& change) {
  if (change.initial || !change.before || !change.after) return false;
  const auto rolls = [](const auto& deployment) {
    return api::conditions::is_true(deployment->status.conditions, api::condition::kRollingOut);
  };
  return rolls(change.before) != rolls(change.after) &&
         !caches.policies_in(change.after->metadata.namespace_.view()).empty();
}

template <typename T>
void wake_on_labels(Caches& caches, runtime::Store<T>& owners, runtime::Queue& queue) {
  owners.subscribe([&caches, &queue](const Change<T>& change) {
    if (changes_its_policy(caches, change)) wake(caches.machines_owned_by(change.after->metadata.uid), queue);
  });
}

}  // namespace

void add_lifecycle_triggers(Caches& caches, runtime::Queue& queue) {
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        if (!changes_a_life(change)) return;
        const auto where = change.object().metadata.namespace_.view();
        wake_owned_by(caches, caches.machine_sets_in(where), queue);
        wake_owned_by(caches, caches.machine_pools_in(where), queue);
      });
  wake_on_labels(caches, caches.machine_sets, queue);
  wake_on_labels(caches, caches.machine_pools, queue);
  caches.machine_deployments.subscribe([&caches, &queue](const Change<api::MachineDeployment>& change) {
    if (changes_its_policy(caches, change) || begins_or_ends_to_roll(caches, change))
      wake_owned_by(caches, caches.machine_sets_owned_by(change.after->metadata.uid), queue);
  });
  caches.clusters.subscribe([&caches, &queue](const Change<api::Cluster>& change) {
    if (!change.before || !change.after || same_contact(*change.before, *change.after)) return;
    const auto& cluster = *change.after;
    if (!caches.policies_in(cluster.metadata.namespace_.view()).empty())
      wake(caches.machines_of(runtime::key_of(cluster)), queue);
  });
}

}  // namespace capstan::controllers::machine
