// Which changes wake a Machine: those that no decision depends on do not.
#include "runtime/triggers.h"

#include <set>

#include "api/conditions/conditions.h"
#include "controllers/claims/wakes.h"
#include "controllers/machine/lifecycle_triggers.h"
#include "controllers/machine/reconciler.h"
#include "controllers/rollout/template_diff.h"
#include "controllers/safety/fleet_request.h"

namespace capstan::controllers::machine {
namespace {

using runtime::Change;
using runtime::ObjectKey;

template <typename T>
bool appeared_or_went(const Change<T>& change) {
  return !change.before || !change.after || change.before->metadata.uid != change.after->metadata.uid;
}

bool matters(const Change<api::Cluster>& change) {
  if (appeared_or_went(change)) return true;
  const auto facts = [](const api::Cluster& cluster) {
    return std::tuple{
        cluster.spec.paused.value_or(false), cluster.metadata.deleting(),
        cluster.status.initialization.infrastructure_provisioned.value_or(false),
        api::conditions::is_true(cluster.status.conditions, api::condition::kControlPlaneInitialized)};
  };
  return facts(*change.before) != facts(*change.after);
}

bool same_revision(const api::ObjectMeta& left, const api::ObjectMeta& right) {
  return left.annotations.value_or_empty(api::annotation::kRevision) ==
         right.annotations.value_or_empty(api::annotation::kRevision);
}

bool matters(const Change<api::MachineSet>& change) {
  if (appeared_or_went(change)) return true;
  const auto& [before, after, initial] = change;
  return !same_revision(before->metadata, after->metadata) ||
         before->spec.machine_template.spec != after->spec.machine_template.spec;
}

bool matters(const Change<api::MachineDeployment>& change) {
  if (appeared_or_went(change)) return true;
  const auto& [before, after, initial] = change;
  return !same_revision(before->metadata, after->metadata) ||
         before->spec.rollout.after != after->spec.rollout.after ||
         before->spec.machine_template.spec != after->spec.machine_template.spec ||
         rollout::forced_difference(before->spec.machine_template, after->spec.machine_template);
}

// Its owner and the FleetPolicy read that of it; a turn of the Machine does only once it is being deleted.
bool is_another_fleet_word(const Change<api::Machine>& change) {
  return change.before && change.after && !change.after->metadata.deleting() &&
         safety::differ_by_fleet_words_alone(*change.before, *change.after);
}

// A heartbeat is none.
bool matters(const Change<api::Node>& change) {
  if (appeared_or_went(change)) return true;
  const auto& [before, after, initial] = change;
  return before->metadata.labels != after->metadata.labels ||
         before->metadata.annotations != after->metadata.annotations ||
         before->metadata.deleting() != after->metadata.deleting() || before->spec != after->spec ||
         before->status != after->status;
}

template <typename T>
ObjectKey key_of(const T& object) {
  return {.namespace_ = object.metadata.namespace_.str(), .name = object.metadata.name.str()};
}

std::vector<ObjectKey> keys_of(const std::vector<Snapshot<api::Machine>>& machines) {
  std::vector<ObjectKey> keys;
  for (const auto& machine : machines) keys.push_back(key_of(*machine));
  return keys;
}

// What an owner asks of new Machines matters to those there are, all of them, but not at once: a rollout says
// more of itself within a moment, and each of them shall hear it once.
constexpr Nanoseconds kGathered = std::chrono::seconds(1);

void add_later(runtime::Queue& queue, const std::vector<ObjectKey>& keys) {
  for (const auto& key : keys) queue.add_after(key, kGathered);
}

}  // namespace

// What comes with a first list wakes no Machine: those of that list wake themselves.
void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger<api::Machine>(caches.machines, queue, [](const Change<api::Machine>& change) {
    return is_another_fleet_word(change) ? std::vector<ObjectKey>()
                                         : std::vector{runtime::key_of(change.object())};
  });
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    if (change.initial || !matters(change)) return std::vector<ObjectKey>();
    return keys_of(caches.machines_of(key_of(change.object())));
  });
  caches.machine_sets.subscribe([&caches, &queue](const Change<api::MachineSet>& change) {
    if (change.initial || !matters(change)) return;
    add_later(queue, keys_of(caches.machines_owned_by(change.object().metadata.uid)));
  });
  caches.machine_deployments.subscribe([&caches, &queue](const Change<api::MachineDeployment>& change) {
    if (change.initial || !matters(change)) return;
    for (const auto& set : caches.machine_sets_owned_by(change.object().metadata.uid)) {
      add_later(queue, keys_of(caches.machines_owned_by(set->metadata.uid)));
    }
  });
  runtime::trigger<api::Machine>(caches.machines, queue, [&caches](const Change<api::Machine>& change) {
    return claims::woken_by(caches, change).machines;
  });
  runtime::trigger<api::MachinePool>(caches.machine_pools, queue,
                                     [&caches](const Change<api::MachinePool>& change) {
                                       return claims::woken_by(caches, change).machines;
                                     });
  runtime::trigger<api::MachineDrainRule>(
      caches.machine_drain_rules, queue, [this](const Change<api::MachineDrainRule>& change) {
        if (change.initial) return std::vector<ObjectKey>();
        return deleter_.drains_in(change.object().metadata.namespace_.view());
      });
  deps_.workload_clusters.on_node_change(
      [&caches, &queue](const ObjectKey& cluster, const Change<api::Node>& change) {
        if (!matters(change)) return;
        std::set<ObjectKey> keys;  // before and after mostly say the same
        const auto add = [&keys](const auto& machines) {
          for (const auto& machine : machines) keys.insert(key_of(*machine));
        };
        for (const auto& node : {change.before, change.after}) {
          if (!node) continue;
          const auto& id = node->spec.provider_id;
          if (!id.empty()) add(caches.machines_with_provider_id(cluster, id));
          add(caches.machines_on_node(cluster, node->metadata.name));
        }
        for (const auto& key : keys)
          queue.add(key, change.initial ? runtime::Priority::Low : runtime::Priority::Normal);
      });
  deps_.workload_clusters.on_reach_change([&caches, &queue](const ObjectKey& cluster) {
    for (const auto& key : keys_of(caches.machines_of(cluster))) queue.add(key, runtime::Priority::Low);
  });
  add_lifecycle_triggers(caches, queue);
}

}  // namespace capstan::controllers::machine
