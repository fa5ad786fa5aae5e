// Every name of our own policy kinds and of what they make controllers say: kinds, condition types, reasons.
// Constants only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::api::policy {

inline constexpr std::string_view kGroup = "policy.capstan.dev";
inline constexpr std::string_view kVersion = "v1alpha1";
// The name of its CustomResourceDefinition: where it is not installed there are no policies.
inline constexpr std::string_view kLifecyclePolicyCrd = "machinelifecyclepolicies.policy.capstan.dev";

namespace kind {
inline constexpr std::string_view kMachineLifecyclePolicy = "MachineLifecyclePolicy";
}  // namespace kind

// Of a MachineLifecyclePolicy.
namespace condition {
inline constexpr std::string_view kSelecting = "Selecting";
inline constexpr std::string_view kConflicting = "Conflicting";
}  // namespace condition

namespace reason {
inline constexpr std::string_view kSelected = "Selected";
inline constexpr std::string_view kNothingSelected = "NothingSelected";
inline constexpr std::string_view kInvalidSelector = "InvalidSelector";
inline constexpr std::string_view kConflicting = "Conflicting";
inline constexpr std::string_view kNotConflicting = "NotConflicting";
// Of RemediationAllowed on a MachineHealthCheck: a path or a zone broke, and not the machines.
inline constexpr std::string_view kSharedCause = "SharedCause";
}  // namespace reason

}  // namespace capstan::api::policy
