// The conditions of a MachinePool, of both generations. What they say is word for word upstream's where
// upstream says it, because people and programs read it. Pure.
#pragma once

#include "controllers/machinepool/effects.h"

namespace capstan::controllers::machinepool {

// Sees the status with its counters already in place.
void set_conditions(const Observation& seen, const Plan& plan, const Effects& effects,
                    api::MachinePool& after);
void set_v1beta1_conditions(const Observation& seen, const Plan& plan, api::MachinePool& after);

// When MachinesReady, which a manager that has just started leaves as it found it, becomes Unknown because
// its cluster still can't be reached.
std::optional<Seconds> when_nodes_are_given_up(const Observation& seen);

// Why the list of instances can't be believed, on InfrastructureReady.
inline constexpr std::string_view kInvalidProviderIdList = "InvalidProviderIDList";
// spec.replicas is no number of instances, on Available, ScalingUp and ScalingDown.
inline constexpr std::string_view kInvalidReplicas = "InvalidReplicas";
// Several Nodes have one providerID, on MachinesReady.
inline constexpr std::string_view kDuplicateNodes = "DuplicateNodes";

}  // namespace capstan::controllers::machinepool
