// Defaults and cross-field rules of Cluster (see rules.h). Pure functions.
#pragma once

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

Result<void> apply_defaults(Cluster& now, const Cluster* before);
Causes validate(const Cluster& now, const Cluster* before, const Gates& gates = {});

}  // namespace capstan::api
