#include "infrastructure/controller/machine/decide.h"

#include "api/driver/names.h"
#include "api/meta/finalizers.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/brakes.h"

namespace capstan::infrastructure::machine {
namespace {

using api::NoteCode;
using runtime::Waiting;
namespace finalizer = api::driver::finalizer;
namespace tag = api::driver::tag;

void remove(const Observation& seen, Plan& plan);
void provide(const Observation& seen, Plan& plan);
std::optional<Waiting> obstacle(const Observation& seen);
Waiting without_data(const Observation& seen);
std::string why_held(const Observation& seen);
void wait(const Observation& seen, Waiting waiting, Plan& plan);
ProvideVm vm_for(const Observation& seen);
void restore_finalizer(const Observation& seen, Plan& plan);
void look_after(const Observation& seen, Plan& plan);
VmId vm_of(const api::DriverMachine& object);
bool has_asked_for_vm(const api::DriverMachine& object);
bool is_signed_on(const api::DriverMachine& object);

}  // namespace

Plan decide(const Observation& seen) {
  const api::DriverMachine& object = *seen.object;
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, object.metadata, api::driver::kind::kDriverMachine);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (object.metadata.deleting()) {
    remove(seen, plan);
  } else if (!object.status.initialization.provisioned.value_or(false)) {
    provide(seen, plan);
  } else {
    look_after(seen, plan);
    restore_finalizer(seen, plan);
  }
  return plan;
}

namespace {

void remove(const Observation& seen, Plan& plan) {
  const api::DriverMachine& object = *seen.object;
  if (!is_signed_on(object)) return;
  if (has_asked_for_vm(object)) {
    const bool provisioned = object.status.initialization.provisioned.value_or(false);
    const bool sole = !seen.claimed_twice || is_off(Safeguard::VmClaims);
    plan.actions.emplace_back(RemoveVm{
        .vm = vm_of(object), .surely_ours = provisioned && !object.spec.provider_id.empty() && sole});
  }
  plan.actions.emplace_back(DropFinalizer());
}

void provide(const Observation& seen, Plan& plan) {
  const bool owner_leaves = seen.machine && seen.machine->metadata.deleting();
  const bool cluster_leaves = seen.cluster && seen.cluster->metadata.deleting();
  // What would be made now would be removed at once.
  if (owner_leaves || cluster_leaves) return restore_finalizer(seen, plan);
  if (auto waiting = obstacle(seen)) {
    wait(seen, std::move(*waiting), plan);
    return restore_finalizer(seen, plan);
  }
  const api::DriverMachine& object = *seen.object;
  const bool has_key = !object.spec.instance_key.empty();
  if (!has_key || !is_signed_on(object)) {
    plan.actions.emplace_back(
        SignOn{.mint_key = !has_key && !is_off(Safeguard::InstanceKey),
               .from = object.metadata.finalizers,
               .to = api::with_finalizer(object.metadata.finalizers, finalizer::kMachine)});
  }
  plan.actions.emplace_back(vm_for(seen));
}

// Why no VM may be made yet.
std::optional<Waiting> obstacle(const Observation& seen) {
  if (!seen.machine)
    return Waiting{.code = NoteCode::WaitingForOwner, .message = "waiting for a Machine to own this object"};
  if (!seen.cluster)
    return Waiting{.code = NoteCode::WaitingForCluster,
                   .message = "waiting for Cluster " + seen.machine->spec.cluster_name.str()};
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false))
    return Waiting{.code = NoteCode::WaitingForClusterInfrastructure,
                   .message = "waiting for Cluster " + seen.cluster->metadata.name.str() +
                              " to have its infrastructure provisioned"};
  if (seen.driver_cluster && seen.driver_cluster->spec.cluster_key.empty())
    return Waiting{.code = NoteCode::WaitingForClusterInfrastructure,
                   .message = "waiting for DriverCluster " + seen.driver_cluster->metadata.name.str() +
                              " to have its spec.clusterKey"};
  if (data_secret_of(seen).empty()) return without_data(seen);
  const std::string held = has_asked_for_vm(*seen.object) ? std::string() : why_held(seen);
  if (held.empty()) return std::nullopt;
  return Waiting{.code = NoteCode::WaitingForCluster, .message = held};
}

Waiting without_data(const Observation& seen) {
  const std::string field = seen.in_pool
                                ? "spec.template.spec.bootstrap.dataSecretName of the MachinePool of Machine "
                                : "spec.bootstrap.dataSecretName of Machine ";
  return {.code = NoteCode::WaitingForBootstrapData,
          .message = "waiting for " + field + seen.machine->metadata.name.str()};
}

// Empty: a VM may be made. A control plane comes back by its VMs, whatever is held.
std::string why_held(const Observation& seen) {
  if (seen.machine->metadata.labels.contains(api::label::kControlPlane)) return {};
  const Brakes brakes = seen.pool ? brakes_of(*seen.cluster, *seen.pool) : brakes_of(*seen.cluster);
  return brakes.creations.empty() ? std::string() : "no VM is made: " + brakes.creations;
}

void wait(const Observation& seen, Waiting waiting, Plan& plan) {
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  waiting.shown = !plan.recheck;
  plan.waiting = std::move(waiting);
}

ProvideVm vm_for(const Observation& seen) {
  const api::DriverMachine& object = *seen.object;
  const std::string namespace_ = object.metadata.namespace_.str();
  return {.look_first = has_asked_for_vm(object),
          .held = why_held(seen),
          .name = object.metadata.name.str(),
          .tags = with_cluster_key(cluster_key_for(seen),
                                   {{std::string(tag::kCluster), seen.machine->spec.cluster_name.str()},
                                    {std::string(tag::kNamespace), namespace_},
                                    {std::string(tag::kName), object.metadata.name.str()}}),
          .vm_class = object.spec.vm_class.str(),
          .failure_domain = std::string(failure_domain_for(seen)),
          .kubernetes_version = std::string(version_for(seen)),
          .provider_spec = std::string(object.spec.provider_spec.text()),
          .data_secret = {.namespace_ = namespace_, .name = std::string(data_secret_of(seen))}};
}

// A VM that is there. It gets its account and the key of its cluster at once, or neither.
void look_after(const Observation& seen, Plan& plan) {
  const VmId vm = vm_of(*seen.object);
  const bool key_is_to_come = seen.driver_cluster && cluster_key_for(seen).empty();
  if (seen.doubted)
    plan.actions.emplace_back(VerifyVm{.vm = vm});
  else if (seen.object->spec.account.empty() && !key_is_to_come)
    plan.actions.emplace_back(AdoptVm{.vm = vm, .cluster_key = std::string(cluster_key_for(seen))});
}

// There may be a VM, and nothing would see to its removal: that comes before all else.
void restore_finalizer(const Observation& seen, Plan& plan) {
  const api::DriverMachine& object = *seen.object;
  if (!has_asked_for_vm(object) || is_signed_on(object) || is_off(Safeguard::LostFinalizers)) return;
  plan.waiting.reset();
  plan.actions = {
      RestoreFinalizer{.from = object.metadata.finalizers,
                       .to = api::with_finalizer(object.metadata.finalizers, finalizer::kMachine)}};
}

VmId vm_of(const api::DriverMachine& object) {
  return {.provider_id = object.spec.provider_id.str(),
          .instance_key = object.spec.instance_key.str(),
          .last_known_state = object.status.last_known_state.str()};
}

bool has_asked_for_vm(const api::DriverMachine& object) {
  return !object.spec.instance_key.empty() || !object.spec.provider_id.empty();
}

bool is_signed_on(const api::DriverMachine& object) {
  return object.metadata.has_finalizer(finalizer::kMachine);
}

}  // namespace
}  // namespace capstan::infrastructure::machine
