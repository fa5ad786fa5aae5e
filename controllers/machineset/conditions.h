// The conditions of a MachineSet, one function each; what they say is word for word upstream's where upstream
// says it, because people and programs read it. Pure.
#pragma once

#include "api/meta/condition.h"
#include "controllers/machineset/effects.h"
#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

api::Condition scaling_up(const Observation& seen, const Plan& plan, const Effects& effects);
api::Condition scaling_down(const Observation& seen, const Plan& plan);
api::Condition machines_ready(const Observation& seen);
api::Condition machines_up_to_date(const Observation& seen);
api::Condition remediating(const Observation& seen, const Plan& plan);
api::Condition deleting(const Observation& seen);

// So long a new Machine may do without the condition UpToDate before it counts as unknown.
inline constexpr Seconds kUpToDateGrace{10};

// Those of the older generation, set in `status`; what nothing is known about stays as it was.
void set_v1beta1_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                            api::V1Beta1MachineSetStatus& status);

}  // namespace capstan::controllers::machineset
