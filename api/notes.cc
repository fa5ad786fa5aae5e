#include "api/notes.h"

#include "api/bootstrap/cloud_config.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "api/policy/names.h"

namespace capstan::api {

std::string_view reason_of(NoteCode code) {
  switch (code) {
    case NoteCode::ClusterMissing: return "ClusterNotFound";
    case NoteCode::InvalidReference: return "InvalidReference";
    case NoteCode::OverwrittenByAnother: return reason::kOverwrittenByAnother;
    case NoteCode::Frozen: return policy::event::kFroze;
    case NoteCode::Unfrozen: return policy::event::kUnfroze;
    case NoteCode::Adopted: return event::kSuccessfulAdopt;
    case NoteCode::AdoptFailed: return event::kFailedAdopt;
    case NoteCode::Released: return event::kSuccessfulRelease;
    case NoteCode::Created: return event::kSuccessfulCreate;
    case NoteCode::Deleted: return event::kSuccessfulDelete;
    case NoteCode::DeleteFailed: return event::kFailedDelete;
    case NoteCode::Scaled: return event::kSuccessfulScale;
    case NoteCode::ScaleFailed: return event::kFailedScale;
    case NoteCode::UpdateFailed: return event::kFailedUpdate;
    case NoteCode::VictimDropped: return policy::event::kVictimDropped;
    case NoteCode::RolloutPolicyGone: return "RolloutPolicyGone";
    case NoteCode::RolledBack: return policy::event::kRolledBack;
    case NoteCode::RollbackRevisionNotFound: return policy::event::kRollbackRevisionNotFound;
    case NoteCode::RollbackTemplateUnchanged: return policy::event::kRollbackTemplateUnchanged;
    case NoteCode::RollbackTemplateGone: return policy::event::kRollbackTemplateGone;
    case NoteCode::RollbackRefused: return policy::event::kRollbackRefused;
    case NoteCode::InPlaceUpdateBegan: return policy::event::kInPlaceUpdateBegan;
    case NoteCode::InPlaceUpdated: return policy::event::kInPlaceUpdated;
    case NoteCode::InPlaceUpdateFailed: return policy::event::kInPlaceUpdateFailed;
    case NoteCode::InPlaceUpdateGivenUp: return "InPlaceUpdateGivenUp";
    case NoteCode::MarkedUnhealthy: return event::kMachineMarkedUnhealthy;
    case NoteCode::PreservationReleased: return "PreservationReleased";
    case NoteCode::NodeTemplateForgotten: return "NodeTemplateForgotten";
    case NoteCode::NodeNotManaged: return "NodeNotManaged";
    case NoteCode::NodeManaged: return "NodeManaged";
    case NoteCode::PhaseChanged: return {};
    case NoteCode::InfrastructureReady: return event::kInfrastructureReady;
    case NoteCode::ControlPlaneInitialized: return event::kControlPlaneInitialized;
    case NoteCode::UselessProvider: return v1beta1_reason::kIncorrectExternalRef;
    case NoteCode::WaitingForClusterCA: return "WaitingForClusterCA";
    case NoteCode::KubeconfigNotMade: return "KubeconfigNotMade";
    case NoteCode::KubeconfigNotRenewed: return "KubeconfigNotRenewed";
    case NoteCode::KubeconfigUnreadable: return "KubeconfigUnreadable";
    case NoteCode::StrayMachines: return event::kStrayMachines;
    case NoteCode::ClusterDeleted: return event::kDeleted;
    case NoteCode::RolloutStep: return {};
    case NoteCode::RolloutBlocked: return "RolloutBlocked";
    case NoteCode::CreateHeldUp: return {};
    case NoteCode::LeftoverObject: return {};
    case NoteCode::ScaleDownHeldUp: return {};
    case NoteCode::RemediationHeldUp: return {};
    case NoteCode::CreateFailed: return event::kFailedCreate;
    case NoteCode::ChangeUnconfirmed: return event::kFailedUpdate;
    case NoteCode::NodeFound: return event::kSuccessfulSetNodeRef;
    case NoteCode::NodeBecameInterruptible: return event::kSuccessfulSetInterruptibleNodeLabel;
    case NoteCode::NodeNotDrained: return event::kFailedDrainNode;
    case NoteCode::NodeVolumesNotDetached: return event::kFailedWaitForVolumeDetach;
    case NoteCode::NodeNotDeleted: return event::kFailedDeleteNode;
    case NoteCode::NodesAmbiguous: return event::kFailedToRetrieveNode;
    case NoteCode::InstanceOfAnother: return "InstanceOfAnother";
    case NoteCode::InstanceContested: return "InstanceContested";
    case NoteCode::NodesFound: return event::kSuccessfulSetNodeRefs;
    case NoteCode::NodesNotWritten: return event::kFailedSetNodeRef;
    case NoteCode::ProviderIdListInvalid: return "InvalidProviderIDList";
    case NoteCode::NodeDrained: return event::kSuccessfulDrainNode;
    case NoteCode::NodeVolumesDetached: return event::kNodeVolumesDetached;
    case NoteCode::DrainRulesContradict: return "DrainRulesContradict";
    case NoteCode::NodeDrainedByForce: return "NodeDrainedByForce";
    case NoteCode::EvictionsGivenUp: return "EvictionsGivenUp";
    case NoteCode::VolumeAttachmentsDeleted: return "VolumeAttachmentsDeleted";
    case NoteCode::VolumeAttachmentsNotDeleted: return "FailedDeleteVolumeAttachments";
    case NoteCode::AliasOverruled: return "AliasOverruled";
    case NoteCode::CheckMisconfigured: return "HealthCheckMisconfigured";
    case NoteCode::RemediationRestricted: return event::kRemediationRestricted;
    case NoteCode::WaitingForOwner: return driver::reason::kWaitingForOwner;
    case NoteCode::WaitingForCluster: return driver::reason::kWaitingForCluster;
    case NoteCode::WaitingForClusterInfrastructure: return driver::reason::kWaitingForClusterInfrastructure;
    case NoteCode::WaitingForBootstrapData: return driver::reason::kWaitingForBootstrapData;
    case NoteCode::WaitingForMachines: return driver::reason::kDependentsLeft;
    case NoteCode::ControlPlaneUnavailable: return driver::reason::kControlPlaneUnavailable;
    case NoteCode::EndpointDiffers: return driver::reason::kEndpointDiffers;
    case NoteCode::AuthorityTaken: return driver::reason::kAuthorityTaken;
    case NoteCode::CredentialsUnreadable: return driver::reason::kCredentialsUnreadable;
    case NoteCode::BootstrapDataUnreadable: return driver::reason::kBootstrapDataUnreadable;
    case NoteCode::CloudUnreadable: return driver::reason::kCloudUnreadable;
    case NoteCode::VmNotCreated: return driver::reason::kCreateFailed;
    case NoteCode::ResourceExhausted: return driver::reason::kResourceExhausted;
    case NoteCode::InstanceKeyTaken: return driver::reason::kInstanceKeyTaken;
    case NoteCode::VmGone: return driver::reason::kVmGone;
    case NoteCode::WrongAccount: return driver::reason::kWrongAccount;
    case NoteCode::VmStopped: return driver::reason::kVmStopped;
    case NoteCode::NotDeleted: return driver::reason::kDeleteFailed;
    case NoteCode::BeingDeleted: return driver::reason::kDeleting;
    case NoteCode::Resizing: return driver::reason::kResizing;
    case NoteCode::SizeInvalid: return driver::reason::kInvalidSize;
    case NoteCode::InstanceNotReady: return driver::reason::kInstanceNotReady;
    case NoteCode::OrphanFound: return driver::reason::kOrphanFound;
    case NoteCode::OrphanDeleted: return driver::reason::kOrphanDeleted;
    case NoteCode::ConfigInvalid: return bootstrap_reason::kInvalid;
    case NoteCode::DataSecretTaken: return bootstrap_reason::kDataSecretTaken;
    case NoteCode::WaitingForNodeConfig: return bootstrap_reason::kWaitingForNodeConfig;
    case NoteCode::ApplyingNodeConfig: return bootstrap_reason::kApplying;
    case NoteCode::NodeConfigNotApplied: return bootstrap_reason::kApplyFailed;
  }
  return {};
}

bool is_warning(NoteCode code) {
  switch (code) {
    case NoteCode::Frozen:
    case NoteCode::Unfrozen:
    case NoteCode::Adopted:
    case NoteCode::Released:
    case NoteCode::Created:
    case NoteCode::Deleted:
    case NoteCode::Scaled:
    case NoteCode::VictimDropped:
    case NoteCode::RolloutPolicyGone:
    case NoteCode::RolledBack:
    case NoteCode::InPlaceUpdateBegan:
    case NoteCode::InPlaceUpdated:
    case NoteCode::InPlaceUpdateGivenUp:
    case NoteCode::MarkedUnhealthy:
    case NoteCode::PreservationReleased:
    case NoteCode::NodeManaged:
    case NoteCode::PhaseChanged:
    case NoteCode::InfrastructureReady:
    case NoteCode::ControlPlaneInitialized:
    case NoteCode::ClusterDeleted:
    case NoteCode::RolloutStep:
    case NoteCode::NodeFound:
    case NoteCode::NodeBecameInterruptible:
    case NoteCode::NodesFound:
    case NoteCode::NodeDrained:
    case NoteCode::NodeVolumesDetached:
    case NoteCode::ApplyingNodeConfig: return false;
    case NoteCode::OverwrittenByAnother:
    case NoteCode::AdoptFailed:
    case NoteCode::DeleteFailed:
    case NoteCode::ScaleFailed:
    case NoteCode::UpdateFailed:
    case NoteCode::RollbackRevisionNotFound:
    case NoteCode::RollbackTemplateUnchanged:
    case NoteCode::RollbackTemplateGone:
    case NoteCode::RollbackRefused:
    case NoteCode::InPlaceUpdateFailed:
    case NoteCode::NodeTemplateForgotten:
    case NoteCode::NodeNotManaged:
    case NoteCode::ClusterMissing:
    case NoteCode::InvalidReference:
    case NoteCode::UselessProvider:
    case NoteCode::WaitingForClusterCA:
    case NoteCode::KubeconfigNotMade:
    case NoteCode::KubeconfigNotRenewed:
    case NoteCode::KubeconfigUnreadable:
    case NoteCode::StrayMachines:
    case NoteCode::RolloutBlocked:
    case NoteCode::CreateHeldUp:
    case NoteCode::LeftoverObject:
    case NoteCode::ScaleDownHeldUp:
    case NoteCode::RemediationHeldUp:
    case NoteCode::CreateFailed:
    case NoteCode::ChangeUnconfirmed:
    case NoteCode::NodeNotDrained:
    case NoteCode::NodeVolumesNotDetached:
    case NoteCode::NodeNotDeleted:
    case NoteCode::NodesAmbiguous:
    case NoteCode::InstanceOfAnother:
    case NoteCode::InstanceContested:
    case NoteCode::NodesNotWritten:
    case NoteCode::ProviderIdListInvalid:
    case NoteCode::DrainRulesContradict:
    case NoteCode::NodeDrainedByForce:
    case NoteCode::EvictionsGivenUp:
    case NoteCode::VolumeAttachmentsDeleted:
    case NoteCode::VolumeAttachmentsNotDeleted:
    case NoteCode::AliasOverruled:
    case NoteCode::CheckMisconfigured:
    case NoteCode::RemediationRestricted:
    case NoteCode::WaitingForOwner:
    case NoteCode::WaitingForCluster:
    case NoteCode::WaitingForClusterInfrastructure:
    case NoteCode::WaitingForBootstrapData:
    case NoteCode::WaitingForMachines:
    case NoteCode::ControlPlaneUnavailable:
    case NoteCode::EndpointDiffers:
    case NoteCode::AuthorityTaken:
    case NoteCode::CredentialsUnreadable:
    case NoteCode::BootstrapDataUnreadable:
    case NoteCode::CloudUnreadable:
    case NoteCode::VmNotCreated:
    case NoteCode::ResourceExhausted:
    case NoteCode::InstanceKeyTaken:
    case NoteCode::VmGone:
    case NoteCode::WrongAccount:
    case NoteCode::VmStopped:
    case NoteCode::NotDeleted:
    case NoteCode::BeingDeleted:
    case NoteCode::Resizing:
    case NoteCode::SizeInvalid:
    case NoteCode::InstanceNotReady:
    case NoteCode::OrphanFound:
    case NoteCode::OrphanDeleted:
    case NoteCode::ConfigInvalid:
    case NoteCode::DataSecretTaken:
    case NoteCode::WaitingForNodeConfig:
    case NoteCode::NodeConfigNotApplied: return true;
  }
  return true;
}

}  // namespace capstan::api
