#include "infrastructure/controller/triggers.h"

namespace capstan::infrastructure {
namespace {

template <typename T>
T without_answers(T object) {
  object.metadata.resource_version = {};
  object.metadata.managed_fields = {};
  object.status.conditions = {};
  object.status.observed_generation = 0;
  if constexpr (requires { object.status.last_known_states; })
    object.status.last_known_states = {};
  else
    object.status.last_known_state = {};
  return object;
}

template <typename T>
bool differs_in_more_than_answers(const runtime::Change<T>& change) {
  if (!change.before || !change.after) return true;
  return !(without_answers(*change.before) == without_answers(*change.after));
}

}  // namespace

bool concerns_itself(const runtime::Change<api::DriverMachine>& change) {
  return differs_in_more_than_answers(change);
}

bool concerns_itself(const runtime::Change<api::DriverMachinePool>& change) {
  return differs_in_more_than_answers(change);
}

bool concerns_vms(const runtime::Change<api::Cluster>& change) {
  if (!change.before || !change.after) return true;
  return change.before->spec.paused != change.after->spec.paused ||
         !(change.before->status.initialization == change.after->status.initialization);
}

bool gets_its_key(const runtime::Change<api::DriverCluster>& change) {
  if (!change.after || change.after->spec.cluster_key.empty()) return false;
  return !change.before || change.before->spec.cluster_key.empty();
}

}  // namespace capstan::infrastructure
