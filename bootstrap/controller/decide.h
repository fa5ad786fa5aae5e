// What is to become of a CloudConfig: the text of its data Secret, or why there is none yet. Pure.
#pragma once

#include "bootstrap/controller/observation.h"
#include "bootstrap/controller/plan.h"

namespace capstan::bootstrap::controller {

Plan decide(const Observation& seen);

}  // namespace capstan::bootstrap::controller
