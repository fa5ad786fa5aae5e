// The status a CloudConfig deserves after a turn. Pure: nothing new is read here.
#pragma once

#include "bootstrap/controller/act.h"
#include "bootstrap/controller/decide.h"

namespace capstan::bootstrap::controller {

api::CloudConfig report(const Observation& seen, const Plan& plan, const Effects& effects);

}  // namespace capstan::bootstrap::controller
