#include "controllers/rollout/rollback.h"

#include <algorithm>

#include "controllers/rollout/revision.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::rollout {
namespace {

constexpr std::int64_t kLastRevision = 0;

bool makes_others(const api::MachineSet& set, const api::MachineDeployment& deployment) {
  return !differences(set.spec.machine_template, deployment.spec.machine_template).empty();
}

}  // namespace

SetSnapshot set_to_go_back_to(std::string_view wanted, const api::MachineDeployment& deployment,
                              std::span<const SetSnapshot> sets) {
  const auto revision = parse_revision(wanted);
  if (!revision) return nullptr;
  SetSnapshot found;
  for (const SetSnapshot& set : sets) {
    const auto own = revision_of(*set);
    if (!own || set->metadata.deleting()) continue;
    const bool fits = *revision == kLastRevision ? makes_others(*set, deployment) : *own == *revision;
    if (fits && (!found || *own > revision_of(*found))) found = set;
  }
  return found;
}

api::MachineTemplate rolled_back(const api::MachineTemplate& present, const api::MachineTemplate& earlier) {
  api::MachineTemplate after = present;
  after.spec = earlier.spec;
  carry_over(present.spec, after.spec);
  keep_rollout_hash(earlier, after);
  return after;
}

}  // namespace capstan::controllers::rollout
