#include "controllers/cluster/report.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "controllers/cluster/cluster_conditions.h"
#include "controllers/cluster/conditions_v1beta1.h"
#include "controllers/cluster/counters.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
namespace phase = api::cluster_phase;

void show_pause(const Observation& seen, const Plan& plan, api::Cluster& after) {
  auto verdict =
      runtime::judge_pause(plan.pause, after.status.conditions, after.metadata.generation, seen.now);
  after.status.conditions = std::move(verdict.conditions);
}

void show_flags(const Plan& plan, api::Cluster& after) {
  auto& flags = after.status.initialization;
  if (plan.infrastructure_provisioned) flags.infrastructure_provisioned = true;
  if (plan.control_plane_initialized) flags.control_plane_initialized = true;
}

// A list we read stands for itself; while the infrastructure can't be read the last one does.
void show_failure_domains(const Plan& plan, api::Cluster& after) {
  const Provider& provider = plan.infrastructure;
  if (!provider.here() || provider.deleting || !plan.infrastructure_provisioned) return;
  after.status.failure_domains = api::List<api::FailureDomain>(provider.failure_domains);
}

// Set once, never cleared, and no controller acts upon it; old clients look for it.
void show_failures(const Provider& provider, api::Cluster& after) {
  if (!provider.failures.any()) return;
  auto& old = after.status.deprecated.ensure().v1beta1.ensure();
  if (!provider.failures.reason.empty()) old.failure_reason = Text(provider.failures.reason);
  if (!provider.failures.message.empty()) {
    old.failure_message = FreeText(fmt::format("Failure detected from referenced resource {}: {}",
                                               provider.described, provider.failures.message));
  }
}

std::string_view phase_of(const api::Cluster& cluster) {
  if (cluster.metadata.deleting()) return phase::kDeleting;
  const bool provisioned = cluster.status.initialization.infrastructure_provisioned.value_or(false);
  if (provisioned && cluster.spec.control_plane_endpoint.valid()) return phase::kProvisioned;
  if (cluster.spec.infrastructure_ref || cluster.spec.control_plane_ref) return phase::kProvisioning;
  return cluster.status.phase.empty() ? phase::kPending : cluster.status.phase.view();
}

// Unreadable, or another Cluster's.
bool became_useless(const api::Cluster& before, const api::ConditionView& after) {
  if (after.reason != api::reason::kInternalError && after.reason != api::reason::kBelongsToAnotherCluster)
    return false;
  const auto known = api::conditions::find(before.status.conditions, after.type);
  return known == nullptr || known->reason != after.reason || known->message != after.message;
}

}  // namespace

api::Cluster report(const Observation& seen, const Plan& plan, const Effects& effects) {
  api::Cluster after = effects.cluster;
  show_pause(seen, plan, after);
  if (plan.pause.paused) return after;
  show_flags(plan, after);
  show_failure_domains(plan, after);
  show_failures(plan.infrastructure, after);
  show_failures(plan.control_plane, after);
  after.status.phase = Text(phase_of(after));
  count_replicas(seen, after);
  set_conditions(seen, plan, effects, after);
  set_v1beta1_conditions(seen, plan, after);
  if (effects.errors.empty()) after.status.observed_generation = after.metadata.generation;
  return after;
}

std::vector<Note> news(const api::Cluster& before, const api::Cluster& after) {
  std::vector<Note> notes;
  if (after.status.phase != before.status.phase) {
    notes.push_back(
        {.about = after.status.phase.str(),
         .code = api::NoteCode::PhaseChanged,
         .text = fmt::format("Cluster {} is {}", after.metadata.name.view(), after.status.phase.view())});
  }
  for (const std::string_view type : {condition::kInfrastructureReady, condition::kControlPlaneAvailable}) {
    const auto now = api::conditions::find(after.status.conditions, type);
    if (now == nullptr || !became_useless(before, *now)) continue;
    notes.push_back({.code = api::NoteCode::UselessProvider, .text = now->message.str()});
  }
  return notes;
}

}  // namespace capstan::controllers::cluster
