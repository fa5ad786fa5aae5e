#include "controllers/cluster/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "controllers/cluster/connection_probe.h"
#include "controllers/cluster/deletion.h"
#include "controllers/cluster/descendant_conditions.h"
#include "controllers/cluster/ownership.h"
#include "controllers/shared/pause.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::cluster {
namespace {

// Before a provider's object has an owner reference nothing tells us of it, nor of its definition; nor that
// one is another Cluster's no more.
constexpr Seconds kMissingRecheck{30};
// What the caches owe us arrives by itself; this is for the day it does not.
constexpr Seconds kStaleRecheck{5};
constexpr Nanoseconds kLoadingRecheck = std::chrono::milliseconds(200);

void own(const Observation& seen, const Referred& referred, Role role, Plan& plan) {
  if (referred.wanted && !referred.object) recheck_within(plan.recheck, kMissingRecheck);
  if (!referred.object || referred.object->metadata.deleting()) return;
  const api::ObjectMeta& present = referred.object->metadata;
  api::ObjectMeta owned = marked_ours(*seen.cluster, present);
  if (owned == present) return;
  plan.actions.emplace_back(OwnProvider{.role = role, .from = present, .to = std::move(owned)});
}

bool writes_endpoint(const Plan& plan) {
  return std::ranges::any_of(
      plan.actions, [](const Action& action) { return std::holds_alternative<WriteEndpoint>(action); });
}

// The provider that knows the endpoint first sets it; later changes are the user's to make.
void take_endpoint(const Observation& seen, const Provider& provider, Plan& plan) {
  const api::ApiEndpoint& present = seen.cluster->spec.control_plane_endpoint;
  if (writes_endpoint(plan) || present.valid()) return;
  if (provider.endpoint && provider.endpoint->valid())
    plan.actions.emplace_back(WriteEndpoint{.from = present, .to = *provider.endpoint});
}

void provision(const Observation& seen, Plan& plan) {
  const auto& cluster = *seen.cluster;
  const Provider& provider = plan.infrastructure;
  const bool before = cluster.status.initialization.infrastructure_provisioned.value_or(false);
  plan.infrastructure_provisioned = before;
  if (provider.presence == Presence::NotReferred) {
    plan.infrastructure_provisioned = before || !cluster.metadata.deleting();
    return;
  }
  if (!provider.here() || provider.deleting || !(provider.done || before)) return;
  take_endpoint(seen, provider, plan);
  plan.infrastructure_provisioned = true;
  if (before) return;
  plan.notes.push_back({.code = api::NoteCode::InfrastructureReady,
                        .text = fmt::format("Cluster {} InfrastructureProvisioned is now True",
                                            cluster.metadata.name.view())});
}

void initialize(const Observation& seen, Plan& plan) {
  const auto& cluster = *seen.cluster;
  const Provider& provider = plan.control_plane;
  const bool before = cluster.status.initialization.control_plane_initialized.value_or(false);
  plan.control_plane_initialized = before;
  if (!provider.here() || provider.deleting || !(provider.done || before)) return;
  take_endpoint(seen, provider, plan);
  plan.control_plane_initialized = true;
  if (before) return;
  plan.notes.push_back(
      {.code = api::NoteCode::ControlPlaneInitialized,
       .text = fmt::format("Cluster {} ControlPlaneInitialized is now True", cluster.metadata.name.view())});
}

void keep_kubeconfig(const Observation& seen, Plan& plan) {
  const auto& spec = seen.cluster->spec;
  if (spec.control_plane_ref) return;
  if (!spec.control_plane_endpoint.valid() && !writes_endpoint(plan)) return;
  // Of a copied manifest: the endpoint is that of the other Cluster's control plane.
  if (plan.infrastructure.presence == Presence::OfAnother && !plan.infrastructure_provisioned) return;
  plan.actions.emplace_back(KeepKubeconfig{});
}

// What depends on which objects there are.
bool needs_fresh_caches(const Action& action) {
  return std::holds_alternative<KeepKubeconfig>(action) || std::holds_alternative<DeleteChild>(action) ||
         std::holds_alternative<DeleteProvider>(action) || std::holds_alternative<DropFinalizer>(action);
}

}  // namespace

Plan decide(const Observation& seen) {
  const auto& cluster = *seen.cluster;
  Plan plan;
  if (seen.loading) {
    plan.too_early = kLoadingRecheck;
    return plan;
  }
  plan.pause = pause_of(&cluster, cluster.metadata, api::kind::kCluster);
  if (!cluster.metadata.deleting() && !cluster.metadata.has_finalizer(api::finalizer::kCluster))
    plan.actions.emplace_back(AddFinalizer{});
  if (plan.pause.paused) return plan;

  plan.infrastructure = read_infrastructure(seen.infrastructure);
  plan.control_plane = read_control_plane(seen.control_plane);
  provision(seen, plan);
  initialize(seen, plan);
  own(seen, seen.infrastructure, Role::Infrastructure, plan);
  own(seen, seen.control_plane, Role::ControlPlane, plan);
  if (cluster.metadata.deleting()) {
    decide_deletion(seen, plan);
  } else {
    keep_kubeconfig(seen, plan);
  }
  recheck_within(plan.recheck, when_probe_turns(seen.reach, seen.now, seen.connection_grace));
  recheck_within(plan.recheck, until_all_are_judged(seen));
  if (!seen.fresh) {
    std::erase_if(plan.actions, needs_fresh_caches);
    recheck_within(plan.recheck, kStaleRecheck);
  }
  return plan;
}

}  // namespace capstan::controllers::cluster
