#include "runtime/triggers.h"

#include <tuple>

#include "api/meta/label_selector.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/victims.h"
#include "controllers/machineset/reconciler.h"
#include "controllers/machineset/wanted.h"
#include "controllers/safety/fleet_request.h"
#include "controllers/safety/fleet_wakes.h"
#include "controllers/safety/freeze_wakes.h"
#include "controllers/safety/window_wakes.h"

namespace capstan::controllers::machineset {
namespace {

using api::Cluster;
using api::Machine;
using api::MachineDeployment;
using api::MachineSet;
using kube::ObjectKey;
using runtime::Change;

std::vector<ObjectKey> keys_of(const std::vector<Snapshot<MachineSet>>& sets) {
  std::vector<ObjectKey> keys;
  for (const auto& set : sets) keys.push_back(runtime::key_of(*set));
  return keys;
}

// Sets that could adopt it.
std::vector<ObjectKey> matching_sets(const Caches& caches, const Machine& machine) {
  std::vector<ObjectKey> keys;
  const ObjectKey cluster{.namespace_ = machine.metadata.namespace_.str(),
                          .name = machine.spec.cluster_name.str()};
  for (const auto& set : caches.machine_sets_of(cluster)) {
    const auto selector = api::Selector::from(adjusted(*set, nullptr).spec.selector);
    if (selector && selector->matches(machine.metadata.labels)) keys.push_back(runtime::key_of(*set));
  }
  return keys;
}

// What a set asked of the FleetPolicy comes back to it, and no answer yet.
bool is_own_request(const Change<Machine>& change) {
  return change.before && change.after && !safety::concerns_fleet(*change.before) &&
         !safety::has_fleet_grant(*change.after) &&
         safety::differ_by_fleet_words_alone(*change.before, *change.after);
}

std::vector<ObjectKey> sets_of_machine(const Caches& caches, const Change<Machine>& change) {
  if (is_own_request(change)) return {};
  auto keys = runtime::owners_of_kind(change, api::group::kCluster, api::kind::kMachineSet);
  if (change.after && change.after->metadata.controller() == nullptr) {
    for (ObjectKey& key : matching_sets(caches, *change.after)) keys.push_back(std::move(key));
  }
  return keys;
}

// What a set reads of its deployment.
bool matters(const Change<MachineDeployment>& change) {
  if (!change.before || !change.after) return true;
  const auto differs = [&](std::string_view key) {
    return change.before->metadata.annotations.value_or_empty(key) !=
           change.after->metadata.annotations.value_or_empty(key);
  };
  return differs(api::annotation::kRevision) ||
         lifecycle::victims_said(change.before->metadata.annotations) !=
             lifecycle::victims_said(change.after->metadata.annotations) ||
         safety::may_change_a_freeze(*change.before, *change.after) ||
         change.before->spec.replicas != change.after->spec.replicas ||
         !(change.before->spec.remediation == change.after->spec.remediation);
}

std::vector<ObjectKey> sets_of_deployment(const Caches& caches, const Change<MachineDeployment>& change) {
  if (!matters(change)) return {};
  const auto& metadata = change.object().metadata;
  std::vector<ObjectKey> keys;
  for (const auto& set : caches.machine_sets_in(metadata.namespace_.view())) {
    const Text* name = set->metadata.labels.find(api::label::kDeploymentName);
    if (name != nullptr && *name == metadata.name) keys.push_back(runtime::key_of(*set));
  }
  return keys;
}

// That it exists, whether it is paused, and how far an upgrade has come.
bool matters(const Change<Cluster>& change) {
  if (!change.before || !change.after) return true;
  const auto step = [](const Cluster& cluster) {
    return cluster.metadata.annotations.value_or_empty(api::annotation::kTopologyUpgradeStep);
  };
  return change.before->spec.paused != change.after->spec.paused ||
         change.before->spec.control_plane_ref != change.after->spec.control_plane_ref ||
         safety::may_change_a_freeze(*change.before, *change.after) ||
         step(*change.before) != step(*change.after);
}

// One that says nothing at all may conflict with another.
bool matters(const Change<api::MachineLifecyclePolicy>& change) {
  return !change.before || !change.after || change.before->spec != change.after->spec;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.machine_sets, queue);
  runtime::trigger<Machine>(caches.machines, queue, [&caches](const Change<Machine>& change) {
    return sets_of_machine(caches, change);
  });
  runtime::trigger<MachineDeployment>(
      caches.machine_deployments, queue,
      [&caches](const Change<MachineDeployment>& change) { return sets_of_deployment(caches, change); });
  runtime::trigger<Cluster>(caches.clusters, queue, [&caches](const Change<Cluster>& change) {
    return matters(change) ? keys_of(caches.machine_sets_of(runtime::key_of(change.object())))
                           : std::vector<ObjectKey>();
  });
  runtime::trigger<api::MachineLifecyclePolicy>(
      caches.machine_lifecycle_policies, queue, [&caches](const Change<api::MachineLifecyclePolicy>& change) {
        return !change.initial && matters(change)
                   ? keys_of(caches.machine_sets_in(change.object().metadata.namespace_.view()))
                   : std::vector<ObjectKey>();
      });
  runtime::trigger<api::FleetPolicy>(
      caches.fleet_policies, queue, [&caches](const Change<api::FleetPolicy>& change) {
        if (safety::has_other_windows(change) || safety::has_other_freeze(change))
          return keys_of(caches.machine_sets.all());
        return safety::owners_to_wake(caches, change, api::kind::kMachineSet);
      });
  deps_.workload_clusters.on_reach_change([&caches, &queue](const ObjectKey& cluster) {
    for (const ObjectKey& key : keys_of(caches.machine_sets_of(cluster))) queue.add(key);
  });
}

}  // namespace capstan::controllers::machineset
