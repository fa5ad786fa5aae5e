// The status of a MachineHealthCheck after a turn. Pure: nothing new is read here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/plan.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::machinehealthcheck {

// On top of `effects.check`.
api::MachineHealthCheck report(const Observation& seen, const Plan& plan, const Effects& effects);

// Reason of RemediationAllowed while the Cluster of the check does not exist.
inline constexpr std::string_view kClusterMissing = "ClusterNotFound";
// For Events, all of them warnings: remediation that is held back, limits that make no sense, a check that
// selects nothing or what another one selects, a template that is missing.
std::vector<Note> news(const Plan& plan, const api::MachineHealthCheck& before,
                       const api::MachineHealthCheck& after);

// The condition types this controller answers for.
std::span<const std::string_view> owned_conditions();
std::span<const std::string_view> owned_v1beta1_conditions();

}  // namespace capstan::controllers::machinehealthcheck
