// What the two provider objects make of the Cluster's conditions: InfrastructureReady,
// ControlPlaneAvailable, ControlPlaneInitialized. Pure.
#pragma once

#include <optional>

#include "api/meta/condition.h"
#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

api::Condition infrastructure_ready(const api::Cluster& after, const Plan& plan);
// Nothing without a control plane object: then Machines tell how the control plane is.
std::optional<api::Condition> control_plane_available(const api::Cluster& after, const Plan& plan);
// Nothing: True already, and that stays.
std::optional<api::Condition> control_plane_initialized(const Observation& seen, const api::Cluster& after,
                                                        const Plan& plan);

// Any Machine of the control plane has its Node, and is there to stay.
bool has_control_plane_node(const Observation& seen);

}  // namespace capstan::controllers::cluster
