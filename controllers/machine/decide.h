// What is to become of a Machine, apart from its deletion: what to write on it, on the provider's objects and
// on its Node, and what users should hear. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "controllers/machine/plan.h"

namespace capstan::controllers::machine {

Plan decide(const Observation& seen);

// "Nodes a, b have the same spec.providerID ...": for the condition and the Event.
std::string duplicate_nodes(const Observation& seen);

// Reason of NodeReady and NodeHealthy when other objects claim the Machine's providerID.
std::string_view reason_of(const claims::Verdict& verdict);

}  // namespace capstan::controllers::machine
