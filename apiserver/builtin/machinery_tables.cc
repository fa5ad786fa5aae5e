#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// Metadata, webhook configurations, CRDs, storage and endpoint slices. The language of the table:
// schema/declare.h.
std::string_view machinery_tables() {
  return R"(
@io.k8s.apimachinery.pkg.apis.meta.v1
OwnerReference#: apiVersion! kind! name! uid! controller:bool? blockOwnerDeletion:bool?
ManagedFieldsEntry: manager operation apiVersion time:time? fieldsType fieldsV1:any? subresource
ObjectMeta: name generateName namespace selfLink uid resourceVersion generation:int64
  creationTimestamp:time0 deletionTimestamp:time? deletionGracePeriodSeconds:int64? labels:map(string)
  annotations:map(string) ownerReferences[]{uid}<uid>:OwnerReference finalizers[]{set}<>
  managedFields[]:ManagedFieldsEntry
LabelSelectorRequirement: key! operator! values[]
LabelSelector#: matchLabels:map(string) matchExpressions[]:LabelSelectorRequirement
Condition: type! status! observedGeneration:int64 lastTransitionTime:time! reason! message!
FieldSelectorRequirement: key! operator! values[]
Preconditions: uid? resourceVersion?
DeleteOptions: gracePeriodSeconds:int64? preconditions:Preconditions? orphanDependents:bool?
  propagationPolicy? dryRun[] ignoreStoreReadErrorWithClusterBreakingPotential:bool?
@io.k8s.api.storage.v1
VolumeAttachmentSource: persistentVolumeName? inlineVolumeSpec:PersistentVolumeSpec?
VolumeAttachmentSpec: attacher! source:VolumeAttachmentSource! nodeName!
VolumeError: time:time message errorCode:int32?
VolumeAttachmentStatus: attached:bool! attachmentMetadata:map(string) attachError:VolumeError?
  detachError:VolumeError?
VolumeAttachment: metadata:ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
StorageClass: metadata:ObjectMeta provisioner! parameters:map(string) reclaimPolicy?=Delete mountOptions[]
  allowVolumeExpansion:bool? volumeBindingMode?=Immediate allowedTopologies[]:TopologySelectorTerm
VolumeNodeResources: count:int32?
CSINodeDriver: name! nodeID! topologyKeys[]! allocatable:VolumeNodeResources?
CSINodeSpec: drivers[]{name}<name>:CSINodeDriver!
CSINode: metadata:ObjectMeta spec:CSINodeSpec!
TokenRequest: audience! expirationSeconds:int64?
CSIDriverSpec: attachRequired:bool? podInfoOnMount:bool? volumeLifecycleModes[]{set} storageCapacity:bool?
  fsGroupPolicy? tokenRequests[]:TokenRequest requiresRepublish:bool? seLinuxMount:bool?
  nodeAllocatableUpdatePeriodSeconds:int64? serviceAccountTokenInSecrets:bool?
  preventPodSchedulingIfMissing:bool?
CSIDriver: metadata:ObjectMeta spec:CSIDriverSpec!
@io.k8s.api.admissionregistration.v1
ServiceReference: namespace! name! path? port:int32?=443
WebhookClientConfig: url? service:ServiceReference? caBundle:bytes
RuleWithOperations: operations[] apiGroups[] apiVersions[] resources[] scope?=*
MatchCondition: name! expression!
MutatingWebhook: name! clientConfig:WebhookClientConfig! rules[]:RuleWithOperations failurePolicy?=Fail
  matchPolicy?=Equivalent namespaceSelector:LabelSelector?={} objectSelector:LabelSelector?={} sideEffects?!
  timeoutSeconds:int32?=10 admissionReviewVersions[]! reinvocationPolicy?=Never
  matchConditions[]{name}<name>:MatchCondition
MutatingWebhookConfiguration: metadata:ObjectMeta webhooks[]{name}<name>:MutatingWebhook
ValidatingWebhook: name! clientConfig:WebhookClientConfig! rules[]:RuleWithOperations failurePolicy?=Fail
  matchPolicy?=Equivalent namespaceSelector:LabelSelector?={} objectSelector:LabelSelector?={} sideEffects?!
  timeoutSeconds:int32?=10 admissionReviewVersions[]! matchConditions[]{name}<name>:MatchCondition
ValidatingWebhookConfiguration: metadata:ObjectMeta webhooks[]{name}<name>:ValidatingWebhook
@io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
CustomResourceDefinitionNames: plural! singular shortNames[] kind! listKind categories[]
CustomResourceValidation: openAPIV3Schema:any?
CustomResourceSubresourceScale: specReplicasPath! statusReplicasPath! labelSelectorPath?
CustomResourceSubresources: status:any? scale:CustomResourceSubresourceScale?
CustomResourceColumnDefinition: name! type! format description priority:int32 jsonPath!
SelectableField: jsonPath!
CustomResourceDefinitionVersion: name! served:bool! storage:bool! deprecated:bool deprecationWarning?
  schema:CustomResourceValidation? subresources:CustomResourceSubresources?
  additionalPrinterColumns[]:CustomResourceColumnDefinition selectableFields[]:SelectableField
ServiceReference: namespace! name! path? port:int32?=443
WebhookClientConfig: url? service:ServiceReference? caBundle:bytes
WebhookConversion: clientConfig:WebhookClientConfig? conversionReviewVersions[]!
CustomResourceConversion: strategy! webhook:WebhookConversion?
CustomResourceDefinitionSpec: group! names:CustomResourceDefinitionNames! scope!
  versions[]:CustomResourceDefinitionVersion! conversion:CustomResourceConversion?={"strategy":"None"}
  preserveUnknownFields:bool
CustomResourceDefinitionCondition: type! status! lastTransitionTime:time reason message
  observedGeneration:int64
CustomResourceDefinitionStatus: conditions[]{type}:CustomResourceDefinitionCondition!
  acceptedNames:CustomResourceDefinitionNames! storedVersions[]! observedGeneration:int64
CustomResourceDefinition: metadata:ObjectMeta spec:CustomResourceDefinitionSpec!
  status:CustomResourceDefinitionStatus
@io.k8s.api.discovery.v1
EndpointConditions: ready:bool? serving:bool? terminating:bool?
ForZone: name!
ForNode: name!
EndpointHints: forZones[]:ForZone forNodes[]:ForNode
Endpoint: addresses[]{set}! conditions:EndpointConditions hostname? targetRef:ObjectReference?
  deprecatedTopology:map(string) nodeName? zone? hints:EndpointHints?
EndpointPort#: name? protocol? port:int32? appProtocol?
EndpointSlice: metadata:ObjectMeta addressType! endpoints[]:Endpoint! ports[]:EndpointPort!
)";
}

}  // namespace capstan::apiserver
