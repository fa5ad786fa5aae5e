// What MachineSets say in their conditions of what holds them. Read by the reports of their
// MachineDeployment. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/machinedeployment/observation.h"

namespace capstan::controllers::machinedeployment {

// Of one set: the bullets of a condition that is True, "MachineSet x: frozen by ...". Of ScalingDown without
// Machines that only go slowly: the MachineDeployment has its own words for those.
std::vector<std::string> holds_of(const api::MachineSet& set, std::string_view type);

// Of its sets with an earlier template: why their Machines do not go.
std::vector<std::string> holds_of_old_sets(const Observation& seen);

}  // namespace capstan::controllers::machinedeployment
