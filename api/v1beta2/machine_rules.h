// Defaults and cross-field rules of Machine (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/machine.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(Machine& now, const Machine* before);
Causes validate(const Machine& now, const Machine* before, const Gates& gates = {});

}  // namespace capstan::api
