// Which conditions of Machines change in a turn of a check, and which remediation requests are made and
// withdrawn: the part of decide.h that comes after the verdicts. Pure.
#pragma once

#include "controllers/machinehealthcheck/plan.h"

namespace capstan::controllers::machinehealthcheck {

// `plan` has all but its actions of Machines.
void decide_marks(const Observation& seen, Plan& plan);

}  // namespace capstan::controllers::machinehealthcheck
