// The status a MachineDeployment deserves after a turn: counters, phase, and conditions of both generations.
// Pure: nothing new is read here.
#pragma once

#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

// `base`: the deployment as it is by now; only its status is changed. `failed`: something planned could not
// be done.
api::MachineDeployment report(const Observation& seen, const Plan& plan, const api::MachineDeployment& base,
                              bool failed);

// The types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::machinedeployment
