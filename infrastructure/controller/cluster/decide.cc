#include "infrastructure/controller/cluster/decide.h"

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "base/safeguards.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace reason = api::driver::reason;

constexpr Seconds kUntilMachinesAreGone{5};
constexpr Seconds kPatience{10};  // an owner comes within a moment; a condition for it would be no news

void remove(const Observation& seen, Plan& plan) {
  if (!seen.object->metadata.has_finalizer(api::driver::finalizer::kCluster)) return;
  if (seen.machines_left == 0 && seen.pools_left == 0) {
    plan.step = Step::Remove;
    return;
  }
  plan.step = Step::Wait;
  plan.reason = reason::kDependentsLeft;
  plan.message = "waiting for " + std::to_string(seen.machines_left) + " DriverMachines ";
  if (seen.pools_left > 0) plan.message += "and " + std::to_string(seen.pools_left) + " DriverMachinePools ";
  plan.message += "to go first";
  plan.recheck = kUntilMachinesAreGone;
}

void provide(const Observation& seen, Plan& plan) {
  if (!seen.cluster) {
    const Time created = seen.object->metadata.creation_timestamp;
    const Seconds age = created.is_set() && seen.now > created ? seen.now - created : Seconds(0);
    if (age < kPatience) {
      plan.recheck = kPatience - age;
      return;
    }
    plan.step = Step::Wait;
    plan.reason = reason::kWaitingForOwner;
    plan.message = "waiting for a Cluster to own this object";
    return;
  }
  if (seen.cluster->metadata.deleting()) return;
  const bool protected_ = seen.object->metadata.has_finalizer(api::driver::finalizer::kCluster) ||
                          is_off(Safeguard::LostFinalizers);
  const bool ours =
      protected_ || seen.object->metadata.annotations.contains(api::driver::annotation::kMadeControlPlane);
  const bool provisioned = seen.object->status.initialization.provisioned.value_or(false);
  const bool given =
      !seen.makes_control_planes || (seen.object->spec.control_plane_endpoint.valid() && !ours);
  // What was said while its owner was gone for a moment has to be taken back.
  const bool settled =
      provisioned && !api::conditions::is_false(seen.object->status.conditions, api::condition::kReady);
  if (given && settled) return;
  plan.step = given ? Step::Trust : settled && seen.ensured && protected_ ? Step::Rest : Step::Ensure;
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverCluster);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting())
    remove(seen, plan);
  else
    provide(seen, plan);
  return plan;
}

}  // namespace capstan::infrastructure::cluster
