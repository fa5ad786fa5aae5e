#include "infrastructure/controller/machine/decide.h"

#include "api/driver/names.h"
#include "base/safeguards.h"

namespace capstan::infrastructure::machine {
namespace {

namespace reason = api::driver::reason;
namespace finalizer = api::driver::finalizer;

// Handing over takes a moment in every healthy creation; a condition for it would be a write for nothing.
constexpr Seconds kPatience{10};

// Why no VM may be made yet; empty: it may.
std::string_view obstacle(const Observation& seen, std::string& message) {
  const auto say = [&](std::string text, std::string_view word) {
    message = std::move(text);
    return word;
  };
  if (!seen.machine) return say("waiting for a Machine to own this object", reason::kWaitingForOwner);
  if (!seen.cluster)
    return say("waiting for Cluster " + seen.machine->spec.cluster_name.str(), reason::kWaitingForCluster);
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false))
    return say("waiting for Cluster " + seen.cluster->metadata.name.str() +
                   " to have its infrastructure provisioned",
               reason::kWaitingForClusterInfrastructure);
  if (!data_secret_of(seen).empty()) return {};
  if (seen.in_pool)
    return say("waiting for spec.template.spec.bootstrap.dataSecretName of the MachinePool of Machine " +
                   seen.machine->metadata.name.str(),
               reason::kWaitingForBootstrapData);
  return say("waiting for spec.bootstrap.dataSecretName of Machine " + seen.machine->metadata.name.str(),
             reason::kWaitingForBootstrapData);
}

void wait(const Observation& seen, std::string_view why, std::string message, Plan& plan) {
  plan.step = Step::Wait;
  plan.reason = why;
  plan.message = std::move(message);
  const Time created = seen.object->metadata.creation_timestamp;
  const Seconds age = created.is_set() && seen.now > created ? seen.now - created : Seconds(0);
  plan.report_wait = age >= kPatience;
  if (!plan.report_wait) plan.recheck = kPatience - age;
}

void create(const Observation& seen, Plan& plan) {
  const api::DriverMachine& object = *seen.object;
  const bool owner_leaves = seen.machine && seen.machine->metadata.deleting();
  const bool cluster_leaves = seen.cluster && seen.cluster->metadata.deleting();
  if (owner_leaves || cluster_leaves) return;  // what would be made now would be removed at once
  std::string message;
  const std::string_view why = obstacle(seen, message);
  if (!why.empty()) return wait(seen, why, std::move(message), plan);
  plan.step = Step::Create;
  plan.mint_key = object.spec.instance_key.empty() || !object.metadata.has_finalizer(finalizer::kMachine);
  plan.look_first = !object.spec.instance_key.empty() || !object.spec.provider_id.empty();
}

// There may be a VM, and nothing would see to its removal.
bool is_unprotected(const api::DriverMachine& object) {
  const bool asked = !object.spec.instance_key.empty() || !object.spec.provider_id.empty();
  return asked && !object.metadata.has_finalizer(finalizer::kMachine) && !is_off(Safeguard::LostFinalizers);
}

void remove(const Observation& seen, Plan& plan) {
  const api::DriverMachine& object = *seen.object;
  if (!object.metadata.has_finalizer(finalizer::kMachine)) return;
  const bool never_asked = object.spec.instance_key.empty() && object.spec.provider_id.empty();
  plan.step = never_asked ? Step::Release : Step::Remove;
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverMachine);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting()) {
    remove(seen, plan);
    return plan;
  }
  if (!seen.object->status.initialization.provisioned.value_or(false)) {
    create(seen, plan);
  } else if (seen.doubted) {
    plan.step = Step::Verify;
  }
  // A creation puts it on together with the key.
  if (plan.step != Step::Create && is_unprotected(*seen.object)) plan.step = Step::Protect;
  return plan;
}

}  // namespace capstan::infrastructure::machine
