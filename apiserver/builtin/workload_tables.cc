#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// Workload kinds, disruption budgets, scale, leases and priorities. The language of the table:
// schema/declare.h.
std::string_view workload_tables() {
  return R"(
@io.k8s.api.apps.v1
RollingUpdateDeployment: maxUnavailable:intstr?="25%" maxSurge:intstr?="25%"
DeploymentStrategy: type=RollingUpdate rollingUpdate:RollingUpdateDeployment?
DeploymentSpec: replicas:int32?=1 selector:LabelSelector?! template:PodTemplateSpec!
  strategy~:DeploymentStrategy minReadySeconds:int32 revisionHistoryLimit:int32?=10 paused:bool
  progressDeadlineSeconds:int32?=600
DeploymentCondition: type! status! lastUpdateTime:time lastTransitionTime:time reason message
DeploymentStatus: observedGeneration:int64 replicas:int32 updatedReplicas:int32 readyReplicas:int32
  availableReplicas:int32 unavailableReplicas:int32 terminatingReplicas:int32?
  conditions[]{type}<type>:DeploymentCondition collisionCount:int32?
Deployment: metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
ReplicaSetSpec: replicas:int32?=1 minReadySeconds:int32 selector:LabelSelector?! template:PodTemplateSpec
ReplicaSetCondition: type! status! lastTransitionTime:time reason message
ReplicaSetStatus: replicas:int32! fullyLabeledReplicas:int32 readyReplicas:int32 availableReplicas:int32
  terminatingReplicas:int32? observedGeneration:int64 conditions[]{type}<type>:ReplicaSetCondition
ReplicaSet: metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
RollingUpdateDaemonSet: maxUnavailable:intstr?=1 maxSurge:intstr?=0
DaemonSetUpdateStrategy: type=RollingUpdate rollingUpdate:RollingUpdateDaemonSet?
DaemonSetSpec: selector:LabelSelector?! template:PodTemplateSpec! updateStrategy:DaemonSetUpdateStrategy
  minReadySeconds:int32 revisionHistoryLimit:int32?=10
DaemonSetCondition: type! status! lastTransitionTime:time reason message
DaemonSetStatus: currentNumberScheduled:int32! numberMisscheduled:int32! desiredNumberScheduled:int32!
  numberReady:int32! observedGeneration:int64 updatedNumberScheduled:int32 numberAvailable:int32
  numberUnavailable:int32 collisionCount:int32? conditions[]{type}<type>:DaemonSetCondition
DaemonSet: metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
RollingUpdateStatefulSetStrategy: partition:int32?=0 maxUnavailable:intstr?
StatefulSetUpdateStrategy: type=RollingUpdate rollingUpdate:RollingUpdateStatefulSetStrategy?
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted=Retain whenScaled=Retain
StatefulSetOrdinals: start:int32!
StatefulSetSpec: replicas:int32?=1 selector:LabelSelector?! template:PodTemplateSpec!
  volumeClaimTemplates[]:PersistentVolumeClaim serviceName! podManagementPolicy=OrderedReady
  updateStrategy:StatefulSetUpdateStrategy revisionHistoryLimit:int32?=10 minReadySeconds:int32
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy?={}
  ordinals:StatefulSetOrdinals?
StatefulSetCondition: type! status! lastTransitionTime:time reason message
StatefulSetStatus: observedGeneration:int64 replicas:int32! readyReplicas:int32 currentReplicas:int32
  updatedReplicas:int32 currentRevision updateRevision collisionCount:int32?
  conditions[]{type}<type>:StatefulSetCondition availableReplicas:int32!
StatefulSet: metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
@io.k8s.api.policy.v1
PodDisruptionBudgetSpec: minAvailable:intstr? selector:LabelSelector? maxUnavailable:intstr?
  unhealthyPodEvictionPolicy?
PodDisruptionBudgetStatus: observedGeneration:int64 disruptedPods:map(time) disruptionsAllowed:int32!
  currentHealthy:int32! desiredHealthy:int32! expectedPods:int32! conditions[]{type}<type>:Condition
PodDisruptionBudget: metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
Eviction: metadata:ObjectMeta deleteOptions:DeleteOptions?
@io.k8s.api.coordination.v1
LeaseSpec: holderIdentity? leaseDurationSeconds:int32? acquireTime:microtime? renewTime:microtime?
  leaseTransitions:int32? strategy? preferredHolder?
Lease: metadata:ObjectMeta spec:LeaseSpec
@io.k8s.api.batch.v1
PodFailurePolicyOnExitCodesRequirement: containerName? operator! values[]{set}:int32!
PodFailurePolicyOnPodConditionsPattern: type! status!
PodFailurePolicyRule: action! onExitCodes:PodFailurePolicyOnExitCodesRequirement?
  onPodConditions[]:PodFailurePolicyOnPodConditionsPattern
PodFailurePolicy: rules[]:PodFailurePolicyRule!
SuccessPolicyRule: succeededIndexes? succeededCount:int32?
SuccessPolicy: rules[]:SuccessPolicyRule!
JobSpec: parallelism:int32? completions:int32? activeDeadlineSeconds:int64?
  podFailurePolicy:PodFailurePolicy? successPolicy:SuccessPolicy? backoffLimit:int32?=6
  backoffLimitPerIndex:int32? maxFailedIndexes:int32? selector:LabelSelector? manualSelector:bool?
  template:PodTemplateSpec! ttlSecondsAfterFinished:int32? completionMode?=NonIndexed suspend:bool?=false
  podReplacementPolicy?=TerminatingOrFailed managedBy?
JobCondition: type! status! lastProbeTime:time lastTransitionTime:time reason message
UncountedTerminatedPods: succeeded[]{set} failed[]{set}
JobStatus: conditions[]<type>:JobCondition startTime:time? completionTime:time? active:int32 succeeded:int32
  failed:int32 terminating:int32? completedIndexes failedIndexes?
  uncountedTerminatedPods:UncountedTerminatedPods? ready:int32?
Job: metadata:ObjectMeta spec:JobSpec status:JobStatus
@io.k8s.api.autoscaling.v1
ScaleSpec: replicas:int32
ScaleStatus: replicas:int32! selector
Scale: metadata:ObjectMeta spec:ScaleSpec status:ScaleStatus
@io.k8s.api.scheduling.v1
PriorityClass: metadata:ObjectMeta value:int32! globalDefault:bool description preemptionPolicy?
)";
}

}  // namespace capstan::apiserver
