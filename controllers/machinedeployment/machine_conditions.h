// Conditions of a MachineDeployment that sum up its Machines. Messages are those users know from upstream.
// Pure.
#pragma once

#include "api/meta/condition.h"
#include "controllers/machinedeployment/plan.h"

namespace capstan::controllers::machinedeployment {

api::Condition machines_ready(const Observation& seen);
api::Condition machines_up_to_date(const Observation& seen);
api::Condition rolling_out(const Observation& seen, const Plan& plan);
api::Condition remediating(const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machinedeployment
