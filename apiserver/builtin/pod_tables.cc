#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// Pods and what they are made of, volumes apart. The language of the table: schema/declare.h.
std::string_view pod_tables() {
  return R"(
@io.k8s.api.core.v1
ContainerPort: name hostPort:int32 containerPort:int32! protocol=TCP hostIP
ConfigMapEnvSource: name optional:bool?
SecretEnvSource: name optional:bool?
EnvFromSource: prefix configMapRef:ConfigMapEnvSource? secretRef:SecretEnvSource?
ConfigMapKeySelector#: name key! optional:bool?
SecretKeySelector#: name key! optional:bool?
FileKeySelector#: volumeName! path! key! optional:bool?
EnvVarSource: fieldRef:ObjectFieldSelector? resourceFieldRef:ResourceFieldSelector?
  configMapKeyRef:ConfigMapKeySelector? secretKeyRef:SecretKeySelector? fileKeyRef:FileKeySelector?
EnvVar: name! value valueFrom:EnvVarSource?
ResourceClaim: name! request
ResourceRequirements: limits:map(quantity) requests:map(quantity) claims[]{name}:ResourceClaim
ContainerResizePolicy: resourceName! restartPolicy!
ContainerRestartRuleOnExitCodes: operator! values[]{set}:int32
ContainerRestartRule: action! exitCodes:ContainerRestartRuleOnExitCodes?
VolumeMount: name! readOnly:bool recursiveReadOnly? mountPath! subPath mountPropagation? subPathExpr
VolumeDevice: name! devicePath!
ExecAction: command[]
HTTPHeader: name! value!
HTTPGetAction: path=/ port:intstr! host scheme=HTTP httpHeaders[]:HTTPHeader
TCPSocketAction: port:intstr! host
GRPCAction: port:int32! service?
Probe: exec:ExecAction? httpGet:HTTPGetAction? tcpSocket:TCPSocketAction? grpc:GRPCAction?
  initialDelaySeconds:int32 timeoutSeconds:int32=1 periodSeconds:int32=10 successThreshold:int32=1
  failureThreshold:int32=3 terminationGracePeriodSeconds:int64?
SleepAction: seconds:int64!
LifecycleHandler: exec:ExecAction? httpGet:HTTPGetAction? tcpSocket:TCPSocketAction? sleep:SleepAction?
Lifecycle: postStart:LifecycleHandler? preStop:LifecycleHandler? stopSignal?
Capabilities: add[] drop[]
SELinuxOptions: user role type level
WindowsSecurityContextOptions: gmsaCredentialSpecName? gmsaCredentialSpec? runAsUserName? hostProcess:bool?
SeccompProfile: type! localhostProfile?
AppArmorProfile: type! localhostProfile?
SecurityContext: capabilities:Capabilities? privileged:bool? seLinuxOptions:SELinuxOptions?
  windowsOptions:WindowsSecurityContextOptions? runAsUser:int64? runAsGroup:int64? runAsNonRoot:bool?
  readOnlyRootFilesystem:bool? allowPrivilegeEscalation:bool? procMount? seccompProfile:SeccompProfile?
  appArmorProfile:AppArmorProfile?
Container: name! image command[] args[] workingDir
  ports[]{containerPort,protocol}<containerPort>:ContainerPort envFrom[]:EnvFromSource
  env[]{name}<name>:EnvVar resources:ResourceRequirements resizePolicy[]:ContainerResizePolicy
  restartPolicy? restartPolicyRules[]:ContainerRestartRule volumeMounts[]{mountPath}<mountPath>:VolumeMount
  volumeDevices[]{devicePath}<devicePath>:VolumeDevice livenessProbe:Probe? readinessProbe:Probe?
  startupProbe:Probe? lifecycle:Lifecycle? terminationMessagePath=/dev/termination-log
  terminationMessagePolicy=File imagePullPolicy securityContext:SecurityContext? stdin:bool stdinOnce:bool
  tty:bool
EphemeralContainer: name! image command[] args[] workingDir
  ports[]{containerPort,protocol}<containerPort>:ContainerPort envFrom[]:EnvFromSource
  env[]{name}<name>:EnvVar resources:ResourceRequirements resizePolicy[]:ContainerResizePolicy
  restartPolicy? restartPolicyRules[]:ContainerRestartRule volumeMounts[]{mountPath}<mountPath>:VolumeMount
  volumeDevices[]{devicePath}<devicePath>:VolumeDevice livenessProbe:Probe? readinessProbe:Probe?
  startupProbe:Probe? lifecycle:Lifecycle? terminationMessagePath=/dev/termination-log
  terminationMessagePolicy=File imagePullPolicy securityContext:SecurityContext? stdin:bool stdinOnce:bool
  tty:bool targetContainerName
Sysctl: name! value!
PodSecurityContext: seLinuxOptions:SELinuxOptions? windowsOptions:WindowsSecurityContextOptions?
  runAsUser:int64? runAsGroup:int64? runAsNonRoot:bool? supplementalGroups[]:int64 supplementalGroupsPolicy?
  fsGroup:int64? sysctls[]:Sysctl fsGroupChangePolicy? seccompProfile:SeccompProfile?
  appArmorProfile:AppArmorProfile? seLinuxChangePolicy?
NodeSelectorRequirement: key! operator! values[]
NodeSelectorTerm#: matchExpressions[]:NodeSelectorRequirement matchFields[]:NodeSelectorRequirement
NodeSelector#: nodeSelectorTerms[]:NodeSelectorTerm!
PreferredSchedulingTerm: weight:int32! preference:NodeSelectorTerm!
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution:NodeSelector?
  preferredDuringSchedulingIgnoredDuringExecution[]:PreferredSchedulingTerm
PodAffinityTerm: labelSelector:LabelSelector? namespaces[] topologyKey! namespaceSelector:LabelSelector?
  matchLabelKeys[] mismatchLabelKeys[]
WeightedPodAffinityTerm: weight:int32! podAffinityTerm:PodAffinityTerm!
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm
Affinity: nodeAffinity:NodeAffinity? podAffinity:PodAffinity? podAntiAffinity:PodAntiAffinity?
Toleration: key operator value effect tolerationSeconds:int64?
HostAlias: ip! hostnames[]
PodDNSConfigOption: name value?
PodDNSConfig: nameservers[] searches[] options[]:PodDNSConfigOption
PodReadinessGate: conditionType!
TopologySpreadConstraint: maxSkew:int32! topologyKey! whenUnsatisfiable! labelSelector:LabelSelector?
  minDomains:int32? nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys[]
PodOS: name!
PodSchedulingGate: name!
PodResourceClaim: name! resourceClaimName? resourceClaimTemplateName?
PodSchedulingGroup: podGroupName?
PodSpec: volumes[]{name}<name>~:Volume initContainers[]{name}<name>:Container
  containers[]{name}<name>:Container! ephemeralContainers[]{name}<name>:EphemeralContainer
  restartPolicy=Always terminationGracePeriodSeconds:int64?=30 activeDeadlineSeconds:int64?
  dnsPolicy=ClusterFirst nodeSelector#:map(string) serviceAccountName serviceAccount
  automountServiceAccountToken:bool? nodeName hostNetwork:bool hostPID:bool hostIPC:bool
  shareProcessNamespace:bool? securityContext:PodSecurityContext?={}
  imagePullSecrets[]{name}<name>:LocalObjectReference hostname subdomain affinity:Affinity?
  schedulerName=default-scheduler tolerations[]:Toleration hostAliases[]{ip}<ip>:HostAlias priorityClassName
  priority:int32? dnsConfig:PodDNSConfig? readinessGates[]:PodReadinessGate runtimeClassName?
  enableServiceLinks:bool? preemptionPolicy? overhead:map(quantity)
  topologySpreadConstraints[]{topologyKey,whenUnsatisfiable}<topologyKey>:TopologySpreadConstraint
  setHostnameAsFQDN:bool? os:PodOS? hostUsers:bool? schedulingGates[]{name}<name>:PodSchedulingGate
  resourceClaims[]{name}<name>~:PodResourceClaim resources:ResourceRequirements? hostnameOverride?
  schedulingGroup:PodSchedulingGroup?
PodCondition: type! observedGeneration:int64 status! lastProbeTime:time lastTransitionTime:time reason
  message
HostIP: ip!
PodIP: ip!
ContainerStateWaiting: reason message
ContainerStateRunning: startedAt:time
ContainerStateTerminated: exitCode:int32! signal:int32 reason message startedAt:time finishedAt:time
  containerID
ContainerState: waiting:ContainerStateWaiting? running:ContainerStateRunning?
  terminated:ContainerStateTerminated?
ImageVolumeStatus: imageRef!
VolumeStatus: image:ImageVolumeStatus?
VolumeMountStatus: name! mountPath! readOnly:bool recursiveReadOnly? volumeStatus:VolumeStatus?
LinuxContainerUser: uid:int64! gid:int64! supplementalGroups[]:int64
ContainerUser: linux:LinuxContainerUser?
ResourceHealth: resourceID! health message?
ResourceStatus: name! resources[]{resourceID}:ResourceHealth
ContainerStatus: name! state:ContainerState lastState:ContainerState ready:bool! restartCount:int32! image!
  imageID! containerID started:bool? allocatedResources:map(quantity) resources:ResourceRequirements?
  volumeMounts[]{mountPath}<mountPath>:VolumeMountStatus user:ContainerUser?
  allocatedResourcesStatus[]{name}<name>:ResourceStatus stopSignal?
PodResourceClaimStatus: name! resourceClaimName?
ContainerExtendedResourceRequest: containerName! resourceName! requestName!
PodExtendedResourceClaimStatus: requestMappings[]:ContainerExtendedResourceRequest! resourceClaimName!
NodeAllocatableResourceClaimStatus: resourceClaimName! containers[]{set} resources:map(quantity)!
PodStatus: observedGeneration:int64 phase conditions[]{type}<type>:PodCondition message reason
  nominatedNodeName hostIP hostIPs[]<ip>:HostIP podIP podIPs[]{ip}<ip>:PodIP startTime:time?
  initContainerStatuses[]:ContainerStatus containerStatuses[]:ContainerStatus qosClass
  ephemeralContainerStatuses[]:ContainerStatus resize
  resourceClaimStatuses[]{name}<name>~:PodResourceClaimStatus
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus? allocatedResources:map(quantity)
  resources:ResourceRequirements? nodeAllocatableResourceClaimStatuses[]:NodeAllocatableResourceClaimStatus
Pod: metadata:ObjectMeta spec:PodSpec status:PodStatus
)";
}

}  // namespace capstan::apiserver
