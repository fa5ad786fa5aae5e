#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// The other kinds of the core group. The language of the table: schema/declare.h.
std::string_view core_tables() {
  return R"(
@io.k8s.api.core.v1
Taint: key! value effect! timeAdded:time?
ConfigMapNodeConfigSource: namespace! name! uid resourceVersion kubeletConfigKey!
NodeConfigSource: configMap:ConfigMapNodeConfigSource?
NodeSpec: podCIDR podCIDRs[]{set}<> providerID unschedulable:bool taints[]:Taint
  configSource:NodeConfigSource? externalID
NodeCondition: type! status! lastHeartbeatTime:time lastTransitionTime:time reason message
NodeAddress: type! address!
DaemonEndpoint: Port:int32!
NodeDaemonEndpoints: kubeletEndpoint:DaemonEndpoint
NodeSwapStatus: capacity:int64?
NodeSystemInfo: machineID! systemUUID! bootID! kernelVersion! osImage! containerRuntimeVersion!
  kubeletVersion! kubeProxyVersion! operatingSystem! architecture! swap:NodeSwapStatus?
ContainerImage: names[]! sizeBytes:int64
AttachedVolume: name! devicePath!
NodeConfigStatus: assigned:NodeConfigSource? active:NodeConfigSource? lastKnownGood:NodeConfigSource? error
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts:bool? userNamespaces:bool?
NodeRuntimeHandler: name! features:NodeRuntimeHandlerFeatures?
NodeFeatures: supplementalGroupsPolicy:bool?
NodeStatus: capacity:map(quantity) allocatable:map(quantity) phase conditions[]{type}<type>:NodeCondition
  addresses[]{type}<type>:NodeAddress daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo
  images[]:ContainerImage volumesInUse[] volumesAttached[]:AttachedVolume config:NodeConfigStatus?
  runtimeHandlers[]:NodeRuntimeHandler features:NodeFeatures? declaredFeatures[]
Node: metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NamespaceSpec: finalizers[]
NamespaceCondition: type! status! lastTransitionTime:time reason message
NamespaceStatus: phase=Active conditions[]{type}<type>:NamespaceCondition
Namespace: metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
ConfigMap: metadata:ObjectMeta immutable:bool? data:map(string) binaryData:map(bytes)
Secret: metadata:ObjectMeta immutable:bool? data:map(bytes) stringData:map(string) type=Opaque
ObjectReference#: kind namespace name uid apiVersion resourceVersion fieldPath
EventSource: component host
EventSeries: count:int32 lastObservedTime:microtime
Event: metadata:ObjectMeta involvedObject:ObjectReference! reason message source:EventSource
  firstTimestamp:time lastTimestamp:time count:int32 type eventTime:microtime series:EventSeries? action
  related:ObjectReference? reportingComponent! reportingInstance!
ServiceAccount: metadata:ObjectMeta secrets[]{name}<name>:ObjectReference
  imagePullSecrets[]:LocalObjectReference automountServiceAccountToken:bool?
ServicePort: name protocol=TCP appProtocol? port:int32! targetPort:intstr nodePort:int32
ClientIPConfig: timeoutSeconds:int32?
SessionAffinityConfig: clientIP:ClientIPConfig?
ServiceSpec: ports[]{port,protocol}<port>:ServicePort selector#:map(string) clusterIP clusterIPs[]
  type=ClusterIP externalIPs[] sessionAffinity=None loadBalancerIP loadBalancerSourceRanges[] externalName
  externalTrafficPolicy healthCheckNodePort:int32 publishNotReadyAddresses:bool
  sessionAffinityConfig:SessionAffinityConfig? ipFamilies[] ipFamilyPolicy?
  allocateLoadBalancerNodePorts:bool? loadBalancerClass? internalTrafficPolicy?=Cluster trafficDistribution?
PortStatus: port:int32! protocol! error?
LoadBalancerIngress: ip hostname ipMode? ports[]:PortStatus
LoadBalancerStatus: ingress[]:LoadBalancerIngress
ServiceStatus: loadBalancer:LoadBalancerStatus conditions[]{type}<type>:Condition
Service: metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
EndpointAddress#: ip! hostname nodeName? targetRef:ObjectReference?
EndpointPort#: name port:int32! protocol=TCP appProtocol?
EndpointSubset: addresses[]:EndpointAddress notReadyAddresses[]:EndpointAddress ports[]:EndpointPort
Endpoints: metadata:ObjectMeta subsets[]:EndpointSubset
PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
PersistentVolumeClaimCondition: type! status! lastProbeTime:time lastTransitionTime:time reason message
ModifyVolumeStatus: targetVolumeAttributesClassName status!
PersistentVolumeClaimStatus: phase=Pending accessModes[] capacity:map(quantity)
  conditions[]{type}<type>:PersistentVolumeClaimCondition allocatedResources:map(quantity)
  allocatedResourceStatuses:map(string) currentVolumeAttributesClassName?
  modifyVolumeStatus:ModifyVolumeStatus?
PersistentVolumeClaim: metadata:ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus
GlusterfsPersistentVolumeSource: endpoints! path! readOnly:bool endpointsNamespace?
SecretReference#: name namespace
RBDPersistentVolumeSource: monitors[]! image! fsType pool user keyring secretRef:SecretReference?
  readOnly:bool
ISCSIPersistentVolumeSource: targetPortal! iqn! lun:int32! iscsiInterface fsType readOnly:bool portals[]
  chapAuthDiscovery:bool chapAuthSession:bool secretRef:SecretReference? initiatorName?
CinderPersistentVolumeSource: volumeID! fsType readOnly:bool secretRef:SecretReference?
CephFSPersistentVolumeSource: monitors[]! path user secretFile secretRef:SecretReference? readOnly:bool
FlexPersistentVolumeSource: driver! fsType secretRef:SecretReference? readOnly:bool options:map(string)
AzureFilePersistentVolumeSource: secretName! shareName! readOnly:bool secretNamespace?
ScaleIOPersistentVolumeSource: gateway! system! secretRef:SecretReference?! sslEnabled:bool protectionDomain
  storagePool storageMode volumeName fsType readOnly:bool
LocalVolumeSource: path! fsType?
StorageOSPersistentVolumeSource: volumeName volumeNamespace fsType readOnly:bool secretRef:ObjectReference?
CSIPersistentVolumeSource: driver! volumeHandle! readOnly:bool fsType volumeAttributes:map(string)
  controllerPublishSecretRef:SecretReference? nodeStageSecretRef:SecretReference?
  nodePublishSecretRef:SecretReference? controllerExpandSecretRef:SecretReference?
  nodeExpandSecretRef:SecretReference?
VolumeNodeAffinity: required:NodeSelector?
PersistentVolumeSpec: capacity:map(quantity) gcePersistentDisk:GCEPersistentDiskVolumeSource?
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource? hostPath:HostPathVolumeSource?
  glusterfs:GlusterfsPersistentVolumeSource? nfs:NFSVolumeSource? rbd:RBDPersistentVolumeSource?
  iscsi:ISCSIPersistentVolumeSource? cinder:CinderPersistentVolumeSource?
  cephfs:CephFSPersistentVolumeSource? fc:FCVolumeSource? flocker:FlockerVolumeSource?
  flexVolume:FlexPersistentVolumeSource? azureFile:AzureFilePersistentVolumeSource?
  vsphereVolume:VsphereVirtualDiskVolumeSource? quobyte:QuobyteVolumeSource?
  azureDisk:AzureDiskVolumeSource? photonPersistentDisk:PhotonPersistentDiskVolumeSource?
  portworxVolume:PortworxVolumeSource? scaleIO:ScaleIOPersistentVolumeSource? local:LocalVolumeSource?
  storageos:StorageOSPersistentVolumeSource? csi:CSIPersistentVolumeSource? accessModes[]
  claimRef:ObjectReference? persistentVolumeReclaimPolicy=Retain storageClassName mountOptions[]
  volumeMode?=Filesystem nodeAffinity:VolumeNodeAffinity? volumeAttributesClassName?
TopologySelectorLabelRequirement: key! values[]!
TopologySelectorTerm#: matchLabelExpressions[]:TopologySelectorLabelRequirement
PersistentVolumeStatus: phase=Pending message reason lastPhaseTransitionTime:time?
PersistentVolume: metadata:ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
Binding: metadata:ObjectMeta target:ObjectReference!
)";
}

}  // namespace capstan::apiserver
