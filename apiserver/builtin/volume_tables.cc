#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// Where the volumes of pods and the persistent ones come from. The language of the table: schema/declare.h.
std::string_view volume_tables() {
  return R"(
@io.k8s.api.core.v1
HostPathVolumeSource: path! type?=""
EmptyDirVolumeSource: medium sizeLimit:quantity?
GCEPersistentDiskVolumeSource: pdName! fsType partition:int32 readOnly:bool
AWSElasticBlockStoreVolumeSource: volumeID! fsType partition:int32 readOnly:bool
GitRepoVolumeSource: repository! revision directory
KeyToPath: key! path! mode:int32?
SecretVolumeSource: secretName items[]:KeyToPath defaultMode:int32?=420 optional:bool?
NFSVolumeSource: server! path! readOnly:bool
LocalObjectReference#: name
ISCSIVolumeSource: targetPortal! iqn! lun:int32! iscsiInterface fsType readOnly:bool portals[]
  chapAuthDiscovery:bool chapAuthSession:bool secretRef:LocalObjectReference? initiatorName?
GlusterfsVolumeSource: endpoints! path! readOnly:bool
PersistentVolumeClaimVolumeSource: claimName! readOnly:bool
RBDVolumeSource: monitors[]! image! fsType pool user keyring secretRef:LocalObjectReference? readOnly:bool
FlexVolumeSource: driver! fsType secretRef:LocalObjectReference? readOnly:bool options:map(string)
CinderVolumeSource: volumeID! fsType readOnly:bool secretRef:LocalObjectReference?
CephFSVolumeSource: monitors[]! path user secretFile secretRef:LocalObjectReference? readOnly:bool
FlockerVolumeSource: datasetName datasetUUID
ObjectFieldSelector#: apiVersion=v1 fieldPath!
ResourceFieldSelector#: containerName resource! divisor:quantity=0
DownwardAPIVolumeFile: path! fieldRef:ObjectFieldSelector? resourceFieldRef:ResourceFieldSelector?
  mode:int32?
DownwardAPIVolumeSource: items[]:DownwardAPIVolumeFile defaultMode:int32?=420
FCVolumeSource: targetWWNs[] lun:int32? fsType readOnly:bool wwids[]
AzureFileVolumeSource: secretName! shareName! readOnly:bool
ConfigMapVolumeSource: name items[]:KeyToPath defaultMode:int32?=420 optional:bool?
VsphereVirtualDiskVolumeSource: volumePath! fsType storagePolicyName storagePolicyID
QuobyteVolumeSource: registry! volume! readOnly:bool user group tenant
AzureDiskVolumeSource: diskName! diskURI! cachingMode? fsType? readOnly:bool? kind?
PhotonPersistentDiskVolumeSource: pdID! fsType
SecretProjection: name items[]:KeyToPath optional:bool?
DownwardAPIProjection: items[]:DownwardAPIVolumeFile
ConfigMapProjection: name items[]:KeyToPath optional:bool?
ServiceAccountTokenProjection: audience expirationSeconds:int64?=3600 path!
ClusterTrustBundleProjection: name? signerName? labelSelector:LabelSelector? optional:bool? path!
PodCertificateProjection: signerName! keyType! maxExpirationSeconds:int32? credentialBundlePath keyPath
  certificateChainPath userAnnotations:map(string)
VolumeProjection: secret:SecretProjection? downwardAPI:DownwardAPIProjection? configMap:ConfigMapProjection?
  serviceAccountToken:ServiceAccountTokenProjection? clusterTrustBundle:ClusterTrustBundleProjection?
  podCertificate:PodCertificateProjection?
ProjectedVolumeSource: sources[]:VolumeProjection! defaultMode:int32?=420
PortworxVolumeSource: volumeID! fsType readOnly:bool
ScaleIOVolumeSource: gateway! system! secretRef:LocalObjectReference?! sslEnabled:bool protectionDomain
  storagePool storageMode volumeName fsType readOnly:bool
StorageOSVolumeSource: volumeName volumeNamespace fsType readOnly:bool secretRef:LocalObjectReference?
CSIVolumeSource: driver! readOnly:bool? fsType? volumeAttributes:map(string)
  nodePublishSecretRef:LocalObjectReference?
VolumeResourceRequirements: limits:map(quantity) requests:map(quantity)
TypedLocalObjectReference#: apiGroup? kind! name!
TypedObjectReference: apiGroup? kind! name! namespace?
PersistentVolumeClaimSpec: accessModes[] selector:LabelSelector? resources:VolumeResourceRequirements
  volumeName storageClassName? volumeMode?=Filesystem dataSource:TypedLocalObjectReference?
  dataSourceRef:TypedObjectReference? volumeAttributesClassName?
PersistentVolumeClaimTemplate: metadata:ObjectMeta spec:PersistentVolumeClaimSpec!
EphemeralVolumeSource: volumeClaimTemplate:PersistentVolumeClaimTemplate?
ImageVolumeSource: reference pullPolicy
Volume: name! hostPath:HostPathVolumeSource? emptyDir:EmptyDirVolumeSource?
  gcePersistentDisk:GCEPersistentDiskVolumeSource? awsElasticBlockStore:AWSElasticBlockStoreVolumeSource?
  gitRepo:GitRepoVolumeSource? secret:SecretVolumeSource? nfs:NFSVolumeSource? iscsi:ISCSIVolumeSource?
  glusterfs:GlusterfsVolumeSource? persistentVolumeClaim:PersistentVolumeClaimVolumeSource?
  rbd:RBDVolumeSource? flexVolume:FlexVolumeSource? cinder:CinderVolumeSource? cephfs:CephFSVolumeSource?
  flocker:FlockerVolumeSource? downwardAPI:DownwardAPIVolumeSource? fc:FCVolumeSource?
  azureFile:AzureFileVolumeSource? configMap:ConfigMapVolumeSource?
  vsphereVolume:VsphereVirtualDiskVolumeSource? quobyte:QuobyteVolumeSource?
  azureDisk:AzureDiskVolumeSource? photonPersistentDisk:PhotonPersistentDiskVolumeSource?
  projected:ProjectedVolumeSource? portworxVolume:PortworxVolumeSource? scaleIO:ScaleIOVolumeSource?
  storageos:StorageOSVolumeSource? csi:CSIVolumeSource? ephemeral:EphemeralVolumeSource?
  image:ImageVolumeSource?
)";
}

}  // namespace capstan::apiserver
