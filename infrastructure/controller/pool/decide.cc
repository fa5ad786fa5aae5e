#include "infrastructure/controller/pool/decide.h"

#include <fmt/core.h>

#include "api/driver/names.h"
#include "api/meta/finalizers.h"
#include "api/names.h"
#include "infrastructure/controller/pool/member_actions.h"
#include "infrastructure/controller/pool/pool_size.h"
#include "infrastructure/controller/trouble.h"

namespace capstan::infrastructure::pool {
namespace {

using api::NoteCode;
using runtime::Waiting;
namespace finalizer = api::driver::finalizer;

void remove(const Observation& seen, Plan& plan);
void remove_members(const Observation& seen, Plan& plan);
std::optional<Waiting> obstacle(const Observation& seen);
void wait(const Observation& seen, Waiting waiting, Plan& plan);
void provide(const Observation& seen, Plan& plan);
void sign_on(const Observation& seen, Plan& plan);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  const bool cluster_paused = seen.cluster && seen.cluster->spec.paused.value_or(false);
  plan.paused = runtime::paused(cluster_paused, seen.object->metadata, api::driver::kind::kDriverMachinePool);
  if (plan.paused.paused || !seen.fresh) return plan;
  if (seen.object->metadata.deleting()) {
    remove(seen, plan);
    return plan;
  }
  const bool owner_leaves = seen.owner && seen.owner->metadata.deleting();
  const bool cluster_leaves = seen.cluster && seen.cluster->metadata.deleting();
  if (owner_leaves || cluster_leaves) return plan;  // what would be made now would be removed at once
  if (auto waiting = obstacle(seen))
    wait(seen, std::move(*waiting), plan);
  else
    provide(seen, plan);
  return plan;
}

namespace {

void remove(const Observation& seen, Plan& plan) {
  const api::DriverMachinePool& object = *seen.object;
  if (!object.metadata.has_finalizer(finalizer::kMachinePool)) return;
  if (seen.with_machines() && !seen.members.empty()) return remove_members(seen, plan);
  const bool asked_for_vms = !object.spec.group_key.empty() || !object.spec.provider_id_list.empty();
  if (!seen.with_machines() && asked_for_vms) plan.actions.emplace_back(RemoveGroup());
  plan.actions.emplace_back(DropFinalizer());
}

void remove_members(const Observation& seen, Plan& plan) {
  for (const Member& member : seen.members) {
    if (!leaves(member)) plan.actions.emplace_back(RemoveMember{.member = member});
  }
  plan.waiting =
      Waiting{.code = NoteCode::BeingDeleted,
              .message = fmt::format("waiting for {} instances to go, Machines first", seen.members.size()),
              .shown = lasts(seen.object->metadata, seen.now)};
}

std::optional<Waiting> obstacle(const Observation& seen) {
  if (!seen.owner)
    return Waiting{.code = NoteCode::WaitingForOwner,
                   .message = "waiting for a MachinePool to own this object"};
  if (!seen.cluster)
    return Waiting{.code = NoteCode::WaitingForCluster,
                   .message = "waiting for Cluster " + seen.owner->spec.cluster_name.str()};
  if (!seen.cluster->status.initialization.infrastructure_provisioned.value_or(false))
    return Waiting{.code = NoteCode::WaitingForClusterInfrastructure,
                   .message = fmt::format("waiting for Cluster {} to have its infrastructure provisioned",
                                          seen.cluster->metadata.name.view())};
  if (seen.driver_cluster && seen.driver_cluster->spec.cluster_key.empty())
    return Waiting{.code = NoteCode::WaitingForClusterInfrastructure,
                   .message = fmt::format("waiting for DriverCluster {} to have its spec.clusterKey",
                                          seen.driver_cluster->metadata.name.view())};
  const auto& secret = seen.owner->spec.machine_template.spec.bootstrap.data_secret_name;
  if (secret && !secret->empty()) return std::nullopt;
  return Waiting{
      .code = NoteCode::WaitingForBootstrapData,
      .message = fmt::format("waiting for spec.template.spec.bootstrap.dataSecretName of MachinePool {}",
                             seen.owner->metadata.name.view())};
}

void wait(const Observation& seen, Waiting waiting, Plan& plan) {
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  waiting.shown = !plan.recheck;
  plan.waiting = std::move(waiting);
}

void provide(const Observation& seen, Plan& plan) {
  sign_on(seen, plan);
  const PoolSize size = size_of(seen);
  plan.wanted = size.wanted;
  plan.flaw = size.refused;
  plan.brakes = brakes_of(*seen.cluster, *seen.owner);
  if (size.set_replicas) plan.actions.emplace_back(*size.set_replicas);
  if (seen.with_machines())
    size_members(seen, plan);
  else
    plan.actions.emplace_back(SizeGroup{.wanted = plan.wanted,
                                        .brakes = plan.brakes,
                                        .refusal = still_standing(seen.refusal, *seen.object, seen.now)});
}

void sign_on(const Observation& seen, Plan& plan) {
  const api::DriverMachinePool& object = *seen.object;
  const bool nameless = !seen.with_machines() && object.spec.group_key.empty();
  if (!nameless && object.metadata.has_finalizer(finalizer::kMachinePool)) return;
  const api::Finalizers& finalizers = object.metadata.finalizers;
  plan.actions.emplace_back(SignOn{.mint_key = nameless,
                                   .from = finalizers,
                                   .to = api::with_finalizer(finalizers, finalizer::kMachinePool)});
}

}  // namespace
}  // namespace capstan::infrastructure::pool
