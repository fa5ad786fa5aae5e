#include "bootstrap/access/bindings.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "bootstrap/labels.h"
#include "bootstrap/token.h"

namespace capstan::bootstrap::access {
namespace {

namespace json = boost::json;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
namespace label = api::bootstrap::label;

constexpr std::array kBindings = {
    Binding{.name = "capstan-node-bootstrapper", .role = "system:node-bootstrapper", .group = kTokenGroup},
    Binding{.name = "capstan-node-first-certificate",
            .role = "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
            .group = kTokenGroup},
    Binding{.name = "capstan-node-certificate-renewal",
            .role = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
            .group = "system:nodes"},
};

json::object labels_for(const kube::ObjectKey& cluster) {
  json::object labels;
  labels[label::kAccess] = "true";
  labels[label::kClusterNamespace] = label_value(cluster.namespace_);
  labels[label::kClusterName] = label_value(cluster.name);
  return labels;
}

json::object role_ref(const Binding& binding) {
  return {{"apiGroup", kGroup}, {"kind", "ClusterRole"}, {"name", binding.role}};
}

json::array subjects(const Binding& binding) {
  return {json::object{{"apiGroup", kGroup}, {"kind", "Group"}, {"name", binding.group}}};
}

bool has_name(const json::value& object, std::string_view name) {
  json::error_code absent;
  const json::value* text = object.find_pointer("/metadata/name", absent);
  return text != nullptr && text->is_string() && std::string_view(text->as_string()) == name;
}

bool has_labels(const json::value& object, const json::object& wanted) {
  return std::ranges::all_of(
      wanted, [&](const auto& one) { return one.value() == json::value(label_in(object, one.key())); });
}

bool holds(const json::value& object, std::string_view field, const json::value& wanted) {
  const json::value* present = object.as_object().if_contains(field);
  return present != nullptr && *present == wanted;
}

}  // namespace

std::span<const Binding> bindings() { return kBindings; }

const kube::Resource& cluster_role_bindings() {
  static const kube::Resource resource = {.group = std::string(kGroup),
                                          .version = "v1",
                                          .plural = "clusterrolebindings",
                                          .kind = "ClusterRoleBinding",
                                          .namespaced = false};
  return resource;
}

json::value binding_object(const Binding& binding, const kube::ObjectKey& cluster) {
  return json::object{{"apiVersion", cluster_role_bindings().api_version()},
                      {"kind", "ClusterRoleBinding"},
                      {"metadata", json::object{{"name", binding.name}, {"labels", labels_for(cluster)}}},
                      {"roleRef", role_ref(binding)},
                      {"subjects", subjects(binding)}};
}

json::value repair_patch(const Binding& binding, const kube::ObjectKey& cluster) {
  return json::object{{"metadata", json::object{{"labels", labels_for(cluster)}}},
                      {"subjects", subjects(binding)}};
}

std::string our_bindings() { return std::string(label::kAccess); }

const json::value* find_binding(const json::array& present, std::string_view name) {
  const auto found =
      std::ranges::find_if(present, [&](const json::value& object) { return has_name(object, name); });
  return found == present.end() ? nullptr : &*found;
}

std::optional<kube::ObjectKey> made_for(const json::value& object) {
  return key_in(object, {.namespace_ = label::kClusterNamespace, .name = label::kClusterName});
}

BindingState state_of(const Binding& binding, const kube::ObjectKey& cluster, const json::value& object) {
  if (!holds(object, "roleRef", role_ref(binding))) return BindingState::Foreign;
  const bool right = has_labels(object, labels_for(cluster)) && holds(object, "subjects", subjects(binding));
  return right ? BindingState::Right : BindingState::Altered;
}

}  // namespace capstan::bootstrap::access
