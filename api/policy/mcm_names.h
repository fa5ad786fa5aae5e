// Keys of Gardener's machine-controller-manager that are read in the place of ours where the manager was
// started with --mcm-aliases (controllers/lifecycle/aliases.h). Constants only, safe everywhere.
#pragma once

#include <string_view>

namespace capstan::api::policy::mcm {

// Labels: of a Machine, and of a MachineSet or MachineDeployment.
inline constexpr std::string_view kForceDeletion = "force-deletion";
// "True", in these letters: drains that are no deletions are by force. No key of ours says that.
inline constexpr std::string_view kForceDrain = "force-drain";
inline constexpr std::string_view kForceDrainValue = "True";
inline constexpr std::string_view kFreeze = "freeze";
// Annotations of a Machine.
inline constexpr std::string_view kMachinePriority = "machinepriority.machine.sapcloud.io";
inline constexpr std::string_view kEffectiveCreationTimeout =
    "node.machine.sapcloud.io/effective-creation-timeout";
// Of a Machine or its Node.
inline constexpr std::string_view kPreserve = "node.machine.sapcloud.io/preserve";
inline constexpr std::string_view kAutoPreservedValue = "auto-preserved";
// Annotation of a MachineDeployment or MachineSet; of a Node it means another thing, see names.h.
inline constexpr std::string_view kVictims = "node.machine.sapcloud.io/trigger-deletion-by-mcm";
// Annotations of a Node.
inline constexpr std::string_view kScaleDownDisabledByMcm =
    "cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm";
inline constexpr std::string_view kNotManaged = "node.machine.sapcloud.io/not-managed-by-mcm";
inline constexpr std::string_view kUpdateFailedReason = "node.machine.sapcloud.io/update-failed-reason";
// Labels of a Node.
inline constexpr std::string_view kSelectedForUpdate = "node.machine.sapcloud.io/selected-for-update";
inline constexpr std::string_view kUpdateResult = "node.machine.sapcloud.io/update-result";

}  // namespace capstan::api::policy::mcm
