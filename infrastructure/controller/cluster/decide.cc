#include "infrastructure/controller/cluster/decide.h"

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/meta/finalizers.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/cluster/orphans.h"

namespace capstan::infrastructure::cluster {
namespace {

using api::NoteCode;
namespace finalizer = api::driver::finalizer;

constexpr Seconds kUntilMachinesAreGone{5};

void remove(const Observation& seen, Plan& plan);
std::string what_is_left(const Observation& seen);
void provide(const Observation& seen, Plan& plan);
void wait_for_owner(const Observation& seen, Plan& plan);
void provide_control_plane(const Observation& seen, Plan& plan);
void wait_for_endpoint(const Observation& seen, Plan& plan);
bool is_signed_on(const api::DriverCluster& object);
bool is_provisioned(const api::DriverCluster& object);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverCluster);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting())
    remove(seen, plan);
  else if (!seen.cluster)
    wait_for_owner(seen, plan);
  else if (!seen.cluster->metadata.deleting()) {
    provide(seen, plan);
    look_after_orphans(seen, plan);
  }
  return plan;
}

namespace {

void remove(const Observation& seen, Plan& plan) {
  if (!is_signed_on(*seen.object)) return;
  if (seen.machines_left == 0 && seen.pools_left == 0) {
    plan.actions = {RemoveControlPlane{.cluster = seen.cluster_key}, DropFinalizer()};
    return;
  }
  plan.waiting = runtime::Waiting{.code = NoteCode::WaitingForMachines,
                                  .message = "waiting for " + what_is_left(seen) + "to go first"};
  plan.recheck = kUntilMachinesAreGone;
}

std::string what_is_left(const Observation& seen) {
  std::string text = std::to_string(seen.machines_left) + " DriverMachines ";
  if (seen.pools_left > 0) text += "and " + std::to_string(seen.pools_left) + " DriverMachinePools ";
  return text;
}

void wait_for_owner(const Observation& seen, Plan& plan) {
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  plan.waiting = runtime::Waiting{.code = NoteCode::WaitingForOwner,
                                  .message = "waiting for a Cluster to own this object",
                                  .shown = !plan.recheck};
}

void provide(const Observation& seen, Plan& plan) {
  const api::DriverCluster& object = *seen.object;
  if (object.spec.cluster_key.empty()) plan.actions.emplace_back(MintKey());
  const bool is_protected = is_signed_on(object) || is_off(Safeguard::LostFinalizers);
  const bool ours =
      is_protected || object.metadata.annotations.contains(api::driver::annotation::kMadeControlPlane);
  const bool given = !seen.makes_control_planes || (object.spec.control_plane_endpoint.valid() && !ours);
  // What was said while its owner was gone for a moment has to be taken back.
  const bool settled =
      is_provisioned(object) && !api::conditions::is_false(object.status.conditions, api::condition::kReady);
  if (settled && (given || (seen.ensured && is_protected))) return;
  if (!given) return provide_control_plane(seen, plan);
  plan.actions.emplace_back(TakeEndpoint{.endpoint = object.spec.control_plane_endpoint});
  wait_for_endpoint(seen, plan);
}

// It is provisioned all the same: a control plane provider that brings the endpoint waits for that first.
void wait_for_endpoint(const Observation& seen, Plan& plan) {
  if (seen.object->spec.control_plane_endpoint.valid() || seen.cluster->spec.control_plane_endpoint.valid())
    return;
  plan.waiting = runtime::Waiting{
      .code = NoteCode::ControlPlaneUnavailable,
      .message =
          "waiting for spec.controlPlaneEndpoint: no control plane is made here; write the endpoint "
          "of one, or use a control plane provider that brings it"};
}

void provide_control_plane(const Observation& seen, Plan& plan) {
  const api::DriverCluster& object = *seen.object;
  if (!is_signed_on(object)) {
    const api::Finalizers& finalizers = object.metadata.finalizers;
    plan.actions.emplace_back(
        SignOn{.from = finalizers, .to = api::with_finalizer(finalizers, finalizer::kCluster)});
  }
  plan.actions.emplace_back(
      ProvideControlPlane{.cluster = seen.cluster_key, .write_authority = !is_provisioned(object)});
}

bool is_signed_on(const api::DriverCluster& object) {
  return object.metadata.has_finalizer(finalizer::kCluster);
}

bool is_provisioned(const api::DriverCluster& object) {
  return object.status.initialization.provisioned.value_or(false);
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
