#include "infrastructure/controller/brakes.h"

#include <fmt/core.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/freeze.h"
#include "api/policy/names.h"
#include "api/v1beta2/cluster_state.h"
#include "base/safeguards.h"

namespace capstan::infrastructure {
namespace {

struct Freeze {
  std::string why = {};  // empty: there is none
  bool creations_alone = false;
};

template <typename Owner>
Freeze freeze_on(const Owner& owner, std::string_view kind);
Brakes both(const std::string& why);

}  // namespace

Brakes brakes_of(const api::Cluster& cluster) {
  const Freeze freeze = freeze_on(cluster, api::kind::kCluster);
  if (!freeze.why.empty() && !is_off(Safeguard::Freeze)) return both(freeze.why);
  if (!is_out_of_reach(cluster) || is_off(Safeguard::ApiLoss)) return {};
  return both(fmt::format("the core does not reach the API server of Cluster {}, see its condition {}",
                          cluster.metadata.name.view(), api::condition::kRemoteConnectionProbe));
}

Brakes brakes_of(const api::Cluster& cluster, const api::MachinePool& pool) {
  Brakes brakes = brakes_of(cluster);
  const Freeze freeze = freeze_on(pool, api::kind::kMachinePool);
  if (freeze.why.empty() || is_off(Safeguard::Freeze) || !brakes.creations.empty()) return brakes;
  brakes.creations = freeze.why;
  if (!freeze.creations_alone) brakes.deletions = freeze.why;
  return brakes;
}

bool is_frozen(const api::Cluster& cluster) { return !freeze_on(cluster, api::kind::kCluster).why.empty(); }

bool is_out_of_reach(const api::Cluster& cluster) {
  return api::control_plane_initialized(cluster) &&
         !api::conditions::is_true(cluster.status.conditions, api::condition::kRemoteConnectionProbe);
}

bool changes_brakes(const runtime::Change<api::Cluster>& change) {
  return change.before && change.after && brakes_of(*change.before) != brakes_of(*change.after);
}

bool changes_brakes(const runtime::Change<api::MachinePool>& change) {
  if (!change.before || !change.after) return false;
  const auto freezes = [](const api::MachinePool& pool) {
    const Freeze freeze = freeze_on(pool, api::kind::kMachinePool);
    return std::pair(freeze.why, freeze.creations_alone);
  };
  return freezes(*change.before) != freezes(*change.after);
}

namespace {

// The annotation is there before the core has seen it, and the condition until the core has seen that the
// annotation is gone.
template <typename Owner>
Freeze freeze_on(const Owner& owner, std::string_view kind) {
  const std::string_view name = owner.metadata.name.view();
  if (api::policy::freeze_said_on(owner.metadata))
    return {.why = fmt::format("{} {} is frozen by the annotation {}; take it off", kind, name,
                               api::policy::annotation::kFreeze)};
  const auto frozen = api::conditions::find(owner.status.conditions, api::policy::condition::kFrozen);
  if (frozen == nullptr || frozen->status != api::status::kTrue) return {};
  return {.why = fmt::format("{} {} is frozen, see its condition {}: {}", kind, name,
                             api::policy::condition::kFrozen, frozen->message.view()),
          .creations_alone = frozen->reason == api::policy::reason::kOvershooting};
}

Brakes both(const std::string& why) { return {.creations = why, .deletions = why}; }

}  // namespace
}  // namespace capstan::infrastructure
