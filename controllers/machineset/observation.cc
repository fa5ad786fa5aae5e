#include "controllers/machineset/observation.h"

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::machineset {

std::int32_t Observation::finished() const {
  return static_cast<std::int32_t>(std::ssize(machines) -
                                   std::ranges::count_if(unsettled, &UnsettledMachine::unfinished));
}

bool Observation::orphaning() const {
  return deleting() && stored->metadata.has_finalizer(api::finalizer::kOrphan) &&
         !is_off(Safeguard::OrphanFinalizer);
}

bool Observation::outdated() const {
  if (!deployment) return false;
  return deployment->metadata.annotations.value_or_empty(api::annotation::kRevision) !=
         stored->metadata.annotations.value_or_empty(api::annotation::kRevision);
}

bool Observation::is_rolled_away() const {
  if (!deployment || deployment->spec.paused.value_or(false)) return outdated();
  return outdated() ||
         !rollout::differences(set.spec.machine_template, deployment->spec.machine_template).empty();
}

}  // namespace capstan::controllers::machineset
