#include "controllers/cluster/provider_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/conditions/mirror.h"
#include "api/names.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
namespace conditions = api::conditions;
namespace reason = api::reason;
namespace status = api::status;

struct Mirrored {
  std::string_view source = {};
  std::string_view target = {};
  std::string_view good = {};  // reasons while the provider has no condition of its own
  std::string_view bad = {};
  std::string_view flag = {};
  bool flag_is_set = false;  // in the Cluster's status
};

api::Condition gone(const Provider& provider, const Mirrored& what, bool cluster_deleting) {
  if (!what.flag_is_set)
    return conditions::make(what.target, status::kFalse, reason::kObjectDoesNotExist,
                            provider.kind + " does not exist");
  return conditions::make(
      what.target, status::kFalse, reason::kObjectDeleted,
      provider.kind +
          (cluster_deleting ? " has been deleted" : " has been deleted while the cluster still exists"));
}

api::Condition mirrored(const Provider& provider, const Mirrored& what) {
  if (!provider.condition_problem.empty())
    return conditions::make(what.target, status::kUnknown, reason::kInvalidConditionReported,
                            provider.condition_problem);
  if (!what.flag_is_set && !provider.outdated.empty())
    return conditions::make(what.target, status::kFalse, what.bad, provider.outdated);
  const conditions::Fallback fallback =
      what.flag_is_set
          ? conditions::Fallback{.status = status::kTrue, .reason = what.good}
          : conditions::Fallback{.status = status::kFalse,
                                 .reason = what.bad,
                                 .message = fmt::format("{} {} is false", provider.kind, what.flag)};
  const auto* source = provider.condition ? &*provider.condition : nullptr;
  api::Condition shown = conditions::mirror(source, what.source, what.target, fallback);
  if (shown.status == status::kTrue && shown.reason == reason::kNoReasonReported)
    shown.reason = Text(what.good);
  return shown;
}

api::Condition with_also_owned(api::Condition shown, const Provider& provider) {
  if (provider.also_owned.empty()) return shown;
  const std::string before = shown.message.str();
  shown.message = FreeText(before.empty() ? provider.also_owned : before + "; " + provider.also_owned);
  return shown;
}

api::Condition of_provider(const Provider& provider, const Mirrored& what, bool cluster_deleting) {
  switch (provider.presence) {
    case Presence::Present: return with_also_owned(mirrored(provider, what), provider);
    case Presence::Missing: return gone(provider, what, cluster_deleting);
    case Presence::Unreadable:
      return conditions::make(what.target, status::kUnknown, reason::kInternalError, provider.problem);
    case Presence::OfAnother:
      return conditions::make(what.target, status::kFalse, reason::kBelongsToAnotherCluster,
                              provider.problem);
    case Presence::NotReferred: break;
  }
  return conditions::make(what.target, status::kTrue, what.good);
}

api::Condition not_initialized(std::string_view message) {
  return conditions::make(condition::kControlPlaneInitialized, status::kFalse, reason::kNotInitialized,
                          message);
}

api::Condition initialized() {
  return conditions::make(condition::kControlPlaneInitialized, status::kTrue, reason::kInitialized);
}

}  // namespace

api::Condition infrastructure_ready(const api::Cluster& after, const Plan& plan) {
  return of_provider(plan.infrastructure,
                     {.source = condition::kReady,
                      .target = condition::kInfrastructureReady,
                      .good = reason::kReady,
                      .bad = reason::kNotReady,
                      .flag = "status.initialization.provisioned",
                      .flag_is_set = after.status.initialization.infrastructure_provisioned.value_or(false)},
                     after.metadata.deleting());
}

std::optional<api::Condition> control_plane_available(const api::Cluster& after, const Plan& plan) {
  if (plan.control_plane.presence == Presence::NotReferred) return std::nullopt;
  return of_provider(plan.control_plane,
                     {.source = condition::kAvailable,
                      .target = condition::kControlPlaneAvailable,
                      .good = reason::kAvailable,
                      .bad = reason::kNotAvailable,
                      .flag = "status.initialization.controlPlaneInitialized",
                      .flag_is_set = after.status.initialization.control_plane_initialized.value_or(false)},
                     after.metadata.deleting());
}

bool has_control_plane_node(const Observation& seen) {
  return std::ranges::any_of(seen.descendants.control_plane_machines, [](const auto& machine) {
    return machine->status.node_ref && !machine->metadata.deleting();
  });
}

std::optional<api::Condition> control_plane_initialized(const Observation& seen, const api::Cluster& after,
                                                        const Plan& plan) {
  if (conditions::is_true(after.status.conditions, condition::kControlPlaneInitialized)) return std::nullopt;
  const Provider& provider = plan.control_plane;
  if (after.status.initialization.control_plane_initialized.value_or(false)) return initialized();
  switch (provider.presence) {
    case Presence::NotReferred:
      if (has_control_plane_node(seen)) return initialized();
      return not_initialized("Waiting for the first control plane machine to have status.nodeRef set");
    case Presence::Missing:
      return conditions::make(condition::kControlPlaneInitialized, status::kUnknown,
                              reason::kObjectDoesNotExist, provider.kind + " does not exist");
    case Presence::Unreadable:
      return conditions::make(condition::kControlPlaneInitialized, status::kUnknown, reason::kInternalError,
                              provider.problem);
    case Presence::OfAnother:
      return conditions::make(condition::kControlPlaneInitialized, status::kFalse,
                              reason::kBelongsToAnotherCluster, provider.problem);
    case Presence::Present: break;
  }
  return not_initialized(provider.outdated.empty() ? "Control plane not yet initialized"
                                                   : std::string_view(provider.outdated));
}

}  // namespace capstan::controllers::cluster
