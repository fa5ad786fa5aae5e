// What wakes a CloudConfig: its own changes, its Machine or MachinePool, and its Cluster.
#include "runtime/triggers.h"
#include "api/names.h"
#include "bootstrap/controller/reconciler.h"

namespace capstan::bootstrap::controller {
namespace {

using runtime::Change;

const api::MachineSpec& spec_in(const api::Machine& machine) { return machine.spec; }
const api::MachineSpec& spec_in(const api::MachinePool& pool) { return pool.spec.machine_template.spec; }

// Of a Machine or a MachinePool.
template <typename T>
std::vector<ObjectKey> config_of(const Change<T>& change) {
  const auto& ref = spec_in(change.object()).bootstrap.config_ref;
  if (!ref || ref->kind != api::bootstrap_kind::kCloudConfig || ref->api_group != api::group::kBootstrap)
    return {};
  if (change.before && change.after && spec_in(*change.before) == spec_in(*change.after)) return {};
  return {{.namespace_ = change.object().metadata.namespace_.str(), .name = ref->name.str()}};
}

bool concerns_data(const Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

std::vector<ObjectKey> configs_of(const Caches& caches, const Change<api::Cluster>& change) {
  std::vector<ObjectKey> keys;
  if (!concerns_data(change)) return keys;
  for (const auto& config : caches.cloud_configs_of(runtime::key_of(change.object())))
    keys.push_back(runtime::key_of(*config));
  return keys;
}

}  // namespace

void Reconciler::add_triggers(runtime::Queue& queue) {
  Caches& caches = deps_.caches;
  runtime::trigger_self(caches.cloud_configs, queue);
  runtime::trigger<api::Machine>(caches.machines, queue, config_of<api::Machine>);
  runtime::trigger<api::MachinePool>(caches.machine_pools, queue, config_of<api::MachinePool>);
  runtime::trigger<api::Cluster>(caches.clusters, queue, [&caches](const Change<api::Cluster>& change) {
    return configs_of(caches, change);
  });
}

}  // namespace capstan::bootstrap::controller
