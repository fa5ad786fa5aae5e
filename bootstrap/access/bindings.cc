#include "bootstrap/access/bindings.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "bootstrap/token.h"

namespace capstan::bootstrap::access {
namespace {

namespace json = boost::json;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kOurs = api::bootstrap::label::kAccess;

constexpr std::array kBindings = {
    Binding{.name = "capstan-node-bootstrapper", .role = "system:node-bootstrapper", .group = kTokenGroup},
    Binding{.name = "capstan-node-first-certificate",
            .role = "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
            .group = kTokenGroup},
    Binding{.name = "capstan-node-certificate-renewal",
            .role = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
            .group = "system:nodes"},
};

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

json::value binding_object(const Binding& binding) {
  json::object labels;
  labels[kOurs] = "true";
  return json::object{{"apiVersion", cluster_role_bindings().api_version()},
                      {"kind", "ClusterRoleBinding"},
                      {"metadata", json::object{{"name", binding.name}, {"labels", std::move(labels)}}},
                      {"roleRef", role_ref(binding)},
                      {"subjects", subjects(binding)}};
}

std::string our_bindings() { return std::string(kOurs); }

BindingState state_of(const Binding& binding, const json::array& present) {
  const auto found = std::ranges::find_if(
      present, [&](const json::value& object) { return has_name(object, binding.name); });
  if (found == present.end()) return BindingState::Missing;
  if (!holds(*found, "roleRef", role_ref(binding))) return BindingState::Foreign;
  return holds(*found, "subjects", subjects(binding)) ? BindingState::Right : BindingState::Altered;
}

}  // namespace capstan::bootstrap::access
