// An Api with a clock of its own and short ways to talk to it, for the tests of this folder. One thread.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "test/fakes/fake_clock.h"

namespace capstan::apiserver {

struct ApiFixture {
  explicit ApiFixture(DefectSet defects = {}, std::size_t history = 16384)
      : api({.clock = clock, .history = history, .defects = std::move(defects)}) {}

  // "GET" ... on a collection or object path: "v1/configmaps", "v1/ns:default/configmaps/a",
  // "test.io/v1/ns:default/widgets/a/status".
  Request request(std::string_view method, std::string_view path, std::string_view body = {}) const {
    Request made;
    std::vector<std::string> steps;
    for (std::size_t start = 0; start <= path.size();) {
      const auto end = std::min(path.find('/', start), path.size());
      steps.emplace_back(path.substr(start, end - start));
      start = end + 1;
    }
    std::size_t next = 0;
    if (steps[0] != "v1") made.group = steps[next++];
    made.version = steps[next++];
    if (steps[next].starts_with("ns:")) made.namespace_ = steps[next++].substr(3);
    made.resource = steps[next++];
    if (next < steps.size()) made.name = steps[next++];
    if (next < steps.size()) made.subresource = steps[next++];
    if (!body.empty()) made.body.value = json::parse(body);
    made.user_agent = "tester/1";
    made.verb = method == "POST"     ? Verb::Create
                : method == "PUT"    ? Verb::Update
                : method == "PATCH"  ? Verb::Patch
                : method == "DELETE" ? (made.name.empty() ? Verb::DeleteCollection : Verb::Delete)
                                     : (made.name.empty() ? Verb::List : Verb::Get);
    return made;
  }

  Response call(std::string_view method, std::string_view path, std::string_view body = {}) {
    return api.call(request(method, path, body));
  }
  Response apply(std::string_view path, std::string_view manager, std::string_view body, bool force = false) {
    auto asked = request("PATCH", path, body);
    asked.patch_type = kube::PatchType::Apply;
    asked.query.field_manager = manager;
    asked.query.force = force;
    return api.call(asked);
  }

  fakes::FakeClock clock;
  Api api;
};

// The member of an answer at a dotted path, as JSON text; "" when there is none.
inline std::string at(const Response& response, std::string_view dotted) {
  const json::value* here = nullptr;
  const json::object* object = response.object.get();
  while (!dotted.empty()) {
    const auto dot = std::min(dotted.find('.'), dotted.size());
    here = object == nullptr ? nullptr : object->if_contains(dotted.substr(0, dot));
    if (here == nullptr) return {};
    object = here->if_object();
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return here == nullptr ? std::string() : json::serialize(*here);
}

// A kind with a bit of everything a schema can say.
inline constexpr std::string_view kWidgetCrd = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.test.io"},
  "spec": {"group": "test.io", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
   "versions": [{"name": "v1", "served": true, "storage": true,
    "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
      "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
    "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
     "spec": {"type": "object", "required": ["size"], "properties": {
      "size": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 10},
      "replicas": {"type": "integer", "default": 1},
      "mode": {"type": "string", "enum": ["Fast", "Slow"], "default": "Fast"},
      "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
      "when": {"type": "string", "format": "date-time"},
      "port": {"x-kubernetes-int-or-string": true},
      "note": {"type": "string", "nullable": true},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 2},
      "raw": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
      "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
      "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
          "value": {"type": "string", "default": "dv"}, "count": {"type": "integer"}}}},
      "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
      "steps": {"type": "array", "items": {"type": "string"}},
      "pair": {"type": "object", "x-kubernetes-map-type": "atomic",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
      "nest": {"type": "object", "properties": {"deep": {"type": "string", "default": "dd"}}}}},
     "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"},
      "ready": {"type": "boolean"}}}}}}}]}})";

inline ApiFixture& with_widgets(ApiFixture& fixture) {
  fixture.call("POST", "apiextensions.k8s.io/v1/customresourcedefinitions", kWidgetCrd);
  return fixture;
}

}  // namespace capstan::apiserver
