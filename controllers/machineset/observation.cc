#include "controllers/machineset/observation.h"

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"

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

}  // namespace capstan::controllers::machineset
