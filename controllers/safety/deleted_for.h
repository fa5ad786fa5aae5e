// The annotation with which a MachineSet under a policy says on a Machine, before it deletes it, why it does.
// One that is being deleted without it, and without a grant to be replaced or of the FleetPolicy, was deleted
// by a user: no brake holds its drain. Constants and a look; pure.
#pragma once

#include <string_view>

#include "api/policy/names.h"
#include "api/v1beta2/machine.h"

namespace capstan::controllers::safety {

inline constexpr std::string_view kDeletedFor = "capstan.dev/deleted-for";

inline bool is_deleted_by_a_controller(const api::Machine& machine) {
  const auto& annotations = machine.metadata.annotations;
  return annotations.contains(kDeletedFor) ||
         annotations.contains(api::policy::annotation::kReplacementGranted) ||
         annotations.contains(api::policy::annotation::kFleetGrant);
}

}  // namespace capstan::controllers::safety
