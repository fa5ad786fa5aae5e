// What the schema of CloudConfig and CloudConfigTemplate can't say (api/v1beta2/rules.h); they have no
// defaults. Used by webhooks. Pure functions.
#pragma once

#include "api/bootstrap/cloud_config.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Causes validate(const CloudConfig& now, const CloudConfig* before, const Gates& gates = {});
Causes validate(const CloudConfigTemplate& now, const CloudConfigTemplate* before, const Gates& gates = {});

}  // namespace capstan::api
