// What controllers say beside conditions: in Events, in lines of a condition's message, in the log. A closed
// list: a code says what kind of news it is, its reason is what users filter Events by. Pure.
#pragma once

#include <string_view>

namespace capstan::api {

enum class NoteCode {
  // Any kind.
  ClusterMissing,
  InvalidReference,  // a field refers to what is not there, or is not the object's
  OverwrittenByAnother,
  Frozen,
  Unfrozen,
  // What an owner did with its Machines or MachineSets.
  Adopted,
  AdoptFailed,
  Released,
  Created,
  CreateFailed,
  Deleted,
  DeleteFailed,
  Scaled,
  ScaleFailed,
  UpdateFailed,
  VictimDropped,
  // Cluster.
  PhaseChanged,  // the reason of its Event is the new phase
  InfrastructureReady,
  ControlPlaneInitialized,
  UselessProvider,  // a provider's object that can't be read, or that another Cluster owns
  WaitingForClusterCA,
  KubeconfigNotMade,
  KubeconfigNotRenewed,
  KubeconfigUnreadable,
  StrayMachines,
  NodeNotManaged,  // these two name a Node
  NodeManaged,
  ClusterDeleted,
  // MachineDeployment.
  RolloutStep,  // why a MachineSet gets the replicas it gets; for the log
  RolloutBlocked,
  RolloutPolicyGone,
  RolledBack,
  RollbackRevisionNotFound,
  RollbackTemplateUnchanged,
  RollbackTemplateGone,
  RollbackRefused,
  InPlaceUpdateBegan,  // these four of its Machine, too
  InPlaceUpdated,
  InPlaceUpdateFailed,
  InPlaceUpdateGivenUp,
  // MachineSet: what does not happen, and why. Lines of conditions, but for the last.
  CreateHeldUp,
  LeftoverObject,  // stands where a Machine should, and keeps no other from being created
  ScaleDownHeldUp,
  RemediationHeldUp,
  ChangeUnconfirmed,  // a selector that would release several Machines
  // Machine.
  MarkedUnhealthy,
  PreservationReleased,
  NodeTemplateForgotten,
  NodeFound,
  NodeBecameInterruptible,
  NodeNotDrained,
  NodeVolumesNotDetached,
  NodeNotDeleted,
  NodesAmbiguous,
  InstanceOfAnother,
  InstanceContested,
  // MachinePool.
  NodesFound,
  NodesNotWritten,
  ProviderIdListInvalid,
  NodeDrained,
  NodeVolumesDetached,
  DrainRulesContradict,
  NodeDrainedByForce,
  EvictionsGivenUp,  // Pods were deleted after drain.evictionRetries
  VolumeAttachmentsDeleted,
  VolumeAttachmentsNotDeleted,
  AliasOverruled,  // a key of machine-controller-manager beside one of ours, which wins
  // MachineHealthCheck.
  CheckMisconfigured,
  RemediationRestricted,
  // Providers that come with Capstan: why an object of theirs is not ready. Their reasons are those of the
  // condition Ready, too.
  WaitingForOwner,
  WaitingForCluster,
  WaitingForClusterInfrastructure,
  WaitingForBootstrapData,
  WaitingForMachines,  // they go before the control plane
  ControlPlaneUnavailable,
  EndpointDiffers,
  AuthorityTaken,
  CredentialsUnreadable,
  BootstrapDataUnreadable,
  CloudUnreadable,  // it does not say which VMs there are
  VmNotCreated,
  ResourceExhausted,  // no quota, or the cloud has no more
  InstanceKeyTaken,
  VmGone,
  WrongAccount,  // the credentials lead to another account than the one the VM is in
  VmStopped,
  NotDeleted,  // the cloud refuses to remove something
  BeingDeleted,
  Resizing,
  SizeInvalid,
  InstanceNotReady,
  OrphanFound,    // VMs carry the key of a cluster and are no object's
  OrphanDeleted,  // such a VM
  ConfigInvalid,
  DataSecretTaken,
  WaitingForNodeConfig,
  ApplyingNodeConfig,    // not all Nodes have it yet
  NodeConfigNotApplied,  // Nodes failed with it, and no further one gets it
};

// Of the Event; empty for what is no Event's, or whose reason is not known by the code alone.
std::string_view reason_of(NoteCode code);
// Warnings are what a user may have to act upon.
bool is_warning(NoteCode code);

}  // namespace capstan::api
