#include "controllers/cluster/conditions_v1beta1.h"

#include <array>
#include <span>

#include "api/conditions/v1beta1.h"
#include "api/names.h"
#include "controllers/cluster/provider_conditions.h"
#include "controllers/cluster/report.h"

namespace capstan::controllers::cluster {
namespace {

namespace old = api::conditions::v1beta1;
namespace condition = api::v1beta1_condition;
namespace reason = api::v1beta1_reason;
namespace severity = api::severity;

using Old = std::optional<api::V1Beta1Condition>;

// Nothing: it stays as it is, be it stale.
Old of_provider(const Provider& provider, std::string_view target, bool flag, std::string_view waiting,
                const api::Cluster& after) {
  const bool deleting = after.metadata.deleting();
  if (provider.presence == Presence::Missing && deleting)
    return old::no(target, reason::kDeleted, severity::kInfo);
  if (provider.presence == Presence::OfAnother)
    return old::no(target, reason::kIncorrectExternalRef, severity::kError, provider.problem);
  if (!provider.here()) return {};
  const auto* ready = provider.v1beta1_ready ? &*provider.v1beta1_ready : nullptr;
  return old::mirror(ready, target,
                     old::Fallback{.value = flag && !deleting,
                                   .reason = deleting ? reason::kDeleting : waiting,
                                   .severity = severity::kInfo});
}

Old infrastructure_ready(const Plan& plan, const api::Cluster& after) {
  if (plan.infrastructure.presence == Presence::NotReferred) {
    if (after.metadata.deleting()) return {};
    return old::yes(condition::kInfrastructureReady);
  }
  return of_provider(plan.infrastructure, condition::kInfrastructureReady,
                     after.status.initialization.infrastructure_provisioned.value_or(false),
                     reason::kWaitingForInfrastructure, after);
}

Old control_plane_ready(const Plan& plan, const api::Cluster& after) {
  if (plan.control_plane.presence == Presence::NotReferred) return {};
  return of_provider(plan.control_plane, condition::kControlPlaneReady,
                     after.status.initialization.control_plane_initialized.value_or(false),
                     reason::kWaitingForControlPlane, after);
}

Old control_plane_initialized(const Observation& seen, const Plan& plan, const api::Cluster& after,
                              const api::V1Beta1Conditions& list) {
  if (old::is_true(list, condition::kControlPlaneInitialized)) return {};
  if (after.status.initialization.control_plane_initialized.value_or(false))
    return old::yes(condition::kControlPlaneInitialized);
  if (plan.control_plane.presence == Presence::NotReferred) {
    if (after.metadata.deleting()) return {};
    if (has_control_plane_node(seen)) return old::yes(condition::kControlPlaneInitialized);
    return old::no(condition::kControlPlaneInitialized, reason::kMissingNodeRef, severity::kInfo,
                   "Waiting for the first control plane machine to have its status.nodeRef set");
  }
  if (!plan.control_plane.here()) return {};
  return old::no(condition::kControlPlaneInitialized, reason::kWaitingForControlPlaneProviderInitialized,
                 severity::kInfo,
                 "Waiting for control plane provider to indicate the control plane has been initialized");
}

Old topology_reconciled(const api::Cluster& after) {
  if (after.spec.topology.empty()) return {};
  if (after.metadata.deleting())
    return old::no(condition::kTopologyReconciled, reason::kDeleting, severity::kInfo);
  return old::no(condition::kTopologyReconciled, reason::kTopologyNotSupported, severity::kError,
                 kTopologyRemedy);
}

}  // namespace

void set_v1beta1_conditions(const Observation& seen, const Plan& plan, api::Cluster& after) {
  auto& list = after.status.deprecated.ensure().v1beta1.ensure().conditions;
  for (auto& wanted : {infrastructure_ready(plan, after), control_plane_ready(plan, after),
                       control_plane_initialized(seen, plan, after, list), topology_reconciled(after)}) {
    if (wanted) old::set(list, *wanted, seen.now);
  }
  const auto ready =
      old::summary(list, {.types = {condition::kControlPlaneReady, condition::kInfrastructureReady}});
  if (ready) old::set(list, *ready, seen.now);
}

std::span<const std::string_view> owned_v1beta1_conditions() {
  static constexpr std::array kOwned = {condition::kReady, condition::kInfrastructureReady,
                                        condition::kControlPlaneReady, condition::kControlPlaneInitialized,
                                        condition::kTopologyReconciled};
  return kOwned;
}

}  // namespace capstan::controllers::cluster
