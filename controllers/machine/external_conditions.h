// BootstrapConfigReady and InfrastructureReady of a Machine, and their older twins: the Ready condition of
// the provider's object, or why there is none. Pure functions.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

// `after`: the Machine with the values of this turn. Nothing: as it was.
std::optional<api::Condition> bootstrap_config_ready(const Observation& seen, const Plan& plan,
                                                     const api::Machine& after);
std::optional<api::Condition> infrastructure_ready(const Observation& seen, const Plan& plan,
                                                   const api::Machine& after);

std::optional<api::V1Beta1Condition> v1beta1_bootstrap_ready(const Observation& seen, const Plan& plan);
std::optional<api::V1Beta1Condition> v1beta1_infrastructure_ready(const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machine
