// Merge, JSON and strategic patches.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

const Script kScripts[] = {
    {"merge patch: sets and removes members",
     [](Session& s) {
       s.made_widget("w", R"({"replicas":1,"mode":"Fast"})");

       const Reply patched = s.merge(s.widgets("w"), R"({"spec":{"mode":null,"note":"hi"}})");

       s.expect_status(patched, 200);
       s.expect_equal(patched.body, "spec.note", "hi");
       s.expect_absent(patched.body, "spec.mode");
       s.expect_equal(patched.body, "spec.replicas", 1);
     }},
    {"merge patch: replaces lists as a whole",
     [](Session& s) {
       s.made_widget("w", R"({"ports":[{"name":"a","port":1},{"name":"b","port":2}]})");

       const Reply patched = s.merge(s.widgets("w"), R"({"spec":{"ports":[{"name":"c","port":3}]}})");

       s.expect_equal(patched.body, "spec.ports", parse(R"([{"name":"c","port":3,"protocol":"TCP"}])"));
     }},
    {"merge patch: one that changes nothing keeps the version",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply patched = s.merge(s.widgets("w"), R"({"spec":{"replicas":1}})");

       s.expect(at(patched.body, "metadata.resourceVersion") == at(made, "metadata.resourceVersion"),
                "the version stays");
     }},
    {"merge patch: a matching version is taken",
     [](Session& s) {
       const auto made = s.made_widget("w");

       s.expect_status(
           s.merge(s.widgets("w"), R"({"metadata":{"resourceVersion":")" +
                                       std::string(at(made, "metadata.resourceVersion").as_string()) +
                                       R"("},"spec":{"replicas":2}})"),
           200);
     }},
    {"merge patch: an old version is a Conflict",
     [](Session& s) {
       const auto made = s.made_widget("w");
       s.merge(s.widgets("w"), R"({"spec":{"replicas":2}})");

       const Reply patched =
           s.merge(s.widgets("w"), R"({"metadata":{"resourceVersion":")" +
                                       std::string(at(made, "metadata.resourceVersion").as_string()) +
                                       R"("},"spec":{"replicas":3}})");

       s.expect_refused(patched, 409, "Conflict", "the object has been modified");
     }},
    {"merge patch: the uid never changes",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(
           s.merge(s.widgets("w"), R"({"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}})"), 422,
           "Invalid", "metadata.uid: Invalid value");
     }},
    {"merge patch: a missing object is NotFound",
     [](Session& s) { s.expect_refused(s.merge(s.widgets("none"), R"({"spec":{}})"), 404, "NotFound"); }},
    {"merge patch: malformed JSON is a BadRequest",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.merge(s.widgets("w"), R"({"spec":)"), 400, "BadRequest");
     }},
    {"merge patch: a renaming is refused",
     [](Session& s) {
       s.made_widget("w");

       s.expect_status(s.merge(s.widgets("w"), R"({"metadata":{"name":"v"}})"), 400);
     }},
    {"merge patch: a result that breaks the schema is refused",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.merge(s.widgets("w"), R"({"spec":{"replicas":-1}})"), 422, "Invalid",
                        "spec.replicas: Invalid value: -1");
     }},
    {"merge patch: metadata keeps the generation, spec raises it",
     [](Session& s) {
       s.made_widget("w");

       s.expect_equal(s.merge(s.widgets("w"), R"({"metadata":{"annotations":{"a":"b"}}})").body,
                      "metadata.generation", 1);
       s.expect_equal(s.merge(s.widgets("w"), R"({"spec":{"replicas":7}})").body, "metadata.generation", 2);
     }},
    {"merge patch: a default comes back when its field is removed",
     [](Session& s) {
       s.made_widget("w", R"({"replicas":5})");

       s.expect_equal(s.merge(s.widgets("w"), R"({"spec":{"replicas":null}})").body, "spec.replicas", 1);
     }},
    {"merge patch: a dry run changes nothing",
     [](Session& s) {
       s.made_widget("w");

       s.expect_equal(s.merge(s.widgets("w") + "?dryRun=All", R"({"spec":{"replicas":8}})").body,
                      "spec.replicas", 8);
       s.expect_equal(s.get(s.widgets("w")).body, "spec.replicas", 1);
     }},
    {"json patch: add, replace and remove",
     [](Session& s) {
       s.made_config_map("a");

       const Reply patched = s.json_patch(
           s.core("configmaps", "a"),
           R"([{"op":"add","path":"/data/n","value":"1"},{"op":"replace","path":"/data/k","value":"2"},{"op":"add","path":"/metadata/labels","value":{"x":"y"}}])");

       s.expect_status(patched, 200);
       s.expect_equal(patched.body, "data", parse(R"({"k":"2","n":"1"})"));
       s.expect_equal(patched.body, "metadata.labels.x", "y");
     }},
    {"json patch: a test that holds lets the rest through",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_absent(
           s.json_patch(s.core("configmaps", "a"),
                        R"([{"op":"test","path":"/data/k","value":"v"},{"op":"remove","path":"/data/k"}])")
               .body,
           "data.k");
     }},
    {"json patch: a test that fails changes nothing",
     [](Session& s) {
       s.made_config_map("a");

       const Reply patched = s.json_patch(
           s.core("configmaps", "a"),
           R"([{"op":"test","path":"/data/k","value":"other"},{"op":"remove","path":"/data/k"}])");

       s.expect_refused(patched, 422, "Invalid");
       s.expect_equal(s.get(s.core("configmaps", "a")).body, "data.k", "v");
     }},
    {"json patch: removing what is not there is refused",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_refused(s.json_patch(s.core("configmaps", "a"), R"([{"op":"remove","path":"/data/none"}])"),
                        422, "Invalid");
     }},
    {"json patch: appending to a list with a dash",
     [](Session& s) {
       s.made_widget("w", R"({"args":["a"]})");

       s.expect_equal(
           s.json_patch(s.widgets("w"), R"([{"op":"add","path":"/spec/args/-","value":"b"}])").body,
           "spec.args", parse(R"(["a","b"])"));
     }},
    {"json patch: an escaped path",
     [](Session& s) {
       s.made_config_map("a");

       s.json_patch(
           s.core("configmaps", "a"),
           R"([{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/example.com~1x","value":"y"}])");

       s.expect_equal(s.get(s.core("configmaps", "a")).body, R"(metadata.annotations."example.com/x")", "y");
     }},
    {"json patch: an object instead of a list is a BadRequest",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_refused(s.json_patch(s.core("configmaps", "a"), R"({"op":"remove"})"), 400, "BadRequest");
     }},
    {"strategic patch: merges a list by its key",
     [](Session& s) {
       s.made(
           s.core("pods"),
           parse(
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"one","image":"a"},{"name":"two","image":"b"}]}})"));

       const Reply patched =
           s.strategic(s.core("pods", "p"), R"({"spec":{"containers":[{"name":"two","image":"c"}]}})");

       s.expect_status(patched, 200);
       s.expect_equal(patched.body, "spec.containers[0].image", "a");
       s.expect_equal(patched.body, "spec.containers[1].image", "c");
     }},
    {"strategic patch: a delete directive removes one entry",
     [](Session& s) {
       const std::string node = "n-" + s.ns();
       s.made("/api/v1/nodes",
              parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + node + R"("}})"));
       s.strategic(
           "/api/v1/nodes/" + node + "/status",
           R"({"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Fine","status":"True"}]}})");

       const Reply patched = s.strategic("/api/v1/nodes/" + node + "/status",
                                         R"({"status":{"conditions":[{"type":"Ready","$patch":"delete"}]}})");
       s.remove("/api/v1/nodes/" + node);

       s.expect_status(patched, 200);
       s.expect_equal(patched.body, "status.conditions[0].type", "Fine");
       s.expect_absent(patched.body, "status.conditions[1]");
     }},
    {"strategic patch: conditions of a status merge by type",
     [](Session& s) {
       const std::string node = "n-" + s.ns();
       s.made("/api/v1/nodes",
              parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + node + R"("}})"));
       s.strategic(
           "/api/v1/nodes/" + node + "/status",
           R"({"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Fine","status":"True"}]}})");

       const Reply patched = s.strategic("/api/v1/nodes/" + node + "/status",
                                         R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
       s.remove("/api/v1/nodes/" + node);

       s.expect_equal(patched.body, "status.conditions[0].status", "False");
       s.expect_equal(patched.body, "status.conditions[1].type", "Fine");
     }},
    {"strategic patch: is refused for a custom resource",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.strategic(s.widgets("w"), R"({"spec":{"replicas":2}})"), 415,
                        "UnsupportedMediaType");
     }},
};

}  // namespace

std::span<const Script> patch_scripts() { return kScripts; }

}  // namespace capstan::conformance
