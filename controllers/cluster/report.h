// The status a Cluster deserves after a turn: phase, flags, counters, conditions of both generations. Pure:
// nothing new is read here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "controllers/cluster/effects.h"
#include "controllers/cluster/plan.h"

namespace capstan::controllers::cluster {

// On top of `effects.cluster`.
api::Cluster report(const Observation& seen, const Plan& plan, const Effects& effects);

// What the new status means for Events: a new phase, a provider object that can't be read or that
// another Cluster owns.
std::vector<Note> news(const api::Cluster& before, const api::Cluster& after);

// The condition types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::cluster
