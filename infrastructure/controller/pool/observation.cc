#include "infrastructure/controller/pool/observation.h"

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {

std::string_view cluster_key_for(const Observation& seen) {
  return seen.driver_cluster ? seen.driver_cluster->spec.cluster_key.view() : std::string_view();
}

bool leaves(const Member& member) {
  return member.object->metadata.deleting() || (member.machine && member.machine->metadata.deleting());
}

bool works(const Member& member) {
  return !leaves(member) && !has_lost_its_vm(member) &&
         member.object->status.initialization.provisioned.value_or(false);
}

bool has_lost_its_vm(const Member& member) {
  const auto ready = api::conditions::find(member.object->status.conditions, api::condition::kReady);
  return ready != nullptr && ready->status == api::status::kFalse &&
         ready->reason == api::driver::reason::kVmGone;
}

bool is_handed_over(const api::Machine& machine) {
  const auto& conditions = machine.status.conditions;
  return api::conditions::is_false(conditions, api::condition::kHealthCheckSucceeded) &&
         api::conditions::is_false(conditions, api::condition::kOwnerRemediated);
}

bool is_handed_over(const Member& member) { return member.machine && is_handed_over(*member.machine); }

bool is_well_again(const api::Machine& machine) {
  const auto& conditions = machine.status.conditions;
  return api::conditions::is_true(conditions, api::condition::kHealthCheckSucceeded) &&
         api::conditions::is_false(conditions, api::condition::kOwnerRemediated);
}

}  // namespace capstan::infrastructure::pool
