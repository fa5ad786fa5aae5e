#include "kube/resources.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/try.h"

namespace capstan::kube {
namespace {

bool is_unreserved(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
}

// Group, version, plural and subresource come from objects too (a reference's apiVersion), so they are
// checked as names are.
Result<void> check(std::string_view what, std::string_view segment) {
  if (is_path_segment(segment)) return {};
  constexpr std::size_t kShown = 80;
  return fail(Code::Invalid, std::string(what) + " \"" + std::string(segment.substr(0, kShown)) +
                                 "\" can't be part of a path");
}

Result<void> check(const Resource& resource) {
  if (!resource.group.empty()) TRY(check("group", resource.group));
  TRY(check("version", resource.version));
  return check("resource", resource.plural);
}

const std::array<Resource, 22>& table() {
  static const std::array<Resource, 22> kinds = {{
      {"", "v1", "namespaces", "Namespace", false},
      {"", "v1", "nodes", "Node", false},
      {"", "v1", "pods", "Pod", true},
      {"", "v1", "secrets", "Secret", true},
      {"", "v1", "configmaps", "ConfigMap", true},
      {"", "v1", "events", "Event", true},
      {"", "v1", "services", "Service", true},
      {"", "v1", "serviceaccounts", "ServiceAccount", true},
      {"", "v1", "persistentvolumes", "PersistentVolume", false},
      {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true},
      {"apps", "v1", "daemonsets", "DaemonSet", true},
      {"apps", "v1", "deployments", "Deployment", true},
      {"apps", "v1", "statefulsets", "StatefulSet", true},
      {"coordination.k8s.io", "v1", "leases", "Lease", true},
      {"events.k8s.io", "v1", "events", "Event", true},
      {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true},
      {"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false},
      {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false},
      {"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false},
      {"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
       "ValidatingWebhookConfiguration", false},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
       false},
  }};
  return kinds;
}

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return word.ends_with(ending); });
}

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

}  // namespace

Result<std::string> collection_path(const Resource& resource, std::string_view namespace_) {
  TRY(check(resource));
  std::string path = group_version_path(resource);
  if (!namespace_.empty()) {
    if (!resource.namespaced) {
      return fail(Code::Invalid, resource.plural + " are not namespaced, but a namespace was given");
    }
    TRY(check("namespace", namespace_));
    path += "/namespaces/" + std::string(namespace_);
  }
  return path + "/" + resource.plural;
}

Result<std::string> object_path(const Resource& resource, const ObjectKey& key,
                                std::string_view subresource) {
  if (resource.namespaced && key.namespace_.empty()) {
    return fail(Code::Invalid,
                resource.plural + " are namespaced, but no namespace was given for " + key.name);
  }
  std::string path = TRY(collection_path(resource, key.namespace_));
  TRY(check("name", key.name));
  path += "/" + key.name;
  if (subresource.empty()) return path;
  TRY(check("subresource", subresource));
  return path + "/" + std::string(subresource);
}

std::string group_version_path(const Resource& resource) {
  return resource.group.empty() ? "/api/" + resource.version
                                : "/apis/" + resource.group + "/" + resource.version;
}

bool is_path_segment(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  // ":" is legal in RBAC names ("system:node") and needs no escape inside a path.
  return std::ranges::all_of(name, [](char c) { return is_unreserved(c) || c == ':'; });
}

std::string plural_of(std::string_view kind) {
  std::string word(kind);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word.empty()) return word;
  if (ends_with_any(word, {"s", "x", "z", "ch", "sh"})) return word + "es";
  if (word.ends_with('y') && word.size() > 1 && !is_vowel(word[word.size() - 2])) {
    return word.substr(0, word.size() - 1) + "ies";
  }
  return word + "s";
}

Resource resource_for(std::string_view api_version, std::string_view kind, bool namespaced) {
  const GroupVersion wanted = group_version(api_version);
  if (const Resource* known = well_known(wanted.group, kind)) {
    Resource resource = *known;
    resource.version = wanted.version;
    return resource;
  }
  return {wanted.group, wanted.version, plural_of(kind), std::string(kind), namespaced};
}

const Resource* well_known(std::string_view group, std::string_view kind) {
  const auto found = std::ranges::find_if(
      table(), [&](const Resource& resource) { return resource.group == group && resource.kind == kind; });
  return found == table().end() ? nullptr : &*found;
}

GroupVersion group_version(std::string_view api_version) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

namespace resources {

const Resource& namespaces() { return *well_known("", "Namespace"); }
const Resource& nodes() { return *well_known("", "Node"); }
const Resource& pods() { return *well_known("", "Pod"); }
const Resource& secrets() { return *well_known("", "Secret"); }
const Resource& events() { return *well_known("", "Event"); }
const Resource& leases() { return *well_known("coordination.k8s.io", "Lease"); }
const Resource& pod_disruption_budgets() { return *well_known("policy", "PodDisruptionBudget"); }
const Resource& custom_resource_definitions() {
  return *well_known("apiextensions.k8s.io", "CustomResourceDefinition");
}

}  // namespace resources
}  // namespace capstan::kube
