#include "controllers/cluster/deletion.h"

#include <fmt/format.h>

#include "api/conditions/message.h"
#include "api/names.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::cluster {
namespace {

constexpr std::size_t kNames = 5;
constexpr Seconds kUnreadableRecheck{30};

// With a control plane object of this Cluster its Machines are that one's business.
bool is_our_control_plane(const Observation& seen) {
  return !seen.cluster->spec.control_plane_ref || !seen.control_plane.claim.other.empty();
}

// Nothing else would delete it: a set let go of it, or its owner references were taken off.
bool is_forsaken(const api::ObjectMeta& machine) { return machine.owner_references->empty(); }

template <typename T>
void delete_owned(const std::vector<Snapshot<T>>& objects, ChildKind kind, const Observation& seen,
                  Plan& plan) {
  for (const auto& object : objects) {
    if (object->metadata.deleting() || !is_owned(object->metadata, *seen.cluster)) continue;
    plan.actions.emplace_back(
        DeleteChild{.kind = kind, .key = runtime::key_of(*object), .uid = object->metadata.uid});
  }
}

void delete_forsaken(const std::vector<Snapshot<api::Machine>>& machines, Plan& plan) {
  for (const auto& machine : machines) {
    if (machine->metadata.deleting() || !is_forsaken(machine->metadata)) continue;
    plan.actions.emplace_back(DeleteChild{
        .kind = ChildKind::Machine, .key = runtime::key_of(*machine), .uid = machine->metadata.uid});
  }
}

void delete_children(const Observation& seen, Plan& plan) {
  const Descendants& all = seen.descendants;
  delete_owned(all.pools, ChildKind::MachinePool, seen, plan);
  delete_owned(all.deployments, ChildKind::MachineDeployment, seen, plan);
  delete_owned(all.sets, ChildKind::MachineSet, seen, plan);
  delete_owned(all.worker_machines, ChildKind::Machine, seen, plan);
  if (is_our_control_plane(seen)) delete_owned(all.control_plane_machines, ChildKind::Machine, seen, plan);
  // As long as there is one of these it may adopt the Machine.
  if (!all.pools.empty() || !all.deployments.empty() || !all.sets.empty()) return;
  delete_forsaken(all.worker_machines, plan);
  if (is_our_control_plane(seen)) delete_forsaken(all.control_plane_machines, plan);
}

template <typename T>
void list(std::string& message, std::string_view what, const std::vector<Snapshot<T>>& objects) {
  if (objects.empty()) return;
  std::vector<std::string> names;
  for (const auto& object : objects) names.push_back(object->metadata.name.str());
  message +=
      fmt::format("{}* {}: {}", message.empty() ? "" : "\n", what, api::conditions::name_list(names, kNames));
}

// What belongs to this Cluster and goes with nothing.
template <typename T>
void list_unowned(std::string& message, std::string_view kind, const std::vector<Snapshot<T>>& objects) {
  std::vector<std::string> names;
  for (const auto& object : objects) {
    if (!object->metadata.deleting() && object->metadata.owner_references->empty())
      names.push_back(object->metadata.name.str());
  }
  if (names.empty()) return;
  message += fmt::format("\n* delete {} {}: nothing owns it, so nothing else does", kind,
                         api::conditions::name_list(names, kNames));
}

// What is left, owned or not.
std::string remaining(const Observation& seen) {
  const Descendants& all = seen.descendants;
  std::string message;
  if (is_our_control_plane(seen)) list(message, "Control plane Machines", all.control_plane_machines);
  list(message, "MachineDeployments", all.deployments);
  list(message, "MachineSets", all.sets);
  list(message, "MachinePools", all.pools);
  list(message, "Worker Machines", all.worker_machines);
  list_unowned(message, "MachineDeployment", all.deployments);
  list_unowned(message, "MachineSet", all.sets);
  list_unowned(message, "MachinePool", all.pools);
  for (const std::string& problem : all.unreadable) message += (message.empty() ? "* " : "\n* ") + problem;
  return message;
}

enum class Gone { Yes, No, NobodyKnows };

Gone is_gone(const Referred& referred) {
  if (!referred.wanted || referred.definition_gone) return Gone::Yes;
  if (!referred.problem.empty() && !referred.asked_live) return Gone::NobodyKnows;
  return referred.metadata() != nullptr ? Gone::No : Gone::Yes;
}

// True when the next step may begin.
bool take_down(const Referred& referred, Role role, std::string_view waiting_reason, Plan& plan) {
  switch (is_gone(referred)) {
    case Gone::Yes: return true;
    case Gone::NobodyKnows:
      plan.deleting_reason = api::reason::kInternalError;
      plan.deleting_message = fmt::format("can't tell whether {} {} is gone: {}", referred.kind,
                                          referred.key.name, referred.problem);
      return false;
    case Gone::No:
      // An object that is not marked as this Cluster's is marked in this turn and deleted in the next.
      if (!referred.metadata()->deleting() && referred.claim.ours)
        plan.actions.emplace_back(DeleteProvider{role});
      plan.deleting_reason = waiting_reason;
      plan.deleting_message = fmt::format("Waiting for {} to be deleted", referred.kind);
      if (!referred.problem.empty())
        plan.deleting_message +=
            fmt::format("; the API server is asked every 30 s, for {}", referred.problem);
      return false;
  }
  return false;
}

}  // namespace

void decide_deletion(const Observation& seen, Plan& plan) {
  if (!seen.cluster->metadata.has_finalizer(api::finalizer::kCluster)) {
    plan.deleting_reason = api::reason::kDeletionCompleted;
    return;
  }
  delete_children(seen, plan);
  plan.deleting_message = remaining(seen);
  plan.deleting_reason = api::reason::kWaitingForWorkersDeletion;
  // Nothing tells that one of them is gone.
  if (!seen.descendants.unreadable.empty()) recheck_within(plan.recheck, kUnreadableRecheck);
  if (!plan.deleting_message.empty()) return;
  if (!take_down(seen.control_plane, Role::ControlPlane, api::reason::kWaitingForControlPlaneDeletion, plan))
    return;
  if (!take_down(seen.infrastructure, Role::Infrastructure, api::reason::kWaitingForInfrastructureDeletion,
                 plan))
    return;
  plan.deleting_reason = api::reason::kDeletionCompleted;
  plan.actions.emplace_back(DropFinalizer{});
}

}  // namespace capstan::controllers::cluster
