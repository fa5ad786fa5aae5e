// Lists: selectors, pages, versions.
#include <set>

#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

void make_three(Session& s) {
  s.made_config_map("a", R"("labels":{"app":"x","tier":"front"})");
  s.made_config_map("b", R"("labels":{"app":"y"})");
  s.made_config_map("c", R"("labels":{"app":"x","tier":"back"})");
}

// Names in a list, without what the real cluster puts into every namespace.
std::vector<std::string> names(const json::value& list) {
  std::vector<std::string> found;
  const json::value items = at(list, "items");
  if (!items.is_array()) return found;
  for (const auto& item : items.as_array()) {
    const std::string name(at(item, "metadata.name").as_string());
    if (name != "kube-root-ca.crt") found.push_back(name);
  }
  return found;
}

void expect_names(Session& s, std::string_view selector, const std::vector<std::string>& wanted) {
  const Reply list = s.get(s.core("configmaps") + "?" + std::string(selector));
  s.expect_status(list, 200);
  s.expect(names(list.body) == wanted, "selector " + std::string(selector) + " gives " +
                                           std::to_string(wanted.size()) + " names, got " +
                                           list.text.substr(0, 300));
}

const Script kScripts[] = {
    {"list: has list kind, version and items in name order",
     [](Session& s) {
       s.made_config_map("b");
       s.made_config_map("a");

       const Reply list = s.get(s.core("configmaps"));

       s.expect_equal(list.body, "kind", "ConfigMapList");
       s.expect_equal(list.body, "apiVersion", "v1");
       s.expect_present(list.body, "metadata.resourceVersion");
       s.expect((names(list.body) == std::vector<std::string>{"a", "b"}), "items are a, b");
     }},
    {"list: items of a core list carry no kind",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_absent(s.get(s.core("configmaps")).body, "items[0].kind");
     }},
    {"list: items of a custom list carry their kind",
     [](Session& s) {
       s.made_widget("w");

       const Reply list = s.get(s.widgets());

       s.expect_equal(list.body, "kind", "WidgetList");
       s.expect_equal(list.body, "items[0].kind", "Widget");
     }},
    {"list: an empty list has an empty array",
     [](Session& s) {
       const Reply list = s.get(s.widgets());

       s.expect_equal(list.body, "items", json::array{});
     }},
    {"list: a namespace that does not exist is an empty list",
     [](Session& s) {
       s.expect_equal(s.get("/api/v1/namespaces/nowhere-at-all/configmaps").body, "items", json::array{});
     }},
    {"list: a label equal to a value",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app%3Dx", {"a", "c"});
     }},
    {"list: a label equal with two signs",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app%3D%3Dy", {"b"});
     }},
    {"list: a label that differs, absent included",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=tier%21%3Dfront,app", {"b", "c"});
     }},
    {"list: a label within a set",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app%20in%20%28x,z%29", {"a", "c"});
     }},
    {"list: a label outside a set",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app%20notin%20%28x%29,app", {"b"});
     }},
    {"list: a label that exists",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=tier", {"a", "c"});
     }},
    {"list: a label that does not exist",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=%21tier,app", {"b"});
     }},
    {"list: two requirements must both hold",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app%3Dx,tier%3Dback", {"c"});
     }},
    {"list: a broken label selector is a BadRequest",
     [](Session& s) {
       s.expect_refused(s.get(s.core("configmaps") + "?labelSelector=%3D%3D%3D"), 400, "BadRequest");
     }},
    {"list: the field metadata.name",
     [](Session& s) {
       make_three(s);
       expect_names(s, "fieldSelector=metadata.name%3Db", {"b"});
     }},
    {"list: a field that differs",
     [](Session& s) {
       make_three(s);
       expect_names(s, "labelSelector=app&fieldSelector=metadata.name%21%3Db", {"a", "c"});
     }},
    {"list: an unknown field is refused",
     [](Session& s) {
       s.expect_refused(s.get(s.core("configmaps") + "?fieldSelector=data.k%3Dv"), 400, "BadRequest",
                        "is not a known field selector");
     }},
    {"list: a custom resource selects by metadata.namespace",
     [](Session& s) {
       s.made_widget("w");

       const Reply list =
           s.get("/apis/conformance.capstan.dev/v1/widgets?fieldSelector=metadata.namespace%3D" + s.ns());

       s.expect(names(list.body) == std::vector<std::string>{"w"}, "exactly w is found");
     }},
    {"list: a custom resource selects by its selectable field",
     [](Session& s) {
       s.made_widget("fast", R"({"mode":"Fast"})");
       s.made_widget("slow", R"({"mode":"Slow"})");

       s.expect(names(s.get(s.widgets() + "?fieldSelector=spec.mode%3DSlow").body) ==
                    std::vector<std::string>{"slow"},
                "only slow is found");
     }},
    {"list: all namespaces at once",
     [](Session& s) {
       s.made_config_map("mine", R"("labels":{"run":")" + s.ns() + "\"}");

       s.expect(names(s.get("/api/v1/configmaps?labelSelector=run%3D" + s.ns()).body) ==
                    std::vector<std::string>{"mine"},
                "found across namespaces");
     }},
    {"list: pages hold limit items and lead to the next",
     [](Session& s) {
       for (const char* name : {"a", "b", "c", "d", "e"}) s.made_widget(name);

       const Reply first = s.get(s.widgets() + "?limit=2");
       s.expect(names(first.body) == (std::vector<std::string>{"a", "b"}), "the first page is a, b");
       s.expect_equal(first.body, "metadata.remainingItemCount", 3);
       const Reply second = s.get(
           s.widgets() + "?limit=2&continue=" + std::string(at(first.body, "metadata.continue").as_string()));
       s.expect(names(second.body) == (std::vector<std::string>{"c", "d"}), "the second page is c, d");
       const Reply third = s.get(s.widgets() + "?limit=2&continue=" +
                                 std::string(at(second.body, "metadata.continue").as_string()));

       s.expect(names(third.body) == std::vector<std::string>{"e"}, "the last page is e");
       s.expect(at(third.body, "metadata.continue").is_null() || at(third.body, "metadata.continue") == "",
                "no further page");
     }},
    {"list: all pages show one moment",
     [](Session& s) {
       for (const char* name : {"a", "b", "c"}) s.made_widget(name);

       const Reply first = s.get(s.widgets() + "?limit=1");
       s.made_widget("bb");
       s.remove(s.widgets("c"));
       const Reply rest = s.get(s.widgets() + "?limit=10&continue=" +
                                std::string(at(first.body, "metadata.continue").as_string()));

       s.expect(names(rest.body) == (std::vector<std::string>{"b", "c"}),
                "later changes do not show: " + rest.text.substr(0, 200));
       s.expect(at(rest.body, "metadata.resourceVersion") == at(first.body, "metadata.resourceVersion"),
                "both pages carry one version");
     }},
    {"list: a page with a selector has no remaining count",
     [](Session& s) {
       make_three(s);

       const Reply first = s.get(s.core("configmaps") + "?limit=1&labelSelector=app");

       s.expect_present(first.body, "metadata.continue");
       s.expect_absent(first.body, "metadata.remainingItemCount");
     }},
    {"list: a garbled continue token is refused",
     [](Session& s) {
       s.expect_refused(s.get(s.widgets() + "?limit=1&continue=garbage"), 400, "BadRequest", "continue");
     }},
    {"list: resourceVersion together with continue is refused",
     [](Session& s) {
       for (const char* name : {"a", "b"}) s.made_widget(name);
       const Reply first = s.get(s.widgets() + "?limit=1");

       s.expect_status(s.get(s.widgets() + "?limit=1&resourceVersion=5&resourceVersionMatch=Exact&continue=" +
                             std::string(at(first.body, "metadata.continue").as_string())),
                       422);
     }},
    {"list: the version does not move while nothing is written",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply exact = s.get(
           s.widgets() + "?resourceVersion=" + std::string(at(made, "metadata.resourceVersion").as_string()) +
           "&resourceVersionMatch=Exact");

       s.expect_status(exact, 200);
       s.expect(names(exact.body) == std::vector<std::string>{"w"}, "the list as of the write holds w");
     }},
    {"list: an exact older version shows the older state",
     [](Session& s) {
       const auto first = s.made_widget("a");
       s.made_widget("b");

       const Reply exact = s.get(s.widgets() + "?resourceVersion=" +
                                 std::string(at(first, "metadata.resourceVersion").as_string()) +
                                 "&resourceVersionMatch=Exact");

       s.expect(names(exact.body) == std::vector<std::string>{"a"},
                "only a existed then: " + exact.text.substr(0, 200));
     }},
    {"list: a bad resourceVersion is refused",
     [](Session& s) { s.expect_status(s.get(s.widgets() + "?resourceVersion=abc"), 400); }},
    {"list: metadata alone can be asked for",
     [](Session& s) {
       s.made_widget("w");

       const Reply list =
           s.send("GET", s.widgets(), "", "",
                  {{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});

       s.expect_equal(list.body, "kind", "PartialObjectMetadataList");
       s.expect_equal(list.body, "items[0].metadata.name", "w");
       s.expect_absent(list.body, "items[0].spec");
     }},
};

}  // namespace

std::span<const Script> list_scripts() { return kScripts; }

}  // namespace capstan::conformance
