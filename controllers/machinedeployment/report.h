// The status a MachineDeployment deserves after a turn: counters, phase, and conditions of both generations.
// Pure: nothing new is read here.
#pragma once

#include "controllers/machinedeployment/effects.h"
#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

api::MachineDeployment report(const Observation& seen, const Plan& plan, const Effects& effects);

// The types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::machinedeployment
