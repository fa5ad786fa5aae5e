// Discovery and OpenAPI: what kubectl asks before it asks anything else.
#include <algorithm>

#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

json::value entry(const json::value& list, std::string_view member, std::string_view name) {
  const json::value entries = at(list, member);
  if (!entries.is_array()) return nullptr;
  for (const auto& candidate : entries.as_array())
    if (is(at(candidate, "name"), name)) return candidate;
  return nullptr;
}

bool holds(const json::value& list, std::string_view text) {
  return list.is_array() &&
         std::ranges::any_of(list.as_array(), [&](const json::value& one) { return is(one, text); });
}

// A server publishes a new definition's document a moment after it has been established.
json::value published_document(Session& s) {
  json::value document;
  s.eventually(
      "the group's document is published",
      [&] {
        document = s.get("/openapi/v3/apis/conformance.capstan.dev/v1").body;
        return at(document, "components.schemas").is_object();
      },
      std::chrono::seconds(20));
  return document;
}

const Script kScripts[] = {
    {"discovery: the core version",
     [](Session& s) { s.expect_equal(s.get("/api").body, "versions", parse(R"(["v1"])")); }},
    {"discovery: the groups with their preferred version",
     [](Session& s) {
       const json::value group = entry(s.get("/apis").body, "groups", "conformance.capstan.dev");

       s.expect_equal(group, "preferredVersion.groupVersion", "conformance.capstan.dev/v1");
       s.expect_present(group, "versions[1]");
     }},
    {"discovery: one group alone",
     [](Session& s) {
       const Reply reply = s.get("/apis/conformance.capstan.dev");

       s.expect_equal(reply.body, "kind", "APIGroup");
       s.expect_equal(reply.body, "name", "conformance.capstan.dev");
     }},
    {"discovery: resources with verbs, short names and categories",
     [](Session& s) {
       const json::value widgets =
           entry(s.get("/apis/conformance.capstan.dev/v1").body, "resources", "widgets");

       s.expect_equal(widgets, "kind", "Widget");
       s.expect_equal(widgets, "singularName", "widget");
       s.expect_equal(widgets, "namespaced", true);
       s.expect_equal(widgets, "shortNames", parse(R"(["wd"])"));
       s.expect_equal(widgets, "categories", parse(R"(["gear"])"));
       for (const char* verb :
            {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"})
         s.expect(holds(at(widgets, "verbs"), verb), std::string("widgets can ") + verb);
     }},
    {"discovery: subresources are listed",
     [](Session& s) {
       const json::value list = s.get("/apis/conformance.capstan.dev/v1").body;

       s.expect_equal(entry(list, "resources", "widgets/status"), "kind", "Widget");
       s.expect_equal(entry(list, "resources", "widgets/scale"), "kind", "Scale");
       s.expect_equal(entry(list, "resources", "widgets/scale"), "group", "autoscaling");
     }},
    {"discovery: a kind without subresources lists none",
     [](Session& s) {
       s.expect(
           entry(s.get("/apis/conformance.capstan.dev/v1").body, "resources", "gadgets/status").is_null(),
           "gadgets have no status");
     }},
    {"discovery: cluster-scoped kinds say so",
     [](Session& s) {
       s.expect_equal(entry(s.get("/apis/conformance.capstan.dev/v1").body, "resources", "gadgets"),
                      "namespaced", false);
     }},
    {"discovery: the core resources",
     [](Session& s) {
       s.expect_equal(entry(s.get("/api/v1").body, "resources", "pods/eviction"), "kind", "Eviction");
     }},
    {"discovery: all at once in the aggregated form",
     [](Session& s) {
       const Reply reply = s.send(
           "GET", "/apis", "", "",
           {{"Accept",
             "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"}});

       s.expect_equal(reply.body, "kind", "APIGroupDiscoveryList");
       s.expect_equal(reply.body, "apiVersion", "apidiscovery.k8s.io/v2");
       bool found = false;
       const json::value groups = at(reply.body, "items");
       for (const auto& group : groups.as_array())
         if (at(group, "metadata.name") == "conformance.capstan.dev")
           found = at(group, "versions[0].resources[0].resource").is_string();
       s.expect(found, "the group and its resources are there");
     }},
    {"openapi: the index leads to each group",
     [](Session& s) {
       s.eventually(
           "the group is in the index",
           [&] {
             const json::value index = s.get("/openapi/v3").body;
             return at(index, R"(paths."apis/conformance.capstan.dev/v1".serverRelativeURL)").is_string();
           },
           std::chrono::seconds(20));
     }},
    {"openapi: version 2 is served, too",
     [](Session& s) { s.expect_equal(s.get("/openapi/v2").body, "swagger", "2.0"); }},
    {"openapi: a document describes the kind's fields",
     [](Session& s) {
       const json::value schemas = at(published_document(s), "components.schemas");
       json::value widget;
       for (const auto& [name, schema] : schemas.as_object())
         if (is(at(schema, "x-kubernetes-group-version-kind[0].kind"), "Widget")) widget = schema;

       s.expect_equal(widget, "properties.spec.properties.replicas.description", "how many are wanted");
       s.expect_equal(widget, "properties.spec.properties.replicas.type", "integer");
     }},
    {"openapi: a document lists the paths",
     [](Session& s) {
       s.expect_present(
           published_document(s),
           R"(paths."/apis/conformance.capstan.dev/v1/namespaces/{namespace}/widgets/{name}".get)");
     }},
};

}  // namespace

std::span<const Script> discovery_scripts() { return kScripts; }

}  // namespace capstan::conformance
