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

namespace condition {
// Of a MachineLifecyclePolicy.
inline constexpr std::string_view kSelecting = "Selecting";
inline constexpr std::string_view kConflicting = "Conflicting";
inline constexpr std::string_view kHealthCheckOverlap = "HealthCheckOverlap";
// Of a MachineLifecyclePolicy one of whose objects is frozen.
inline constexpr std::string_view kSomeFrozen = "Frozen";
// Of a MachineDeployment, MachineSet, MachinePool or Cluster that a person or a count has frozen.
inline constexpr std::string_view kFrozen = "capstan.dev/Frozen";
// Of a Machine that a policy governs.
inline constexpr std::string_view kLifecycle = "capstan.dev/Lifecycle";
// Of a MachineDeployment whose policy has `rollout`. Its transition time is the moment of the last progress.
inline constexpr std::string_view kProgressing = "capstan.dev/Progressing";
// Of a Machine that is preserved, or for which that was asked; of its Node, where the policy drains it.
inline constexpr std::string_view kPreserved = "capstan.dev/Preserved";
}  // namespace condition

// What users say with annotations, and what controllers note in them.
namespace annotation {
// On a Machine: seconds, instead of those of the policy.
inline constexpr std::string_view kHealthTimeout = "capstan.dev/health-timeout-seconds";
inline constexpr std::string_view kCreationTimeout = "capstan.dev/creation-timeout-seconds";
// On a Machine: a whole number, the lowest goes first when fewer are wanted.
inline constexpr std::string_view kDeletionPriority = "capstan.dev/deletion-priority";
// On a Machine, "true": it is replaced now, within replacement.maxInFlight. Means the same on its Node.
inline constexpr std::string_view kReplace = "capstan.dev/replace";
// On a Node: what machine-controller-manager calls it.
inline constexpr std::string_view kTriggerDeletion = "node.machine.sapcloud.io/trigger-deletion-by-mcm";
// On a Machine, or a label of it, "true": when it is deleted its Pods are deleted, too, and not evicted.
inline constexpr std::string_view kForceDeletion = "capstan.dev/force-deletion";
// On a Machine: seconds, instead of spec.deletion.nodeDrainTimeoutSeconds.
inline constexpr std::string_view kDrainTimeout = "capstan.dev/drain-timeout-seconds";
// On a MachineDeployment or MachineSet: "name~time,name~time", Machines that go whatever the replicas are.
inline constexpr std::string_view kVictims = "capstan.dev/victims";
// On a Machine: it may be replaced for what it has been suffering from since this time.
inline constexpr std::string_view kReplacementGranted = "capstan.dev/replacement-granted";
// On a MachineDeployment: the number of the revision whose template it gets; 0: the last one.
inline constexpr std::string_view kRollbackTo = "capstan.dev/rollback-to";
// In a Machine template: another value needs other Machines.
inline constexpr std::string_view kRolloutHash = "capstan.dev/rollout-hash";
// On a Machine or its Node: now, when-failed or false; the Node's wins.
inline constexpr std::string_view kPreserve = "capstan.dev/preserve";
// On a Machine: seconds, instead of preservation.timeoutSeconds of the policy, from when it is preserved.
inline constexpr std::string_view kPreserveTimeout = "capstan.dev/preserve-timeout-seconds";
// On a Machine: the time at which its preservation ends, for operators to edit.
inline constexpr std::string_view kPreserveUntil = "capstan.dev/preserve-until";
// On a Machine: what its Node said last, so that this is known while the Node can't be seen.
inline constexpr std::string_view kPreserveFromNode = "capstan.dev/preserve-from-node";
// On a Machine that failed: preserved without being asked for, by the policy of this name.
inline constexpr std::string_view kAutoPreserved = "capstan.dev/auto-preserved";
// On a Machine that is preserved because it has failed: since when its Node is drained, "done" once it is.
inline constexpr std::string_view kPreservationDrain = "capstan.dev/preservation-drain";
// On a Node: cluster-autoscaler leaves it alone while this is "true".
inline constexpr std::string_view kScaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
// On a Node: the one above is ours, and goes with us.
inline constexpr std::string_view kScaleDownDisabledByUs = "capstan.dev/scale-down-disabled";
// On a Machine and its MachineSet: the provider had no room for a VM, no other is asked for before this time.
inline constexpr std::string_view kResourceExhaustedUntil = "capstan.dev/resource-exhausted-until";
// On a Node: what spec.nodeTemplate of its policy gave it last, so that it is taken back with that.
inline constexpr std::string_view kNodeTemplate = "capstan.dev/node-template";
// On a Node: no Machine and no MachinePool claims it; nothing is done to it.
inline constexpr std::string_view kNotManaged = "capstan.dev/not-managed";
// On a MachineDeployment, MachineSet, MachinePool, Cluster or the FleetPolicy: none of its Machines is made
// or deleted but by a user, until it is taken off. Its value says why.
inline constexpr std::string_view kFreeze = "capstan.dev/freeze";
// On what a count has frozen: it is thawed for a minute, and this is taken off.
inline constexpr std::string_view kUnfreeze = "capstan.dev/unfreeze";
// What machine-controller-manager calls it.
inline constexpr std::string_view kUnfreezeOfMcm = "safety.machine.sapcloud.io/unfreeze";
// On what was frozen: the time at which a person thawed it.
inline constexpr std::string_view kUnfrozenAt = "capstan.dev/unfrozen-at";
// On a MachineSet or MachineDeployment: what it lost by a change of labels, and since when.
inline constexpr std::string_view kReleased = "capstan.dev/released";
// On an old MachineSet: the replicas that its MachineDeployment gave it once windows and guard let it.
inline constexpr std::string_view kRolledTo = "capstan.dev/rolled-to";
// On what deletes Machines: the hash of the list that spec.deletionGuard of its policy holds.
inline constexpr std::string_view kConfirmDeletion = "capstan.dev/confirm-deletion";
// On a Machine: why and since when its deletion asks for a place in the limits of the FleetPolicy; on a
// Cluster: the same of a VM of it that is no object's.
inline constexpr std::string_view kFleetRequest = "capstan.dev/fleet-request";
// On a Machine or Cluster: the FleetPolicy has given it that place, at this time.
inline constexpr std::string_view kFleetGrant = "capstan.dev/fleet-grant";
// On a Machine: the update in place that is under way, to which MachineSet, how far and since when.
inline constexpr std::string_view kInPlaceUpdate = "capstan.dev/in-place-update";
// On a MachineSet: Machines that spec.replicas does not count any more, because another one is to get them.
inline constexpr std::string_view kHandsOver = "capstan.dev/hands-over";
// On that other one: Machines that its spec.replicas counts already.
inline constexpr std::string_view kTakesOver = "capstan.dev/takes-over";
// On a Node whose agent may begin: the version that its kubelet is to have.
inline constexpr std::string_view kUpdateVersion = "capstan.dev/update-version";
// The same, where the bootstrap configuration changes, too: the template of the wanted one.
inline constexpr std::string_view kUpdateBootstrap = "capstan.dev/update-bootstrap";
// On a Node whose update-result is "failed": why, in the words of its agent.
inline constexpr std::string_view kUpdateFailedReason = "capstan.dev/update-failed-reason";
}  // namespace annotation

// On the Node of a Machine that is preserved because it has failed: no new Pods.
inline constexpr std::string_view kPreservedTaint = "capstan.dev/preserved";

// On Nodes whose Machines are updated in place.
namespace label {
// "true": its Machine is old, and would be updated.
inline constexpr std::string_view kCandidateForUpdate = "capstan.dev/candidate-for-update";
// "true": it is one of the next; with mode Manual users set it.
inline constexpr std::string_view kSelectedForUpdate = "capstan.dev/selected-for-update";
// It is drained, and its agent may begin: the MachineSet that is to get its Machine.
inline constexpr std::string_view kReadyForUpdate = "capstan.dev/ready-for-update";
// What the agent reports: "successful" or "failed".
inline constexpr std::string_view kUpdateResult = "capstan.dev/update-result";
}  // namespace label

namespace reason {
inline constexpr std::string_view kSelected = "Selected";
inline constexpr std::string_view kNothingSelected = "NothingSelected";
inline constexpr std::string_view kInvalidSelector = "InvalidSelector";
inline constexpr std::string_view kConflicting = "Conflicting";
inline constexpr std::string_view kNotConflicting = "NotConflicting";
inline constexpr std::string_view kOverlapping = "Overlapping";
inline constexpr std::string_view kNotOverlapping = "NotOverlapping";
// Of Preserved on a Machine.
inline constexpr std::string_view kPreservedAsAsked = "PreservedAsAsked";
inline constexpr std::string_view kAutoPreserved = "AutoPreserved";
inline constexpr std::string_view kWaitingForFailure = "WaitingForFailure";
inline constexpr std::string_view kNotWanted = "NotWanted";
inline constexpr std::string_view kTimeIsOver = "TimeIsOver";
inline constexpr std::string_view kInvalidRequest = "InvalidRequest";
// Of RemediationAllowed on a MachineHealthCheck: a path or a zone broke, and not the machines.
inline constexpr std::string_view kSharedCause = "SharedCause";
// Of capstan.dev/Progressing.
inline constexpr std::string_view kNewMachineSetCreated = "NewMachineSetCreated";
inline constexpr std::string_view kMachineSetUpdated = "MachineSetUpdated";
inline constexpr std::string_view kNewMachineSetAvailable = "NewMachineSetAvailable";
inline constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";
inline constexpr std::string_view kDeploymentPaused = "DeploymentPaused";
inline constexpr std::string_view kRolloutHeld = "RolloutHeld";
// Of capstan.dev/Frozen, and of Frozen on a policy.
inline constexpr std::string_view kOvershooting = "OvershootingReplicaCount";
inline constexpr std::string_view kFrozenByAnnotation = "FrozenByAnnotation";
inline constexpr std::string_view kFrozenByCluster = "FrozenByCluster";
inline constexpr std::string_view kFrozenByFleet = "FrozenByFleet";
inline constexpr std::string_view kNotFrozen = "NotFrozen";
}  // namespace reason

// Reasons of Events.
namespace event {
inline constexpr std::string_view kVictimDropped = "VictimDropped";
// Of what is frozen.
inline constexpr std::string_view kFroze = "Frozen";
inline constexpr std::string_view kUnfroze = "Unfrozen";
// Of a MachineDeployment with capstan.dev/rollback-to.
inline constexpr std::string_view kRolledBack = "RolledBack";
inline constexpr std::string_view kRollbackRevisionNotFound = "RollbackRevisionNotFound";
inline constexpr std::string_view kRollbackTemplateUnchanged = "RollbackTemplateUnchanged";
inline constexpr std::string_view kRollbackTemplateGone = "RollbackTemplateGone";
inline constexpr std::string_view kRollbackRefused = "RollbackRefused";
// Of a Machine that is updated in place, and of its MachineDeployment.
inline constexpr std::string_view kInPlaceUpdateBegan = "InPlaceUpdateBegan";
inline constexpr std::string_view kInPlaceUpdated = "InPlaceUpdated";
inline constexpr std::string_view kInPlaceUpdateFailed = "InPlaceUpdateFailed";
}  // namespace event

}  // namespace capstan::api::policy
