// What is to become of a Machine, apart from its deletion: what to write on it, on the provider's objects and
// on its Node, and what users should hear. Pure functions; act.h does it, report.h turns it into conditions.
#pragma once

#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

Plan decide(const Observation& seen, const Settings& settings);

// "Nodes a, b have the same spec.providerID ...": for the condition and the Event.
std::string duplicate_nodes(const Observation& seen);

inline constexpr std::string_view kClusterMissingEvent = "ClusterNotFound";
inline constexpr std::string_view kReferenceEvent = "InvalidReference";
// Reasons of NodeReady and NodeHealthy, and of an Event: other objects claim the Machine's providerID.
inline constexpr std::string_view kInstanceOfAnother = "InstanceOfAnother";
inline constexpr std::string_view kInstanceContested = "InstanceContested";
std::string_view reason_of(const claims::Verdict& verdict);

}  // namespace capstan::controllers::machine
