#include "api/notes.h"

#include "api/names.h"

namespace capstan::api {

std::string_view reason_of(NoteCode code) {
  switch (code) {
    case NoteCode::ClusterMissing: return "ClusterNotFound";
    case NoteCode::InvalidReference: return "InvalidReference";
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
    case NoteCode::CheckMisconfigured: return "HealthCheckMisconfigured";
    case NoteCode::RemediationRestricted: return event::kRemediationRestricted;
  }
  return {};
}

bool is_warning(NoteCode code) {
  switch (code) {
    case NoteCode::PhaseChanged:
    case NoteCode::InfrastructureReady:
    case NoteCode::ControlPlaneInitialized:
    case NoteCode::ClusterDeleted:
    case NoteCode::RolloutStep:
    case NoteCode::NodeFound:
    case NoteCode::NodeBecameInterruptible:
    case NoteCode::NodesFound:
    case NoteCode::NodeDrained:
    case NoteCode::NodeVolumesDetached: return false;
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
    case NoteCode::CheckMisconfigured:
    case NoteCode::RemediationRestricted: return true;
  }
  return true;
}

}  // namespace capstan::api
