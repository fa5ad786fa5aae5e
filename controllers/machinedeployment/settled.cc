#include "controllers/machinedeployment/settled.h"

#include "api/names.h"

namespace capstan::controllers::machinedeployment {

bool is_settled(const api::MachineSet& set) {
  return set.metadata.annotations.contains(api::annotation::kPaused) ||
         set.status.observed_generation >= set.metadata.generation;
}

}  // namespace capstan::controllers::machinedeployment
