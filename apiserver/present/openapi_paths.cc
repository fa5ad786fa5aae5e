#include "apiserver/present/openapi_paths.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "apiserver/present/openapi_schema.h"
#include "apiserver/present/subresource.h"

namespace capstan::apiserver {
namespace {

using Names = std::initializer_list<const char*>;

constexpr Names kWriting = {"dryRun", "fieldManager", "fieldValidation"};
constexpr Names kPatching = {"dryRun", "fieldManager", "fieldValidation", "force"};
constexpr Names kDeleting = {"dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"};
constexpr Names kListing = {"allowWatchBookmarks",
                            "continue",
                            "fieldSelector",
                            "labelSelector",
                            "limit",
                            "resourceVersion",
                            "resourceVersionMatch",
                            "sendInitialEvents",
                            "timeoutSeconds",
                            "watch"};
constexpr Names kCollectionDeleting = {"continue",           "dryRun",          "fieldSelector",
                                       "gracePeriodSeconds", "labelSelector",   "limit",
                                       "propagationPolicy",  "resourceVersion", "resourceVersionMatch",
                                       "timeoutSeconds"};

constexpr Names kCustomPatches = {"application/apply-patch+yaml", "application/json-patch+json",
                                  "application/merge-patch+json"};
constexpr Names kBuiltinPatches = {"application/apply-patch+yaml", "application/json-patch+json",
                                   "application/merge-patch+json", "application/strategic-merge-patch+json"};

std::string_view type_of(std::string_view parameter) {
  for (const auto* name : {"limit", "gracePeriodSeconds", "timeoutSeconds"}) {
    if (parameter == name) return "integer";
  }
  for (const auto* name :
       {"allowWatchBookmarks", "sendInitialEvents", "watch", "force", "orphanDependents"}) {
    if (parameter == name) return "boolean";
  }
  return "string";
}

json::object parameter(std::string_view name, std::string_view place) {
  json::object said{{"name", name}, {"in", place}};
  if (place == "path") said["required"] = true;
  said["schema"] = json::object{{"type", type_of(name)}, {"uniqueItems", true}};
  return said;
}

json::array parameters(Names names) {
  json::array all;
  for (const auto* name : names) all.push_back(parameter(name, "query"));
  return all;
}

json::object content(std::string_view component, Names media) {
  json::object said;
  for (const auto* one : media) said[one] = json::object{{"schema", schema_reference(component)}};
  return said;
}

// "coordination.k8s.io" is Coordination, "conformance.capstan.dev" is ConformanceCapstanDev, "" is Core.
std::string group_word(std::string_view group) {
  if (group.empty()) return "Core";
  if (group.ends_with(".k8s.io")) group.remove_suffix(7);
  std::string word;
  bool first = true;
  for (const char c : group) {
    if (c == '.' || c == '-') {
      first = true;
      continue;
    }
    word.push_back(first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    first = false;
  }
  return word;
}

std::string with_capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// What is the same for all operations on one path of a resource.
struct Place {
  const ResourceType& type;
  const ServedVersion& version;
  std::string component = {};  // of the body
  std::string subresource = {};
  json::object group_version_kind = {};

  json::object operation(std::string_view action, std::string_view id, Names query) const {
    const auto group = group_word(type.group);
    auto tag = group + "_" + version.name;
    tag[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(tag[0])));
    const auto operation_id = std::string(id) + group + with_capital(version.name) +
                              (type.namespaced ? "Namespaced" : "") + type.kind + with_capital(subresource);
    json::object said{{"tags", json::array{tag}}, {"operationId", operation_id}};
    if (query.size() != 0) said["parameters"] = parameters(query);
    said["x-kubernetes-action"] = action;
    said["x-kubernetes-group-version-kind"] = group_version_kind;
    return said;
  }

  json::object answering(json::object operation, std::string_view answer, Names codes) const {
    json::object responses;
    for (const auto* code : codes) {
      const std::string_view text = code;
      responses[code] = json::object{{"description", text == "200"   ? "OK"
                                                     : text == "201" ? "Created"
                                                                     : "Accepted"},
                                     {"content", content(answer, {"application/json", "application/yaml"})}};
    }
    responses["401"] = json::object{{"description", "Unauthorized"}};
    operation["responses"] = std::move(responses);
    return operation;
  }

  json::object taking(json::object operation, std::string_view body, Names media,
                      bool required = true) const {
    json::object said{{"content", content(body, media)}};
    if (required) said["required"] = true;
    operation["requestBody"] = std::move(said);
    return operation;
  }

  json::object get() const { return answering(operation("get", "read", {}), component, {"200"}); }
  json::object put() const {
    return answering(
        taking(operation("put", "replace", kWriting), component, {"application/json", "application/yaml"}),
        component, {"200", "201"});
  }
  json::object post() const {
    return answering(
        taking(operation("post", "create", kWriting), component, {"application/json", "application/yaml"}),
        component, {"200", "201", "202"});
  }
  json::object patch() const {
    return answering(taking(operation("patch", "patch", kPatching), kPatchComponent,
                            type.custom ? kCustomPatches : kBuiltinPatches),
                     component, {"200", "201"});
  }
  json::object remove() const {
    return answering(taking(operation("delete", "delete", kDeleting), kDeleteOptionsComponent,
                            {"application/json"}, false),
                     kStatusComponent, {"200", "202"});
  }
  json::object remove_collection() const {
    return answering(taking(operation("deletecollection", "deleteCollection", kCollectionDeleting),
                            kDeleteOptionsComponent, {"application/json"}, false),
                     kStatusComponent, {"200"});
  }
  json::object list(Names query, std::string_view list_component) const {
    return answering(operation("list", "list", query), list_component, {"200"});
  }
};

bool has(const std::vector<std::string>& verbs, std::string_view verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

json::array path_parameters(bool named, bool namespaced) {
  json::array all;
  if (named) all.push_back(parameter("name", "path"));
  if (namespaced) all.push_back(parameter("namespace", "path"));
  all.push_back(parameter("pretty", "query"));
  return all;
}

void add_if(json::object& item, const std::vector<std::string>& verbs, std::string_view verb,
            std::string_view method, json::object operation) {
  if (has(verbs, verb)) item[method] = std::move(operation);
}

}  // namespace

void add_paths(const ResourceType& type, const ServedVersion& version, const std::string& component,
               const std::function<std::string(const Subresource&)>& body_of, json::object& paths) {
  const std::string root = (type.group.empty() ? "/api/" : "/apis/" + type.group + "/") + version.name + "/";
  const std::string collection = root + (type.namespaced ? "namespaces/{namespace}/" : "") + type.plural;
  const std::string list_component =
      component.substr(0, component.size() - type.kind.size()) + type.list_kind;
  const Place place{
      .type = type,
      .version = version,
      .component = component,
      .group_version_kind = {{"group", type.group}, {"version", version.name}, {"kind", type.kind}}};

  json::object whole;
  add_if(whole, type.verbs, "list", "get", place.list(kListing, list_component));
  add_if(whole, type.verbs, "create", "post", place.post());
  add_if(whole, type.verbs, "deletecollection", "delete", place.remove_collection());
  whole["parameters"] = path_parameters(false, type.namespaced);
  paths[collection] = std::move(whole);

  if (type.namespaced && type.allows("list")) {
    auto everywhere = place.list(kListing, list_component);
    everywhere["operationId"] =
        "list" + group_word(type.group) + with_capital(version.name) + type.kind + "ForAllNamespaces";
    paths[root + type.plural] = json::object{{"get", std::move(everywhere)}};
  }

  json::object one;
  add_if(one, type.verbs, "get", "get", place.get());
  add_if(one, type.verbs, "update", "put", place.put());
  add_if(one, type.verbs, "delete", "delete", place.remove());
  add_if(one, type.verbs, "patch", "patch", place.patch());
  if (!one.empty()) {
    one["parameters"] = path_parameters(true, type.namespaced);
    paths[collection + "/{name}"] = std::move(one);
  }

  for (const auto& part : subresources(type, version)) {
    Place inside = place;
    inside.subresource = part.name;
    if (!part.own_kind) {
      inside.component = body_of(part);
      // As kube-apiserver says it: custom kinds name themselves at their scale, built-in ones the body.
      if (!type.custom)
        inside.group_version_kind = {{"group", part.group}, {"version", part.version}, {"kind", part.kind}};
    }
    json::object item;
    add_if(item, part.verbs, "get", "get", inside.get());
    add_if(item, part.verbs, "create", "post", inside.post());
    add_if(item, part.verbs, "update", "put", inside.put());
    add_if(item, part.verbs, "patch", "patch", inside.patch());
    item["parameters"] = path_parameters(true, type.namespaced);
    paths[collection + "/{name}/" + part.name] = std::move(item);
  }
}

}  // namespace capstan::apiserver
