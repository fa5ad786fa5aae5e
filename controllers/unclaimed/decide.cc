#include "controllers/unclaimed/decide.h"

#include <fmt/format.h>

#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::unclaimed {
namespace {

std::string why_unclaimed(const NodeSeen& seen) {
  const std::string_view id = seen.node->spec.provider_id;
  if (!seen.namesake.empty())
    return fmt::format("stale: {} goes by its name, and has another providerID than {}", seen.namesake,
                       id.empty() ? "none" : id);
  if (id.empty()) return "it has no spec.providerID";
  return fmt::format("no Machine and no MachinePool has the providerID {}", id);
}

// machine-controller-manager has found the same before: there is nothing to wait for.
bool is_marked_by_mcm(const api::NodeMeta& node) {
  return lifecycle::accepts_mcm_aliases() && node.annotations.contains(api::policy::mcm::kNotManaged);
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan;
  for (const NodeSeen& each : seen.nodes) {
    const api::NodeMeta& metadata = each.node->metadata;
    if (metadata.deleting()) continue;
    const Text* mark = metadata.annotations.find(api::policy::annotation::kNotManaged);
    const Seconds left = metadata.creation_timestamp + seen.patience - seen.now;
    const bool by_mcm = is_marked_by_mcm(metadata);
    if (each.claimed || !seen.governed) {
      if (mark != nullptr || (by_mcm && each.claimed))
        plan.marks.push_back({.node = each.node, .claimed = each.claimed, .by_mcm = by_mcm && each.claimed});
    } else if (left > Seconds(0) && !by_mcm) {
      recheck_within(plan.recheck, left);
    } else if (std::string why = why_unclaimed(each); mark == nullptr || *mark != why) {
      plan.marks.push_back({.node = each.node, .why = std::move(why)});
    }
  }
  return plan;
}

}  // namespace capstan::controllers::unclaimed
