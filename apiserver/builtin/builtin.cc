#include "apiserver/builtin/builtin.h"

#include <algorithm>
#include <cctype>

#include "apiserver/builtin/strategies.h"
#include "apiserver/builtin/tables.h"
#include "apiserver/schema/declare.h"
#include "apiserver/schema/decode.h"

namespace capstan::apiserver {
namespace {

struct Row {
  std::string group = {};
  std::string kind = {};
  std::string plural = {};
  std::string type = {};  // in the tables
  bool namespaced = true;
  const Strategy* strategy = nullptr;
  bool status = false;
  std::vector<std::string> short_names = {};
  std::vector<std::string> selectable = {};
  std::vector<std::string> categories = {};
  bool scale = false;
  std::vector<ExtraSubresource> extra = {};
};

constexpr auto kCore = "io.k8s.api.core.v1.";
constexpr auto kApps = "io.k8s.api.apps.v1.";
constexpr auto kRbac = "io.k8s.api.rbac.v1.";
constexpr auto kAdmission = "io.k8s.api.admissionregistration.v1.";
constexpr auto kStorage = "io.k8s.api.storage.v1.";
constexpr auto kExtensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

const std::vector<std::string> kPodFields = {
    ".spec.nodeName",           ".spec.restartPolicy", ".spec.schedulerName", ".spec.serviceAccountName",
    ".spec.hostNetwork",        ".status.phase",       ".status.podIP",       ".status.podIPs",
    ".status.nominatedNodeName"};
const std::vector<std::string> kEventFields = {".involvedObject.kind",
                                               ".involvedObject.namespace",
                                               ".involvedObject.name",
                                               ".involvedObject.uid",
                                               ".involvedObject.apiVersion",
                                               ".involvedObject.resourceVersion",
                                               ".involvedObject.fieldPath",
                                               ".reason",
                                               ".reportingComponent",
                                               ".source",
                                               ".type"};

ExtraSubresource eviction() { return {"eviction", "policy", "v1", "Eviction", {"create"}}; }
ExtraSubresource binding() { return {"binding", "", "v1", "Binding", {"create"}}; }
ExtraSubresource token() { return {"token", "authentication.k8s.io", "v1", "TokenRequest", {"create"}}; }
ExtraSubresource finalize() { return {"finalize", "", "v1", "Namespace", {"update"}}; }

std::vector<Row> core_rows() {
  return {
      {"",
       "Namespace",
       "namespaces",
       "",
       false,
       &kNamespace,
       true,
       {"ns"},
       {".status.phase"},
       {},
       false,
       {finalize()}},
      {"", "ConfigMap", "configmaps", "", true, &kConfigMap, false, {"cm"}},
      {"", "Secret", "secrets", "", true, &kSecret, false, {}, {".type"}},
      {"", "Node", "nodes", "", false, &kNode, true, {"no"}, {".spec.unschedulable"}},
      {"", "Pod", "pods", "", true, &kPod, true, {"po"}, kPodFields, {"all"}, false, {binding(), eviction()}},
      {"", "Event", "events", "", true, &kEvent, false, {"ev"}, kEventFields},
      {"",
       "ServiceAccount",
       "serviceaccounts",
       "",
       true,
       &kReturnsDeleted,
       false,
       {"sa"},
       {},
       {},
       false,
       {token()}},
      {"",
       "Service",
       "services",
       "",
       true,
       &kService,
       true,
       {"svc"},
       {".spec.clusterIP", ".spec.type"},
       {"all"}},
      {"", "Endpoints", "endpoints", "", true, &kCreateOnUpdate, false, {"ep"}},
      {"", "PersistentVolume", "persistentvolumes", "", false, &kReturnsDeleted, true, {"pv"}},
      {"", "PersistentVolumeClaim", "persistentvolumeclaims", "", true, &kReturnsDeleted, true, {"pvc"}},
  };
}

std::vector<Row> workload_rows() {
  return {
      {"apps", "Deployment", "deployments", kApps, true, &kDeployment, true, {"deploy"}, {}, {"all"}, true},
      {"apps",
       "ReplicaSet",
       "replicasets",
       kApps,
       true,
       &kReplicaSet,
       true,
       {"rs"},
       {".status.replicas"},
       {"all"},
       true},
      {"apps", "StatefulSet", "statefulsets", kApps, true, &kStatefulSet, true, {"sts"}, {}, {"all"}, true},
      {"apps", "DaemonSet", "daemonsets", kApps, true, &kDaemonSet, true, {"ds"}, {}, {"all"}},
      {"batch",
       "Job",
       "jobs",
       "io.k8s.api.batch.v1.",
       true,
       &kGeneration,
       true,
       {},
       {".status.successful"},
       {"all"}},
      {"policy",
       "PodDisruptionBudget",
       "poddisruptionbudgets",
       "io.k8s.api.policy.v1.",
       true,
       &kBudget,
       true,
       {"pdb"}},
      {"scheduling.k8s.io",
       "PriorityClass",
       "priorityclasses",
       "io.k8s.api.scheduling.v1.",
       false,
       &kGeneration,
       false,
       {"pc"}},
      {"coordination.k8s.io", "Lease", "leases", "io.k8s.api.coordination.v1.", true, &kLease},
  };
}

std::vector<Row> machinery_rows() {
  return {
      {"storage.k8s.io", "VolumeAttachment", "volumeattachments", kStorage, false, &kAttachment, true},
      {"storage.k8s.io", "StorageClass", "storageclasses", kStorage, false, &kReturnsDeleted, false, {"sc"}},
      {"storage.k8s.io", "CSINode", "csinodes", kStorage, false, &kAttachment},
      {"storage.k8s.io", "CSIDriver", "csidrivers", kStorage, false, &kDriver},
      {"discovery.k8s.io", "EndpointSlice", "endpointslices", "io.k8s.api.discovery.v1.", true, &kGeneration},
      {"rbac.authorization.k8s.io", "ClusterRole", "clusterroles", kRbac, false, &kRole},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", kRbac, false, &kRoleBinding},
      {"rbac.authorization.k8s.io", "Role", "roles", kRbac, true, &kRole},
      {"rbac.authorization.k8s.io", "RoleBinding", "rolebindings", kRbac, true, &kRoleBinding},
      {"admissionregistration.k8s.io",
       "MutatingWebhookConfiguration",
       "mutatingwebhookconfigurations",
       kAdmission,
       false,
       &kWebhooks,
       false,
       {},
       {},
       {"api-extensions"}},
      {"admissionregistration.k8s.io",
       "ValidatingWebhookConfiguration",
       "validatingwebhookconfigurations",
       kAdmission,
       false,
       &kWebhooks,
       false,
       {},
       {},
       {"api-extensions"}},
      {"apiextensions.k8s.io",
       "CustomResourceDefinition",
       "customresourcedefinitions",
       kExtensions,
       false,
       &kDefinition,
       true,
       {"crd", "crds"},
       {},
       {"api-extensions"}},
  };
}

std::vector<Row> review_rows() {
  constexpr auto kAuthentication = "io.k8s.api.authentication.v1.";
  constexpr auto kAuthorization = "io.k8s.api.authorization.v1.";
  return {
      {"authentication.k8s.io", "TokenReview", "tokenreviews", kAuthentication, false, &kPlain},
      {"authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews", kAuthentication, false, &kPlain},
      {"authorization.k8s.io", "SubjectAccessReview", "subjectaccessreviews", kAuthorization, false, &kPlain},
      {"authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews", kAuthorization, false,
       &kPlain},
      {"authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews", kAuthorization, false,
       &kPlain},
  };
}

const TypeTables& tables() {
  static const TypeTables made(
      {volume_tables(), pod_tables(), core_tables(), workload_tables(), access_tables(), machinery_tables()});
  return made;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Kind kind_of(Row row, std::vector<std::string> verbs) {
  const auto package = row.type.empty() ? std::string(kCore) : row.type;
  ServedVersion version{.name = "v1",
                        .storage = true,
                        .schema = tables().type(package + row.kind),
                        .has_status = row.status,
                        .selectable_fields = row.selectable};
  if (row.scale) {
    version.scale = ScalePaths{.spec_replicas = ".spec.replicas",
                               .status_replicas = ".status.replicas",
                               .label_selector = ".spec.selector"};
  }
  auto type = std::make_shared<ResourceType>();
  type->group = row.group;
  type->plural = row.plural;
  type->singular = lower(row.kind);
  type->kind = row.kind;
  type->list_kind = row.kind + "List";
  type->short_names = row.short_names;
  type->categories = row.categories;
  type->namespaced = row.namespaced;
  type->verbs = std::move(verbs);
  type->versions = {std::move(version)};
  type->extra = std::move(row.extra);
  return {.type = std::move(type), .strategy = row.strategy};
}

std::vector<Kind> made_kinds() {
  const std::vector<std::string> all = {"create", "delete", "deletecollection", "get",
                                        "list",   "patch",  "update",           "watch"};
  std::vector<Kind> kinds;
  for (auto& rows : {core_rows(), workload_rows(), machinery_rows()}) {
    for (const auto& row : rows) kinds.push_back(kind_of(row, all));
  }
  for (const auto& row : review_rows()) kinds.push_back(kind_of(row, {"create"}));
  return kinds;
}

}  // namespace

std::vector<Kind> builtin_kinds() {
  static const auto made = made_kinds();
  return made;
}

SchemaPtr builtin_type(const std::string& full_name) { return tables().type(full_name); }

const std::map<std::string, SchemaPtr>& builtin_types() { return tables().types(); }

const Schema& object_meta_schema() {
  static const auto schema = builtin_type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  return *schema;
}

}  // namespace capstan::apiserver
