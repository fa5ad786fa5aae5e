// Every label, annotation, finalizer, taint, field manager, condition type and reason of Cluster API and of
// the Kubernetes objects around it, spelled once. Every folder includes it; constants only, safe everywhere.
// Names of our own policy kinds live in api/policy.
#pragma once

#include <array>
#include <string_view>

namespace capstan::api {

namespace group {
inline constexpr std::string_view kCluster = "cluster.x-k8s.io";
inline constexpr std::string_view kInfrastructure = "infrastructure.cluster.x-k8s.io";
inline constexpr std::string_view kBootstrap = "bootstrap.cluster.x-k8s.io";
inline constexpr std::string_view kControlPlane = "controlplane.cluster.x-k8s.io";
}  // namespace group

inline constexpr std::string_view kApiVersion = "cluster.x-k8s.io/v1beta2";
// Categories of every kind of ours: `kubectl get cluster-api`.
inline constexpr std::string_view kCategory = "cluster-api";

namespace kind {
inline constexpr std::string_view kCluster = "Cluster";
inline constexpr std::string_view kMachine = "Machine";
inline constexpr std::string_view kMachineSet = "MachineSet";
inline constexpr std::string_view kMachineDeployment = "MachineDeployment";
inline constexpr std::string_view kMachinePool = "MachinePool";
inline constexpr std::string_view kMachineHealthCheck = "MachineHealthCheck";
inline constexpr std::string_view kMachineDrainRule = "MachineDrainRule";
inline constexpr std::string_view kDaemonSet = "DaemonSet";
inline constexpr std::string_view kNode = "Node";
// What a provider's template kind ends with: DockerMachineTemplate makes DockerMachines.
inline constexpr std::string_view kTemplateSuffix = "Template";
// The one bootstrap template kind that the kubeadm skew check looks for.
inline constexpr std::string_view kKubeadmConfigTemplate = "KubeadmConfigTemplate";
}  // namespace kind

namespace label {
inline constexpr std::string_view kClusterName = "cluster.x-k8s.io/cluster-name";
inline constexpr std::string_view kDeploymentName = "cluster.x-k8s.io/deployment-name";
// Values of the next two are names passed through label_value() (api/v1beta2/syntax.h).
inline constexpr std::string_view kSetName = "cluster.x-k8s.io/set-name";
inline constexpr std::string_view kPoolName = "cluster.x-k8s.io/pool-name";
// Presence makes a Machine a control plane Machine.
inline constexpr std::string_view kControlPlane = "cluster.x-k8s.io/control-plane";
inline constexpr std::string_view kControlPlaneName = "cluster.x-k8s.io/control-plane-name";
// Opaque: chosen once per MachineSet and never recomputed.
inline constexpr std::string_view kMachineTemplateHash = "machine-template-hash";
inline constexpr std::string_view kProvider = "cluster.x-k8s.io/provider";
inline constexpr std::string_view kWatchFilter = "cluster.x-k8s.io/watch-filter";
inline constexpr std::string_view kInterruptible = "cluster.x-k8s.io/interruptible";  // on Nodes, empty value
// On workload Pods: "skip", "wait-completed" or "waitcompleted", whatever the case.
inline constexpr std::string_view kDrain = "cluster.x-k8s.io/drain";
inline constexpr std::string_view kTopologyOwned = "topology.cluster.x-k8s.io/owned";
inline constexpr std::string_view kTopologyDeploymentName = "topology.cluster.x-k8s.io/deployment-name";
inline constexpr std::string_view kTopologyPoolName = "topology.cluster.x-k8s.io/pool-name";
// On CRDs: "<prefix><contract>" lists the API versions that keep this contract, joined by '_'.
inline constexpr std::string_view kContractPrefix = "cluster.x-k8s.io/";
inline constexpr std::string_view kAggregateToManager = "cluster.x-k8s.io/aggregate-to-manager";
// Machine labels of these domains are copied to the Node; the first only as the exact prefix before '/'.
inline constexpr std::string_view kNodeRoleDomain = "node-role.kubernetes.io";
inline constexpr std::string_view kNodeRestrictionDomain = "node-restriction.kubernetes.io";
inline constexpr std::string_view kManagedNodeDomain = "node.cluster.x-k8s.io";
inline constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";
}  // namespace label

namespace annotation {
// Presence pauses an object, whatever the value, "false" included.
inline constexpr std::string_view kPaused = "cluster.x-k8s.io/paused";
inline constexpr std::string_view kManagedBy = "cluster.x-k8s.io/managed-by";
// A pool whose size an autoscaler decides; any value but "false" counts.
inline constexpr std::string_view kReplicasManagedBy = "cluster.x-k8s.io/replicas-managed-by";
inline constexpr std::string_view kDeleteMachine = "cluster.x-k8s.io/delete-machine";
inline constexpr std::string_view kRemediateMachine = "cluster.x-k8s.io/remediate-machine";
inline constexpr std::string_view kSkipRemediation = "cluster.x-k8s.io/skip-remediation";
// Exactly "true" keeps a MachineSet from creating Machines.
inline constexpr std::string_view kDisableMachineCreate = "cluster.x-k8s.io/disable-machine-create";
inline constexpr std::string_view kSkipPreflightChecks = "machineset.cluster.x-k8s.io/skip-preflight-checks";
inline constexpr std::string_view kExcludeNodeDraining = "machine.cluster.x-k8s.io/exclude-node-draining";
inline constexpr std::string_view kExcludeWaitForNodeVolumeDetach =
    "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach";
// The next two are prefixes of keys: "<prefix>/name", and "<prefix>" alone counts too.
inline constexpr std::string_view kPreDrainHookPrefix = "pre-drain.delete.hook.machine.cluster.x-k8s.io";
inline constexpr std::string_view kPreTerminateHookPrefix =
    "pre-terminate.delete.hook.machine.cluster.x-k8s.io";
inline constexpr std::string_view kCertificatesExpiry = "machine.cluster.x-k8s.io/certificates-expiry";
inline constexpr std::string_view kClonedFromName = "cluster.x-k8s.io/cloned-from-name";
inline constexpr std::string_view kClonedFromGroupKind = "cluster.x-k8s.io/cloned-from-groupkind";
inline constexpr std::string_view kAutoscalerMinSize =
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
inline constexpr std::string_view kAutoscalerMaxSize =
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
inline constexpr std::string_view kConversionData = "cluster.x-k8s.io/conversion-data";
inline constexpr std::string_view kLastAppliedConfiguration =
    "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr std::string_view kCrdMigrationObservedGeneration =
    "crd-migration.cluster.x-k8s.io/observed-generation";
// Our own, on a MachineSet or MachineDeployment: the generation whose selector may release its Machines.
inline constexpr std::string_view kConfirmRelease = "capstan.dev/confirm-release";
// Our own, on the Lease of the election: which objects its holder reconciles (runtime/election_scope.h).
inline constexpr std::string_view kElectionScope = "capstan.dev/election-scope";

// Rollout bookkeeping on MachineSets and MachineDeployments ("clusters" is no slip of ours).
inline constexpr std::string_view kRevision = "machinedeployment.clusters.x-k8s.io/revision";
inline constexpr std::string_view kRevisionHistory = "machinedeployment.clusters.x-k8s.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "machinedeployment.clusters.x-k8s.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "machinedeployment.clusters.x-k8s.io/max-replicas";

// Written on Nodes. The last three remember what came from the Machine, as sorted comma separated keys.
inline constexpr std::string_view kClusterName = "cluster.x-k8s.io/cluster-name";
inline constexpr std::string_view kClusterNamespace = "cluster.x-k8s.io/cluster-namespace";
inline constexpr std::string_view kMachine = "cluster.x-k8s.io/machine";
inline constexpr std::string_view kOwnerKind = "cluster.x-k8s.io/owner-kind";
inline constexpr std::string_view kOwnerName = "cluster.x-k8s.io/owner-name";
inline constexpr std::string_view kLabelsFromMachine = "cluster.x-k8s.io/labels-from-machine";
inline constexpr std::string_view kAnnotationsFromMachine = "cluster.x-k8s.io/annotations-from-machine";
inline constexpr std::string_view kTaintsFromMachine = "cluster.x-k8s.io/taints-from-machine";

// The protocol that hands Machines from an old MachineSet to a new one for an update in place.
inline constexpr std::string_view kMoveMachinesTo =
    "in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset";
inline constexpr std::string_view kReceiveMachinesFrom =
    "in-place-updates.internal.cluster.x-k8s.io/receive-machines-from-machinesets";
inline constexpr std::string_view kAcknowledgedMove =
    "in-place-updates.internal.cluster.x-k8s.io/acknowledged-move";
inline constexpr std::string_view kPendingAcknowledgeMove =
    "in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move";
inline constexpr std::string_view kUpdateInProgress =
    "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
inline constexpr std::string_view kPendingHooks = "runtime.cluster.x-k8s.io/pending-hooks";

inline constexpr std::string_view kTopologyUpgradeStep = "topology.internal.cluster.x-k8s.io/upgrade-step";
inline constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
}  // namespace annotation

namespace finalizer {
inline constexpr std::string_view kCluster = "cluster.cluster.x-k8s.io";
inline constexpr std::string_view kMachine = "machine.cluster.x-k8s.io";
inline constexpr std::string_view kMachineSet = "cluster.x-k8s.io/machineset";
inline constexpr std::string_view kMachineDeployment = "cluster.x-k8s.io/machinedeployment";
inline constexpr std::string_view kMachinePool = "machinepool.cluster.x-k8s.io";
// Kubernetes' own: stands while the garbage collector takes an owner out of its dependents
// (--cascade=orphan).
inline constexpr std::string_view kOrphan = "orphan";
// Of what a topology has made; they go when nothing of it is left behind (controllers/topology).
inline constexpr std::string_view kMachineSetTopology = "machineset.topology.cluster.x-k8s.io";
inline constexpr std::string_view kMachineDeploymentTopology = "machinedeployment.topology.cluster.x-k8s.io";
}  // namespace finalizer

namespace field_manager {
inline constexpr std::string_view kMachineDeployment = "capi-machinedeployment";
inline constexpr std::string_view kMachineSet = "capi-machineset";
inline constexpr std::string_view kMachineSetMetadata = "capi-machineset-metadata";
inline constexpr std::string_view kMachinePool = "machinepool-controller";
// Every plain patch. Upstream gets it from the name of its program; another name would never let go of old
// fields.
inline constexpr std::string_view kManager = "manager";
// What the API server invents for objects that had no managers; taken out wherever it is met.
inline constexpr std::string_view kBeforeFirstApply = "before-first-apply";
}  // namespace field_manager

namespace taint {
inline constexpr std::string_view kUninitialized = "node.cluster.x-k8s.io/uninitialized";
inline constexpr std::string_view kOutdatedRevision = "node.cluster.x-k8s.io/outdated-revision";
inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";
inline constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
inline constexpr std::string_view kNodePrefix = "node.kubernetes.io/";
inline constexpr std::string_view kCloudProviderPrefix = "node.cloudprovider.kubernetes.io/";
inline constexpr std::string_view kMasterRole = "node-role.kubernetes.io/master";
inline constexpr std::string_view kControlPlaneRole = "node-role.kubernetes.io/control-plane";
}  // namespace taint

// Component names: who an Event comes from, and the `controller` label of metrics and logs.
namespace controller {
inline constexpr std::string_view kCluster = "cluster";
inline constexpr std::string_view kMachine = "machine";
inline constexpr std::string_view kMachineSet = "machineset";
inline constexpr std::string_view kMachineDeployment = "machinedeployment";
inline constexpr std::string_view kMachinePool = "machinepool";
inline constexpr std::string_view kMachineHealthCheck = "machinehealthcheck";
inline constexpr std::string_view kClusterCache = "clustercache";
// "machine-controller" is the source of the Events that "machine" records.
inline constexpr std::string_view kEventSourceSuffix = "-controller";
}  // namespace controller

// The lock that two cores must never hold at once: upstream's own name, on purpose.
inline constexpr std::string_view kLeaderElectionLease = "controller-leader-election-capi";

// Secrets of the Cluster API: type, keys and name suffixes.
namespace secret {
inline constexpr std::string_view kType = "cluster.x-k8s.io/secret";
inline constexpr std::string_view kKubeconfigSuffix = "-kubeconfig";
inline constexpr std::string_view kCaSuffix = "-ca";
inline constexpr std::string_view kValueKey = "value";
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kTlsCertificateKey = "tls.crt";
inline constexpr std::string_view kTlsPrivateKey = "tls.key";
}  // namespace secret

// Words of the skip-preflight-checks annotation and of --machineset-preflight-checks, in the order of error
// texts.
namespace preflight {
inline constexpr std::string_view kAll = "All";
inline constexpr std::string_view kControlPlaneIsStable = "ControlPlaneIsStable";
inline constexpr std::string_view kControlPlaneVersionSkew = "ControlPlaneVersionSkew";
inline constexpr std::string_view kKubeadmVersionSkew = "KubeadmVersionSkew";
inline constexpr std::string_view kKubernetesVersionSkew = "KubernetesVersionSkew";
inline constexpr std::array kEvery = {kAll, kControlPlaneIsStable, kControlPlaneVersionSkew,
                                      kKubeadmVersionSkew, kKubernetesVersionSkew};
}  // namespace preflight

// Statuses of conditions.
namespace status {
inline constexpr std::string_view kTrue = "True";
inline constexpr std::string_view kFalse = "False";
inline constexpr std::string_view kUnknown = "Unknown";
}  // namespace status

// Types of metav1 conditions.
namespace condition {
inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kUpToDate = "UpToDate";
inline constexpr std::string_view kPaused = "Paused";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kRollingOut = "RollingOut";
inline constexpr std::string_view kScalingUp = "ScalingUp";
inline constexpr std::string_view kScalingDown = "ScalingDown";
inline constexpr std::string_view kRemediating = "Remediating";
inline constexpr std::string_view kMachinesReady = "MachinesReady";
inline constexpr std::string_view kMachinesUpToDate = "MachinesUpToDate";
inline constexpr std::string_view kBootstrapConfigReady = "BootstrapConfigReady";
inline constexpr std::string_view kInfrastructureReady = "InfrastructureReady";
// Machine
inline constexpr std::string_view kUpdating = "Updating";
inline constexpr std::string_view kNodeReady = "NodeReady";
inline constexpr std::string_view kNodeHealthy = "NodeHealthy";
inline constexpr std::string_view kHealthCheckSucceeded = "HealthCheckSucceeded";
inline constexpr std::string_view kOwnerRemediated = "OwnerRemediated";
inline constexpr std::string_view kExternallyRemediated = "ExternallyRemediated";
// Ours, on any kind, while another writer and this controller overwrite each other
// (controllers/shared/contests.h).
inline constexpr std::string_view kContested = "Contested";
// Cluster
inline constexpr std::string_view kRemoteConnectionProbe = "RemoteConnectionProbe";
inline constexpr std::string_view kControlPlaneInitialized = "ControlPlaneInitialized";
inline constexpr std::string_view kControlPlaneAvailable = "ControlPlaneAvailable";
inline constexpr std::string_view kWorkersAvailable = "WorkersAvailable";
inline constexpr std::string_view kControlPlaneMachinesReady = "ControlPlaneMachinesReady";
inline constexpr std::string_view kWorkerMachinesReady = "WorkerMachinesReady";
inline constexpr std::string_view kControlPlaneMachinesUpToDate = "ControlPlaneMachinesUpToDate";
inline constexpr std::string_view kWorkerMachinesUpToDate = "WorkerMachinesUpToDate";
inline constexpr std::string_view kTopologyReconciled = "TopologyReconciled";
// MachineHealthCheck
inline constexpr std::string_view kRemediationAllowed = "RemediationAllowed";
// Written by the kubeadm control plane provider; known here for the order of lists and for messages.
inline constexpr std::string_view kCertificatesAvailable = "CertificatesAvailable";
inline constexpr std::string_view kInitialized = "Initialized";
inline constexpr std::string_view kEtcdClusterHealthy = "EtcdClusterHealthy";
inline constexpr std::string_view kControlPlaneComponentsHealthy = "ControlPlaneComponentsHealthy";
inline constexpr std::string_view kNodeKubeadmLabelsAndTaintsSet = "NodeKubeadmLabelsAndTaintsSet";
inline constexpr std::string_view kEtcdPodHealthy = "EtcdPodHealthy";
inline constexpr std::string_view kEtcdMemberHealthy = "EtcdMemberHealthy";
inline constexpr std::string_view kApiServerPodHealthy = "APIServerPodHealthy";
inline constexpr std::string_view kControllerManagerPodHealthy = "ControllerManagerPodHealthy";
inline constexpr std::string_view kSchedulerPodHealthy = "SchedulerPodHealthy";
// Conditions of a Node
inline constexpr std::string_view kMemoryPressure = "MemoryPressure";
inline constexpr std::string_view kDiskPressure = "DiskPressure";
inline constexpr std::string_view kPidPressure = "PIDPressure";
}  // namespace condition

// Reasons of metav1 conditions.
namespace reason {
// General
inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kNotAvailable = "NotAvailable";
inline constexpr std::string_view kAvailableUnknown = "AvailableUnknown";
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kNotReady = "NotReady";
inline constexpr std::string_view kReadyUnknown = "ReadyUnknown";
inline constexpr std::string_view kUpToDate = "UpToDate";
inline constexpr std::string_view kNotUpToDate = "NotUpToDate";
inline constexpr std::string_view kUpToDateUnknown = "UpToDateUnknown";
inline constexpr std::string_view kRollingOut = "RollingOut";
inline constexpr std::string_view kNotRollingOut = "NotRollingOut";
inline constexpr std::string_view kRollingOutUnknown = "RollingOutUnknown";
inline constexpr std::string_view kScalingUp = "ScalingUp";
inline constexpr std::string_view kNotScalingUp = "NotScalingUp";
inline constexpr std::string_view kScalingUpUnknown = "ScalingUpUnknown";
inline constexpr std::string_view kScalingDown = "ScalingDown";
inline constexpr std::string_view kNotScalingDown = "NotScalingDown";
inline constexpr std::string_view kScalingDownUnknown = "ScalingDownUnknown";
inline constexpr std::string_view kRemediating = "Remediating";
inline constexpr std::string_view kNotRemediating = "NotRemediating";
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kNotDeleting = "NotDeleting";
inline constexpr std::string_view kDeletionCompleted = "DeletionCompleted";
inline constexpr std::string_view kPaused = "Paused";
inline constexpr std::string_view kNotPaused = "NotPaused";
inline constexpr std::string_view kNoReplicas = "NoReplicas";
inline constexpr std::string_view kWaitingForReplicasSet = "WaitingForReplicasSet";
inline constexpr std::string_view kWaitingForAvailableReplicasSet = "WaitingForAvailableReplicasSet";
inline constexpr std::string_view kInternalError = "InternalError";
inline constexpr std::string_view kObjectDoesNotExist = "ObjectDoesNotExist";
inline constexpr std::string_view kObjectDeleted = "ObjectDeleted";
inline constexpr std::string_view kOverwrittenByAnother = "OverwrittenByAnother";
inline constexpr std::string_view kConnectionDown = "ConnectionDown";
// Ours: what a reference or spec.clusterName names is owned by another Cluster than it says.
inline constexpr std::string_view kBelongsToAnotherCluster = "BelongsToAnotherCluster";
inline constexpr std::string_view kInspectionFailed = "InspectionFailed";
// Reading and merging conditions of others
inline constexpr std::string_view kNotYetReported = "NotYetReported";
inline constexpr std::string_view kNoReasonReported = "NoReasonReported";
inline constexpr std::string_view kInvalidConditionReported = "InvalidConditionReported";
inline constexpr std::string_view kIssuesReported = "IssuesReported";
inline constexpr std::string_view kUnknownReported = "UnknownReported";
inline constexpr std::string_view kInfoReported = "InfoReported";
// Machine
inline constexpr std::string_view kWaitingForMinReadySeconds = "WaitingForMinReadySeconds";
inline constexpr std::string_view kDataSecretProvided = "DataSecretProvided";
inline constexpr std::string_view kUpdating = "Updating";
inline constexpr std::string_view kNotUpdating = "NotUpdating";
inline constexpr std::string_view kInPlaceUpdating = "InPlaceUpdating";
inline constexpr std::string_view kInPlaceUpdateFailed = "InPlaceUpdateFailed";
inline constexpr std::string_view kNodeReady = "NodeReady";
inline constexpr std::string_view kNodeNotReady = "NodeNotReady";
inline constexpr std::string_view kNodeReadyUnknown = "NodeReadyUnknown";
inline constexpr std::string_view kNodeHealthy = "NodeHealthy";
inline constexpr std::string_view kNodeNotHealthy = "NodeNotHealthy";
inline constexpr std::string_view kNodeHealthyUnknown = "NodeHealthyUnknown";
inline constexpr std::string_view kNodeDoesNotExist = "NodeDoesNotExist";
inline constexpr std::string_view kNodeDeleted = "NodeDeleted";
// Stages of a Machine's deletion, in their order
inline constexpr std::string_view kWaitingForPreDrainHook = "WaitingForPreDrainHook";
inline constexpr std::string_view kDrainingNode = "DrainingNode";
inline constexpr std::string_view kWaitingForVolumeDetach = "WaitingForVolumeDetach";
inline constexpr std::string_view kWaitingForPreTerminateHook = "WaitingForPreTerminateHook";
inline constexpr std::string_view kWaitingForInfrastructureDeletion = "WaitingForInfrastructureDeletion";
inline constexpr std::string_view kWaitingForBootstrapDeletion = "WaitingForBootstrapDeletion";
inline constexpr std::string_view kDeletingNode = "DeletingNode";
// Health checks and remediation
inline constexpr std::string_view kHealthCheckSucceeded = "HealthCheckSucceeded";
inline constexpr std::string_view kUnhealthyNode = "UnhealthyNode";
inline constexpr std::string_view kUnhealthyMachine = "UnhealthyMachine";
inline constexpr std::string_view kNodeStartupTimeout = "NodeStartupTimeout";
inline constexpr std::string_view kHasRemediateAnnotation = "HasRemediateAnnotation";
inline constexpr std::string_view kWaitingForRemediation = "WaitingForRemediation";
inline constexpr std::string_view kCannotBeRemediated = "CannotBeRemediated";
inline constexpr std::string_view kRemediationDeferred = "RemediationDeferred";
inline constexpr std::string_view kMachineDeleting = "MachineDeleting";
inline constexpr std::string_view kRemediationTemplateNotFound = "RemediationTemplateNotFound";
inline constexpr std::string_view kRemediationRequestCreationFailed = "RemediationRequestCreationFailed";
inline constexpr std::string_view kRemediationAllowed = "RemediationAllowed";
inline constexpr std::string_view kTooManyUnhealthy = "TooManyUnhealthy";
// Cluster
inline constexpr std::string_view kProbeSucceeded = "ProbeSucceeded";
inline constexpr std::string_view kProbeFailed = "ProbeFailed";
inline constexpr std::string_view kInitialized = "Initialized";
inline constexpr std::string_view kNotInitialized = "NotInitialized";
inline constexpr std::string_view kNoWorkers = "NoWorkers";
inline constexpr std::string_view kWaitingForWorkersDeletion = "WaitingForWorkersDeletion";
inline constexpr std::string_view kWaitingForControlPlaneDeletion = "WaitingForControlPlaneDeletion";
// Ours: spec.topology is set, and no controller of ours reconciles it.
inline constexpr std::string_view kTopologyNotSupported = "TopologyNotSupported";
// Used by providers on their own objects
inline constexpr std::string_view kWaitingForClusterInfrastructureReady =
    "WaitingForClusterInfrastructureReady";
inline constexpr std::string_view kWaitingForControlPlaneInitialized = "WaitingForControlPlaneInitialized";
inline constexpr std::string_view kWaitingForBootstrapData = "WaitingForBootstrapData";
inline constexpr std::string_view kProvisioned = "Provisioned";
inline constexpr std::string_view kNotProvisioned = "NotProvisioned";
}  // namespace reason

// Severities, types and reasons of the older condition generation, kept in
// status.deprecated.v1beta1.conditions.
namespace severity {
inline constexpr std::string_view kError = "Error";
inline constexpr std::string_view kWarning = "Warning";
inline constexpr std::string_view kInfo = "Info";
}  // namespace severity

namespace v1beta1_condition {
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kInfrastructureReady = "InfrastructureReady";
inline constexpr std::string_view kBootstrapReady = "BootstrapReady";
inline constexpr std::string_view kControlPlaneReady = "ControlPlaneReady";
inline constexpr std::string_view kControlPlaneInitialized = "ControlPlaneInitialized";
inline constexpr std::string_view kNodeHealthy = "NodeHealthy";
inline constexpr std::string_view kDrainingSucceeded = "DrainingSucceeded";
inline constexpr std::string_view kVolumeDetachSucceeded = "VolumeDetachSucceeded";
inline constexpr std::string_view kPreDrainDeleteHookSucceeded = "PreDrainDeleteHookSucceeded";
inline constexpr std::string_view kPreTerminateDeleteHookSucceeded = "PreTerminateDeleteHookSucceeded";
inline constexpr std::string_view kHealthCheckSucceeded = "HealthCheckSucceeded";
inline constexpr std::string_view kOwnerRemediated = "OwnerRemediated";
inline constexpr std::string_view kExternalRemediationTemplateAvailable =
    "ExternalRemediationTemplateAvailable";
inline constexpr std::string_view kExternalRemediationRequestAvailable =
    "ExternalRemediationRequestAvailable";
inline constexpr std::string_view kRemediationAllowed = "RemediationAllowed";
inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kMachineSetReady = "MachineSetReady";
inline constexpr std::string_view kMachinesCreated = "MachinesCreated";
inline constexpr std::string_view kMachinesReady = "MachinesReady";
inline constexpr std::string_view kResized = "Resized";
inline constexpr std::string_view kReplicasReady = "ReplicasReady";
inline constexpr std::string_view kTopologyReconciled = "TopologyReconciled";
}  // namespace v1beta1_condition

namespace v1beta1_reason {
inline constexpr std::string_view kDeleting = "Deleting";
inline constexpr std::string_view kDeletionFailed = "DeletionFailed";
inline constexpr std::string_view kDeleted = "Deleted";
inline constexpr std::string_view kIncorrectExternalRef = "IncorrectExternalRef";
inline constexpr std::string_view kWaitingForInfrastructure = "WaitingForInfrastructure";
inline constexpr std::string_view kWaitingForDataSecret = "WaitingForDataSecret";
inline constexpr std::string_view kWaitingForControlPlane = "WaitingForControlPlane";
inline constexpr std::string_view kWaitingForControlPlaneAvailable = "WaitingForControlPlaneAvailable";
inline constexpr std::string_view kWaitingForControlPlaneProviderInitialized =
    "WaitingForControlPlaneProviderInitialized";
inline constexpr std::string_view kMissingNodeRef = "MissingNodeRef";
inline constexpr std::string_view kTopologyNotSupported = "TopologyNotSupported";
inline constexpr std::string_view kDraining = "Draining";
inline constexpr std::string_view kDrainingFailed = "DrainingFailed";
inline constexpr std::string_view kWaitingExternalHook = "WaitingExternalHook";
inline constexpr std::string_view kWaitingForVolumeDetach = "WaitingForVolumeDetach";
inline constexpr std::string_view kWaitingForNodeRef = "WaitingForNodeRef";
inline constexpr std::string_view kNodeProvisioning = "NodeProvisioning";
inline constexpr std::string_view kNodeNotFound = "NodeNotFound";
inline constexpr std::string_view kNodeConditionsFailed = "NodeConditionsFailed";
inline constexpr std::string_view kNodeInspectionFailed = "NodeInspectionFailed";
inline constexpr std::string_view kMachineHasFailure = "MachineHasFailure";
inline constexpr std::string_view kHasRemediateMachineAnnotation = "HasRemediateMachineAnnotation";
inline constexpr std::string_view kNodeStartupTimeout = "NodeStartupTimeout";
inline constexpr std::string_view kUnhealthyNode = "UnhealthyNode";
inline constexpr std::string_view kUnhealthyMachine = "UnhealthyMachine";
inline constexpr std::string_view kWaitingForRemediation = "WaitingForRemediation";
inline constexpr std::string_view kRemediationFailed = "RemediationFailed";
inline constexpr std::string_view kRemediationInProgress = "RemediationInProgress";
inline constexpr std::string_view kExternalRemediationTemplateNotFound =
    "ExternalRemediationTemplateNotFound";
inline constexpr std::string_view kExternalRemediationRequestCreationFailed =
    "ExternalRemediationRequestCreationFailed";
inline constexpr std::string_view kTooManyUnhealthy = "TooManyUnhealthy";
inline constexpr std::string_view kWaitingForMachineSet = "WaitingForMachineSet";
inline constexpr std::string_view kWaitingForAvailableMachines = "WaitingForAvailableMachines";
inline constexpr std::string_view kPreflightCheckFailed = "PreflightCheckFailed";
inline constexpr std::string_view kBootstrapTemplateCloningFailed = "BootstrapTemplateCloningFailed";
inline constexpr std::string_view kInfrastructureTemplateCloningFailed =
    "InfrastructureTemplateCloningFailed";
inline constexpr std::string_view kMachineCreationFailed = "MachineCreationFailed";
inline constexpr std::string_view kScalingUp = "ScalingUp";
inline constexpr std::string_view kScalingDown = "ScalingDown";
inline constexpr std::string_view kWaitingForReplicasReady = "WaitingForReplicasReady";
// status.deprecated.v1beta1.failureReason
inline constexpr std::string_view kInvalidConfiguration = "InvalidConfiguration";
}  // namespace v1beta1_reason

// Reasons of Events.
namespace event {
inline constexpr std::string_view kSuccessfulCreate = "SuccessfulCreate";
inline constexpr std::string_view kFailedCreate = "FailedCreate";
inline constexpr std::string_view kSuccessfulDelete = "SuccessfulDelete";
inline constexpr std::string_view kFailedDelete = "FailedDelete";
inline constexpr std::string_view kFailedUpdate = "FailedUpdate";
inline constexpr std::string_view kSuccessfulScale = "SuccessfulScale";
inline constexpr std::string_view kFailedScale = "FailedScale";
inline constexpr std::string_view kSuccessfulAdopt = "SuccessfulAdopt";
inline constexpr std::string_view kSuccessfulRelease = "SuccessfulRelease";
inline constexpr std::string_view kFailedAdopt = "FailedAdopt";
inline constexpr std::string_view kSuccessfulStartInPlaceUpdate = "SuccessfulStartInPlaceUpdate";
inline constexpr std::string_view kSuccessfulSetNodeRef = "SuccessfulSetNodeRef";
inline constexpr std::string_view kSuccessfulSetNodeRefs = "SuccessfulSetNodeRefs";
inline constexpr std::string_view kFailedSetNodeRef = "FailedSetNodeRef";
inline constexpr std::string_view kSuccessfulSetInterruptibleNodeLabel =
    "SuccessfulSetInterruptibleNodeLabel";
inline constexpr std::string_view kSuccessfulDrainNode = "SuccessfulDrainNode";
inline constexpr std::string_view kFailedDrainNode = "FailedDrainNode";
inline constexpr std::string_view kNodeVolumesDetached = "NodeVolumesDetached";
inline constexpr std::string_view kFailedWaitForVolumeDetach = "FailedWaitForVolumeDetach";
inline constexpr std::string_view kFailedDeleteNode = "FailedDeleteNode";
// With blanks, as dashboards know it.
inline constexpr std::string_view kFailedToRetrieveNode = "Failed to retrieve Node by ProviderID";
inline constexpr std::string_view kMachineMarkedUnhealthy = "MachineMarkedUnhealthy";
inline constexpr std::string_view kRemediationRestricted = "RemediationRestricted";
inline constexpr std::string_view kInfrastructureReady = "InfrastructureReady";
inline constexpr std::string_view kControlPlaneInitialized = "ControlPlaneInitialized";
inline constexpr std::string_view kDeleted = "Deleted";
// Ours: what is named or labelled for a Cluster that was deleted, and belongs to another one.
inline constexpr std::string_view kStrayMachines = "StrayMachines";
}  // namespace event

}  // namespace capstan::api
