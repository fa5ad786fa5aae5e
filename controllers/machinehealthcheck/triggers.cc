// Who wakes a check's key. What happens to Machines and Nodes is gathered for a moment; what time brings is
// not: a turn says itself when it has to look again.
#include "runtime/triggers.h"
#include "api/conditions/conditions.h"
#include "controllers/machinehealthcheck/reconciler.h"
#include "controllers/machinehealthcheck/targets.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using runtime::Change;

constexpr auto kGathered = std::chrono::seconds(1);

void wake_all(const Caches& caches, const kube::ObjectKey& cluster, runtime::Queue& queue) {
  for (const auto& check : caches.machine_health_checks_of(cluster)) queue.add(runtime::key_of(*check));
}

// Those that select the Machine as it was or as it is.
void wake_selecting(const Caches& caches, const api::Machine& was, const api::Machine& is,
                    runtime::Queue& queue) {
  const kube::ObjectKey cluster{.namespace_ = is.metadata.namespace_.str(),
                                .name = is.spec.cluster_name.str()};
  for (const auto& check : caches.machine_health_checks_of(cluster)) {
    const auto selector = selector_of(*check);
    if (!selector) continue;
    if (selector->matches(was.metadata.labels) || selector->matches(is.metadata.labels))
      queue.add_after(runtime::key_of(*check), kGathered);
  }
}

bool matters(const Change<api::Machine>& change) {
  if (!change.before || !change.after) return true;
  const api::Machine& before = *change.before;
  const api::Machine& after = *change.after;
  return before.status.node_ref != after.status.node_ref || before.metadata.labels != after.metadata.labels ||
         before.metadata.annotations != after.metadata.annotations ||
         before.metadata.deleting() != after.metadata.deleting() ||
         before.status.conditions != after.status.conditions;
}

bool matters(const Change<api::Node>& change) {
  if (!change.before || !change.after) return true;
  return change.before->status.conditions != change.after->status.conditions;
}

bool turned(const Change<api::Cluster>& change, std::string_view type) {
  return api::conditions::is_true(change.before->status.conditions, type) !=
         api::conditions::is_true(change.after->status.conditions, type);
}

bool matters(const Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         turned(change, api::condition::kControlPlaneInitialized) ||
         turned(change, api::condition::kInfrastructureReady);
}

bool matters(const Change<api::MachineLifecyclePolicy>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec != change.after->spec;
}

// What of a check concerns the others of its Cluster: whom it finds sick.
bool matters(const Change<api::MachineHealthCheck>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec != change.after->spec ||
         change.before->metadata.annotations != change.after->metadata.annotations;
}

// A policy wakes every check of its namespace.
void wake_governed(const Caches& caches, const api::ObjectMeta& policy, runtime::Queue& queue) {
  for (const auto& check : caches.machine_health_checks.all()) {
    if (check->metadata.namespace_ == policy.namespace_) queue.add(runtime::key_of(*check));
  }
}

// What labels choose a policy by.
template <typename T>
void wake_on_labels(Caches& caches, runtime::Store<T>& store, runtime::Queue& queue) {
  store.subscribe([&caches, &queue](const Change<T>& change) {
    if (!change.before || !change.after || change.initial) return;
    if (change.before->metadata.labels == change.after->metadata.labels) return;
    const auto& metadata = change.after->metadata;
    if (caches.policies_in(metadata.namespace_).empty()) return;
    wake_all(caches, {.namespace_ = metadata.namespace_.str(), .name = change.after->spec.cluster_name.str()},
             queue);
  });
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_health_checks, queue);
  caches.machine_health_checks.subscribe([&caches, &queue](const Change<api::MachineHealthCheck>& change) {
    if (change.initial || !matters(change)) return;
    const auto& check = change.object();
    wake_all(caches, {.namespace_ = check.metadata.namespace_.str(), .name = check.spec.cluster_name.str()},
             queue);
  });
  caches.machines.subscribe([&caches, &queue](const Change<api::Machine>& change) {
    if (change.initial || !matters(change)) return;
    wake_selecting(caches, change.before ? *change.before : *change.after, change.object(), queue);
  });
  caches.clusters.subscribe([&caches, &queue](const Change<api::Cluster>& change) {
    if (!change.initial && matters(change)) wake_all(caches, runtime::key_of(change.object()), queue);
  });
  caches.machine_lifecycle_policies.subscribe(
      [&caches, &queue](const Change<api::MachineLifecyclePolicy>& change) {
        if (!change.initial && matters(change)) wake_governed(caches, change.object().metadata, queue);
      });
  wake_on_labels(caches, caches.machine_deployments, queue);
  wake_on_labels(caches, caches.machine_sets, queue);
  wake_on_labels(caches, caches.machine_pools, queue);
  deps_.workload_clusters.on_reach_change(
      [&caches, &queue](const kube::ObjectKey& cluster) { wake_all(caches, cluster, queue); });
  deps_.workload_clusters.on_node_change(
      [&caches, &queue](const kube::ObjectKey& cluster, const Change<api::Node>& change) {
        if (change.initial || !matters(change)) return;
        // Two Machines on one Node: neither is known to be the right one.
        const auto machines = caches.machines_on_node(cluster, change.object().metadata.name);
        if (machines.size() == 1) wake_selecting(caches, *machines.front(), *machines.front(), queue);
      });
}

}  // namespace capstan::controllers::machinehealthcheck
