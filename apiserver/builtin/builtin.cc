#include "apiserver/builtin/builtin.h"

#include <cctype>
#include <map>

namespace capstan::apiserver {
namespace {

const std::vector<std::string> kAllVerbs = {"create", "delete", "deletecollection", "get",
                                            "list",   "patch",  "update",           "watch"};
const std::vector<std::string> kReviewVerbs = {"create"};

constexpr Strategy kPlain{};
constexpr Strategy kLease{.unconditional_update = false, .create_on_update = true};
constexpr Strategy kCreateOnUpdate{.create_on_update = true};
constexpr Strategy kGeneration{.has_generation = true};
constexpr Strategy kNode{.keeps_status_on_create = true};
constexpr Strategy kPod{.has_generation = true, .returns_deleted = true, .graceful = true};
constexpr Strategy kBudget{.unconditional_update = false, .has_generation = true};
constexpr Strategy kReturnsDeleted{.returns_deleted = true};
constexpr Strategy kWebhooks{.unconditional_update = false, .has_generation = true};
constexpr Strategy kRbac{.names = NameRule::PathSegment, .create_on_update = true};
constexpr Strategy kNamespace{.names = NameRule::Label};

struct Row {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  std::string plural = {};
  bool namespaced = true;
  const Strategy* strategy = &kPlain;
  bool status = false;
  std::vector<std::string> short_names = {};
  std::vector<std::string> selectable = {};
};

std::string lower(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Kind kind_of(Row row) {
  auto schema = std::make_shared<Schema>();
  schema->preserve_unknown = true;
  ServedVersion version{.name = row.version, .storage = true, .schema = schema, .has_status = row.status,
                        .selectable_fields = row.selectable};
  auto type = std::make_shared<ResourceType>();
  type->group = row.group;
  type->plural = row.plural;
  type->singular = lower(row.kind);
  type->kind = row.kind;
  type->list_kind = row.kind + "List";
  type->short_names = row.short_names;
  type->namespaced = row.namespaced;
  type->verbs = kAllVerbs;
  type->versions = {std::move(version)};
  return {.type = std::move(type), .strategy = row.strategy};
}

std::vector<Row> rows() {
  return {
      {"", "v1", "Namespace", "namespaces", false, &kNamespace, true, {"ns"}, {".status.phase"}},
      {"", "v1", "ConfigMap", "configmaps", true, &kPlain, false, {"cm"}, {}},
      {"", "v1", "Secret", "secrets", true, &kPlain, false, {}, {".type"}},
      {"", "v1", "Node", "nodes", false, &kNode, true, {"no"}, {".spec.unschedulable"}},
      {"", "v1", "Pod", "pods", true, &kPod, true, {"po"},
       {".spec.nodeName", ".spec.restartPolicy", ".spec.schedulerName", ".spec.serviceAccountName", ".status.phase",
        ".status.podIP", ".status.nominatedNodeName"}},
      {"", "v1", "Event", "events", true, &kCreateOnUpdate, false, {"ev"},
       {".involvedObject.kind", ".involvedObject.namespace", ".involvedObject.name", ".involvedObject.uid",
        ".involvedObject.apiVersion", ".involvedObject.resourceVersion", ".involvedObject.fieldPath", ".reason",
        ".reportingComponent", ".source", ".type"}},
      {"", "v1", "ServiceAccount", "serviceaccounts", true, &kReturnsDeleted, false, {"sa"}, {}},
      {"", "v1", "Service", "services", true, &kCreateOnUpdate, true, {"svc"}, {".spec.clusterIP", ".spec.type"}},
      {"coordination.k8s.io", "v1", "Lease", "leases", true, &kLease, false, {}, {}},
      {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true, &kBudget, true, {"pdb"}, {}},
      {"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", false, &kReturnsDeleted, true, {}, {}},
      {"apps", "v1", "Deployment", "deployments", true, &kGeneration, true, {"deploy"}, {}},
      {"apps", "v1", "ReplicaSet", "replicasets", true, &kGeneration, true, {"rs"}, {}},
      {"apps", "v1", "DaemonSet", "daemonsets", true, &kGeneration, true, {"ds"}, {}},
      {"apps", "v1", "StatefulSet", "statefulsets", true, &kGeneration, true, {"sts"}, {}},
      {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, &kGeneration, true,
       {"crd", "crds"}, {}},
      {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false,
       &kWebhooks, false, {}, {}},
      {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false,
       &kWebhooks, false, {}, {}},
      {"rbac.authorization.k8s.io", "v1", "Role", "roles", true, &kRbac, false, {}, {}},
      {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true, &kRbac, false, {}, {}},
      {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, &kRbac, false, {}, {}},
      {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, &kRbac, false, {}, {}},
  };
}

}  // namespace

std::vector<Kind> builtin_kinds() {
  std::vector<Kind> kinds;
  for (auto& row : rows()) kinds.push_back(kind_of(std::move(row)));
  return kinds;
}

}  // namespace capstan::apiserver
