#include "bootstrap/nodeconfig/rights.h"

#include <algorithm>
#include <array>

#include "api/bootstrap/names.h"
#include "bootstrap/nodeconfig/content.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

namespace json = boost::json;

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kAskForCertificates = "system:node-bootstrapper";
// What makes the right, and may be put right.
constexpr std::array<std::string_view, 2> kContent = {"rules", "subjects"};

kube::Resource rbac_resource(std::string_view kind, std::string_view plural, bool namespaced) {
  return {.group = std::string(kRbac),
          .version = "v1",
          .plural = std::string(plural),
          .kind = std::string(kind),
          .namespaced = namespaced};
}

Right right(const api::ObjectKey& node_config, kube::Resource resource, json::object content) {
  Right made{.node_config = node_config,
             .resource = std::move(resource),
             .key = secret_key(node_config),
             .object = std::move(content)};
  json::object metadata = {{"name", made.key.name}, {"labels", labels_for(node_config)}};
  if (made.resource.namespaced)
    metadata["namespace"] = made.key.namespace_;
  else
    made.key.namespace_.clear();
  made.object["apiVersion"] = made.resource.api_version();
  made.object["kind"] = made.resource.kind;
  made.object["metadata"] = std::move(metadata);
  return made;
}

json::array reads_one_secret(std::string_view name) {
  return {json::object{{"apiGroups", json::array{""}},
                       {"resources", json::array{"secrets"}},
                       {"resourceNames", json::array{name}},
                       {"verbs", json::array{"get", "list", "watch"}}}};
}

json::object binds(const api::ObjectKey& node_config, std::string_view role_kind, std::string_view role) {
  return {{"roleRef", json::object{{"apiGroup", kRbac}, {"kind", role_kind}, {"name", role}}},
          {"subjects", json::array{json::object{
                           {"apiGroup", kRbac}, {"kind", "Group"}, {"name", agent_group(node_config)}}}}};
}

bool agrees(const json::object& wanted, const json::value& present, std::string_view field) {
  const json::value* ours = wanted.if_contains(field);
  if (ours == nullptr) return true;
  const json::value* theirs = present.is_object() ? present.as_object().if_contains(field) : nullptr;
  return theirs != nullptr && *theirs == *ours;
}

}  // namespace

std::string agent_group(const api::ObjectKey& node_config) {
  return std::string(api::bootstrap::kAgentGroupPrefix) + node_config.namespace_ + ":" + node_config.name;
}

std::vector<Right> rights_of(const api::ObjectKey& node_config) {
  const std::string name = secret_key(node_config).name;
  return {right(node_config, rbac_resource("Role", "roles", true), {{"rules", reads_one_secret(name)}}),
          right(node_config, rbac_resource("RoleBinding", "rolebindings", true),
                binds(node_config, "Role", name)),
          right(node_config, rbac_resource("ClusterRoleBinding", "clusterrolebindings", false),
                binds(node_config, "ClusterRole", kAskForCertificates))};
}

RightState state_of(const Right& wanted, const json::value& present) {
  if (!agrees(wanted.object, present, "roleRef")) return RightState::Foreign;
  const bool right =
      has_labels(present, wanted.node_config) && std::ranges::all_of(kContent, [&](std::string_view field) {
        return agrees(wanted.object, present, field);
      });
  return right ? RightState::Right : RightState::Altered;
}

json::value repair_patch(const Right& wanted) {
  json::object patch = {{"metadata", json::object{{"labels", wanted.object.at("metadata").at("labels")}}}};
  for (const std::string_view field : kContent)
    if (const json::value* content = wanted.object.if_contains(field)) patch[field] = *content;
  return patch;
}

}  // namespace capstan::bootstrap::nodeconfig
