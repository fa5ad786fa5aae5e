// Every name that belongs to the FleetPolicy: the one object of it that counts, what its conditions say, and
// why Machines are deleted. Constants only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::api::policy {

// Where its CustomResourceDefinition is not installed the fleet has no limits.
inline constexpr std::string_view kFleetPolicyCrd = "fleetpolicies.policy.capstan.dev";
// The one that counts; any other is ignored, and says so.
inline constexpr std::string_view kFleetPolicyName = "fleet";

namespace kind {
inline constexpr std::string_view kFleetPolicy = "FleetPolicy";
}  // namespace kind

// Why a Machine is deleted.
namespace deletion {
inline constexpr std::string_view kRemediation = "Remediation";
inline constexpr std::string_view kRollout = "Rollout";
inline constexpr std::string_view kScaleIn = "ScaleIn";
inline constexpr std::string_view kPreservationEnded = "PreservationEnded";
// Of a VM that no object has.
inline constexpr std::string_view kOrphans = "Orphans";
}  // namespace deletion

namespace condition {
// Of a FleetPolicy: whether it is the one that counts.
inline constexpr std::string_view kApplied = "Applied";
// Of a FleetPolicy: deletions wait for a place in its limits.
inline constexpr std::string_view kLimiting = "Limiting";
}  // namespace condition

namespace reason {
inline constexpr std::string_view kApplied = "Applied";
inline constexpr std::string_view kIgnored = "Ignored";
inline constexpr std::string_view kLimitReached = "LimitReached";
inline constexpr std::string_view kLimitReadsNothing = "InvalidLimit";
inline constexpr std::string_view kNoneWaits = "NoneWaits";
}  // namespace reason

}  // namespace capstan::api::policy
