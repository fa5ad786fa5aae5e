#include "controllers/cluster/cluster_conditions.h"

#include "api/conditions/conditions.h"
#include "api/conditions/merge.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/cluster/connection_probe.h"
#include "controllers/cluster/descendant_conditions.h"
#include "controllers/cluster/provider_conditions.h"
#include "controllers/cluster/report.h"
#include "controllers/safety/frozen_condition.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;
using conditions::Priority;

api::Condition deleting(const Plan& plan, const Effects& effects) {
  if (plan.deleting_reason.empty())
    return conditions::make(condition::kDeleting, status::kFalse, reason::kNotDeleting);
  if (effects.deletion_failed)
    return conditions::make(condition::kDeleting, status::kTrue, reason::kInternalError, kSeeLogs);
  return conditions::make(condition::kDeleting, status::kTrue, plan.deleting_reason, plan.deleting_message);
}

// Its deletion works like that of any other Cluster.
std::optional<api::Condition> topology_reconciled(const api::Cluster& after) {
  if (after.spec.topology.empty()) return {};
  if (after.metadata.deleting())
    return conditions::make(condition::kTopologyReconciled, status::kFalse, reason::kDeleting,
                            "Cluster is deleting");
  return conditions::make(condition::kTopologyReconciled, status::kFalse, reason::kTopologyNotSupported,
                          kTopologyRemedy);
}

// What stands there of a topology that was taken out of the spec, which only happens without webhooks.
void remove_our_topology_reconciled(api::Cluster& after) {
  const auto known = conditions::find(after.status.conditions, condition::kTopologyReconciled);
  if (known != nullptr && known->reason == reason::kTopologyNotSupported)
    conditions::remove(after.status.conditions, condition::kTopologyReconciled);
}

// While a Cluster is taken down, its provider objects are meant to vanish.
Priority forgive_vanished(const api::ConditionView& each, Priority by_polarity) {
  const bool provider =
      each.type == condition::kInfrastructureReady || each.type == condition::kControlPlaneAvailable;
  const bool vanished = each.reason == reason::kObjectDeleted || each.reason == reason::kObjectDoesNotExist;
  return provider && vanished ? Priority::Info : by_polarity;
}

api::Condition available(const api::Cluster& after) {
  conditions::SummaryRules rules{
      .types = {condition::kDeleting, condition::kRemoteConnectionProbe, condition::kInfrastructureReady,
                condition::kControlPlaneAvailable, condition::kWorkersAvailable,
                condition::kTopologyReconciled},
      .negative = {condition::kDeleting},
      .reasons = {reason::kNotAvailable, reason::kAvailableUnknown, reason::kAvailable}};
  if (after.spec.topology.empty()) rules.ignore_if_missing.push_back(condition::kTopologyReconciled);
  if (!after.spec.control_plane_ref) rules.ignore_if_missing.push_back(condition::kControlPlaneAvailable);
  if (after.metadata.deleting()) rules.reprioritize = forgive_vanished;
  for (const auto& gate : after.spec.availability_gates) {
    rules.types.push_back(gate.condition_type);
    if (gate.negative()) rules.negative.push_back(gate.condition_type);
  }
  auto summed = conditions::summary(after.status.conditions, condition::kAvailable, rules);
  if (summed) return std::move(*summed);
  return conditions::make(condition::kAvailable, status::kUnknown, reason::kInternalError,
                          summed.error().message);
}

}  // namespace

void set_conditions(const Observation& seen, const Plan& plan, const Effects& effects, api::Cluster& after) {
  const auto set = [&](std::optional<api::Condition> wanted) {
    if (wanted)
      conditions::set(after.status.conditions, std::move(*wanted), after.metadata.generation, seen.now);
  };
  const auto probe = conditions::find(after.status.conditions, condition::kRemoteConnectionProbe);
  set(probe_condition(seen.reach, probe, seen.now, seen.connection_grace));
  set(infrastructure_ready(after, plan));
  set(control_plane_available(after, plan));
  if (!after.spec.control_plane_ref)
    conditions::remove(after.status.conditions, condition::kControlPlaneAvailable);
  set(control_plane_initialized(seen, after, plan));
  for (auto& wanted : descendant_conditions(seen)) set(std::move(wanted));
  set(topology_reconciled(after));
  if (after.spec.topology.empty()) remove_our_topology_reconciled(after);
  set(deleting(plan, effects));
  safety::show_frozen(seen.frozen, after.status.conditions, after.metadata.generation, seen.now);
  set(available(after));
}

std::span<const std::string_view> owned_conditions() {
  static constexpr std::array kOwned = {
      condition::kAvailable,
      condition::kRemoteConnectionProbe,
      condition::kInfrastructureReady,
      condition::kControlPlaneInitialized,
      condition::kControlPlaneAvailable,
      condition::kWorkersAvailable,
      condition::kControlPlaneMachinesReady,
      condition::kWorkerMachinesReady,
      condition::kControlPlaneMachinesUpToDate,
      condition::kWorkerMachinesUpToDate,
      condition::kRollingOut,
      condition::kScalingUp,
      condition::kScalingDown,
      condition::kRemediating,
      condition::kTopologyReconciled,
      condition::kDeleting,
      condition::kContested,
      condition::kPaused,
      api::policy::condition::kFrozen,
  };
  return kOwned;
}

}  // namespace capstan::controllers::cluster
