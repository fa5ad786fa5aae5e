// PUT: optimistic locking, generation, what never changes.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

json::value with(json::value document, std::string_view text) {
  // Sets top-level members of metadata or spec given as {"metadata":{..},"spec":{..}}.
  const json::value change = parse(text);
  for (const auto& [part, members] : change.as_object())
    for (const auto& [key, value] : members.as_object()) document.as_object()[part].as_object()[key] = value;
  return document;
}

const Script kScripts[] = {
    {"update: a changed spec raises version and generation",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply put = s.put(s.widgets("w"), with(made, R"({"spec":{"replicas":3}})"));

       s.expect_status(put, 200);
       s.expect_equal(put.body, "metadata.generation", 2);
       s.expect(at(put.body, "metadata.resourceVersion") != at(made, "metadata.resourceVersion"),
                "the version moved");
     }},
    {"update: changed metadata keeps the generation",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply put = s.put(s.widgets("w"), with(made, R"({"metadata":{"labels":{"x":"y"}}})"));

       s.expect_equal(put.body, "metadata.generation", 1);
       s.expect_equal(put.body, "metadata.labels.x", "y");
       s.expect(at(put.body, "metadata.resourceVersion") != at(made, "metadata.resourceVersion"),
                "the version moved");
     }},
    {"update: an unchanged object keeps its version",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply put = s.put(s.widgets("w"), made);

       s.expect_status(put, 200);
       s.expect(at(put.body, "metadata.resourceVersion") == at(made, "metadata.resourceVersion"),
                "nothing changed, nothing is written");
     }},
    {"update: an old version is a Conflict",
     [](Session& s) {
       const auto made = s.made_widget("w");
       s.merge(s.widgets("w"), R"({"spec":{"replicas":2}})");

       const Reply put = s.put(s.widgets("w"), with(made, R"({"spec":{"replicas":3}})"));

       s.expect_refused(put, 409, "Conflict",
                        "Operation cannot be fulfilled on widgets.conformance.capstan.dev \"w\": the object "
                        "has been modified; please apply your changes to the latest version and try again");
       s.expect_equal(put.body, "details.name", "w");
     }},
    {"update: a custom resource without a version is refused",
     [](Session& s) {
       auto made = s.made_widget("w");
       made.as_object()["metadata"].as_object().erase("resourceVersion");

       s.expect_refused(s.put(s.widgets("w"), made), 422, "Invalid",
                        "metadata.resourceVersion: Invalid value: 0: must be specified for an update");
     }},
    {"update: a config map without a version is overwritten",
     [](Session& s) {
       s.made_config_map("a");

       const Reply put =
           s.put(s.core("configmaps", "a"),
                 parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"w"}})"));

       s.expect_status(put, 200);
       s.expect_equal(put.body, "data.k", "w");
     }},
    {"update: another uid is a Conflict",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       const Reply put = s.put(s.core("configmaps", "a"),
                               with(made, R"({"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}})"));

       s.expect_refused(put, 409, "Conflict", "Precondition failed: UID in precondition");
     }},
    {"update: a name that differs from the path is refused",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       s.expect_refused(s.put(s.core("configmaps", "b"), made), 400, "BadRequest",
                        "does not match the name on the URL");
     }},
    {"update: creation time and uid never change",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply put = s.put(
           s.widgets("w"),
           with(made, R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z"},"spec":{"replicas":4}})"));

       s.expect(at(put.body, "metadata.creationTimestamp") == at(made, "metadata.creationTimestamp"),
                "the creation time stays");
     }},
    {"update: a generation in the body is ignored",
     [](Session& s) {
       const auto made = s.made_widget("w");

       s.expect_equal(s.put(s.widgets("w"), with(made, R"({"metadata":{"generation":77}})")).body,
                      "metadata.generation", 1);
     }},
    {"update: a status in the body is ignored",
     [](Session& s) {
       auto made = s.made_widget("w");
       made.as_object()["status"] = json::object{{"phase", "Mine"}};

       s.expect_absent(s.put(s.widgets("w"), made).body, "status.phase");
     }},
    {"update: a dry run changes nothing",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply dry = s.put(s.widgets("w") + "?dryRun=All", with(made, R"({"spec":{"replicas":9}})"));

       s.expect_equal(dry.body, "spec.replicas", 9);
       s.expect_equal(s.get(s.widgets("w")).body, "spec.replicas", 1);
     }},
    {"update: deleting the deletion timestamp does not revive",
     [](Session& s) {
       s.made(
           s.core("configmaps"),
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":["example.com/hold"]}})"));
       s.remove(s.core("configmaps", "a"));
       auto seen = s.get(s.core("configmaps", "a")).body;
       seen.as_object()["metadata"].as_object().erase("deletionTimestamp");

       s.expect_present(s.put(s.core("configmaps", "a"), seen).body, "metadata.deletionTimestamp");
       s.merge(s.core("configmaps", "a"), R"({"metadata":{"finalizers":null}})");
     }},
    {"update: an immutable config map keeps its data",
     [](Session& s) {
       s.made(
           s.core("configmaps"),
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"},"immutable":true})"));

       s.expect_refused(s.merge(s.core("configmaps", "a"), R"({"data":{"k":"w"}})"), 422, "Invalid",
                        "data: Forbidden: field is immutable when `immutable` is set");
     }},
};

}  // namespace

std::span<const Script> update_scripts() { return kScripts; }

}  // namespace capstan::conformance
