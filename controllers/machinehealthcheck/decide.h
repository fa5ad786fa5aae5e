// Which targets are unhealthy, which are well, and whether the unhealthy ones may be remediated. Pure.
#pragma once

#include "controllers/machinehealthcheck/plan.h"

namespace capstan::controllers::machinehealthcheck {

Plan decide(const Observation& seen);

// The label and the owner reference a check carries.
api::ObjectMeta owned_metadata(const api::MachineHealthCheck& check, const api::Cluster& cluster);

}  // namespace capstan::controllers::machinehealthcheck
