#include "apiserver/builtin/tables.h"

namespace capstan::apiserver {

// Roles, and the reviews of tokens and permissions. The language of the table: schema/declare.h.
std::string_view access_tables() {
  return R"(
@io.k8s.api.rbac.v1
PolicyRule: verbs[]! apiGroups[] resources[] resourceNames[] nonResourceURLs[]
Role: metadata:ObjectMeta rules[]:PolicyRule!
Subject#: kind! apiGroup name! namespace
RoleRef#: apiGroup! kind! name!
RoleBinding: metadata:ObjectMeta subjects[]:Subject roleRef:RoleRef!
AggregationRule: clusterRoleSelectors[]:LabelSelector
ClusterRole: metadata:ObjectMeta rules[]:PolicyRule! aggregationRule:AggregationRule?
ClusterRoleBinding: metadata:ObjectMeta subjects[]:Subject roleRef:RoleRef!
@io.k8s.api.authentication.v1
TokenReviewSpec: token! audiences[]
UserInfo: username uid groups[] extra:map(string[])
TokenReviewStatus: authenticated:bool user:UserInfo audiences[] error
TokenReview: metadata:ObjectMeta spec:TokenReviewSpec! status:TokenReviewStatus
BoundObjectReference: kind apiVersion name uid
TokenRequestSpec: audiences[]! expirationSeconds:int64? boundObjectRef:BoundObjectReference?
TokenRequestStatus: token! expirationTimestamp:time!
TokenRequest: metadata:ObjectMeta spec:TokenRequestSpec! status:TokenRequestStatus
SelfSubjectReviewStatus: userInfo:UserInfo
SelfSubjectReview: metadata:ObjectMeta status:SelfSubjectReviewStatus
@io.k8s.api.authorization.v1
FieldSelectorAttributes: rawSelector requirements[]:FieldSelectorRequirement
LabelSelectorAttributes: rawSelector requirements[]:LabelSelectorRequirement
ResourceAttributes: namespace verb group version resource subresource name
  fieldSelector:FieldSelectorAttributes? labelSelector:LabelSelectorAttributes?
NonResourceAttributes: path verb
SubjectAccessReviewSpec: resourceAttributes:ResourceAttributes? nonResourceAttributes:NonResourceAttributes?
  user groups[] extra:map(string[]) uid
SubjectAccessReviewStatus: allowed:bool! denied:bool reason evaluationError
SubjectAccessReview: metadata:ObjectMeta spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: resourceAttributes:ResourceAttributes?
  nonResourceAttributes:NonResourceAttributes?
SelfSubjectAccessReview: metadata:ObjectMeta spec:SelfSubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
SelfSubjectRulesReviewSpec: namespace
ResourceRule: verbs[]! apiGroups[] resources[] resourceNames[]
NonResourceRule: verbs[]! nonResourceURLs[]
SubjectRulesReviewStatus: resourceRules[]:ResourceRule! nonResourceRules[]:NonResourceRule! incomplete:bool!
  evaluationError
SelfSubjectRulesReview: metadata:ObjectMeta spec:SelfSubjectRulesReviewSpec! status:SubjectRulesReviewStatus
)";
}

}  // namespace capstan::apiserver
