// The status and scale subresources.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

const Script kScripts[] = {
    {"status: a write changes the status only",
     [](Session& s) {
       const auto made = s.made_widget("w");

       const Reply patched =
           s.merge(s.widgets("w") + "/status",
                   R"({"metadata":{"labels":{"x":"y"}},"spec":{"replicas":9},"status":{"phase":"Up"}})");

       s.expect_status(patched, 200);
       s.expect_equal(patched.body, "status.phase", "Up");
       s.expect_equal(patched.body, "spec.replicas", 1);
       s.expect_equal(patched.body, "metadata.generation", 1);
       s.expect(at(patched.body, "metadata.resourceVersion") != at(made, "metadata.resourceVersion"),
                "the version moved");
     }},
    {"status: a write leaves labels and annotations of a custom resource alone",
     [](Session& s) {
       s.made_widget("w");

       s.expect_absent(
           s.merge(s.widgets("w") + "/status", R"({"metadata":{"labels":{"x":"y"}},"status":{"phase":"Up"}})")
               .body,
           "metadata.labels");
     }},
    {"status: a write to the object leaves it alone",
     [](Session& s) {
       s.made_widget("w");
       s.merge(s.widgets("w") + "/status", R"({"status":{"phase":"Up"}})");

       const Reply patched = s.merge(s.widgets("w"), R"({"spec":{"replicas":2},"status":{"phase":"Down"}})");

       s.expect_equal(patched.body, "status.phase", "Up");
       s.expect_equal(patched.body, "spec.replicas", 2);
     }},
    {"status: the same again keeps the version",
     [](Session& s) {
       s.made_widget("w");
       const Reply first = s.merge(s.widgets("w") + "/status", R"({"status":{"phase":"Up"}})");
       const Reply again = s.merge(s.widgets("w") + "/status", R"({"status":{"phase":"Up"}})");

       s.expect(at(first.body, "metadata.resourceVersion") == at(again.body, "metadata.resourceVersion"),
                "the version stays");
     }},
    {"status: reading it gives the whole object",
     [](Session& s) {
       s.made_widget("w");

       const Reply read = s.get(s.widgets("w") + "/status");

       s.expect_status(read, 200);
       s.expect_equal(read.body, "spec.replicas", 1);
     }},
    {"status: a PUT with the present version is taken",
     [](Session& s) {
       auto made = s.made_widget("w");
       made.as_object()["status"] = json::object{{"phase", "Up"}};

       const Reply put = s.put(s.widgets("w") + "/status", made);

       s.expect_status(put, 200);
       s.expect_equal(put.body, "status.phase", "Up");
     }},
    {"status: a PUT with an old version is a Conflict",
     [](Session& s) {
       auto made = s.made_widget("w");
       s.merge(s.widgets("w"), R"({"spec":{"replicas":2}})");
       made.as_object()["status"] = json::object{{"phase", "Up"}};

       s.expect_refused(s.put(s.widgets("w") + "/status", made), 409, "Conflict");
     }},
    {"status: an invalid one is refused",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.merge(s.widgets("w") + "/status", R"({"status":{"replicas":"many"}})"), 422,
                        "Invalid", "status.replicas");
     }},
    {"status: unknown fields are pruned",
     [](Session& s) {
       s.made_widget("w");

       s.expect_absent(s.merge(s.widgets("w") + "/status", R"({"status":{"phase":"Up","nothing":1}})").body,
                       "status.nothing");
     }},
    {"status: a kind without the subresource has no such path",
     [](Session& s) { s.expect_status(s.get("/apis/conformance.capstan.dev/v1/gadgets/none/status"), 404); }},
    {"status: a JSON patch with a version test",
     [](Session& s) {
       const auto made = s.made_widget("w");
       const std::string version(at(made, "metadata.resourceVersion").as_string());

       s.expect_status(
           s.json_patch(s.widgets("w") + "/status",
                        R"([{"op":"test","path":"/metadata/resourceVersion","value":")" + version +
                            R"("},{"op":"add","path":"/status","value":{"phase":"Up"}}])"),
           200);
       s.expect_status(
           s.json_patch(s.widgets("w") + "/status",
                        R"([{"op":"test","path":"/metadata/resourceVersion","value":")" + version +
                            R"("},{"op":"replace","path":"/status/phase","value":"Down"}])"),
           422);
     }},
    {"scale: shows replicas and selector",
     [](Session& s) {
       s.made_widget("w", R"({"replicas":4})");
       s.merge(s.widgets("w") + "/status", R"({"status":{"replicas":2,"selector":"app=w"}})");

       const Reply scale = s.get(s.widgets("w") + "/scale");

       s.expect_status(scale, 200);
       s.expect_equal(scale.body, "kind", "Scale");
       s.expect_equal(scale.body, "apiVersion", "autoscaling/v1");
       s.expect_equal(scale.body, "spec.replicas", 4);
       s.expect_equal(scale.body, "status.replicas", 2);
       s.expect_equal(scale.body, "status.selector", "app=w");
       s.expect_equal(scale.body, "metadata.name", "w");
       s.expect_present(scale.body, "metadata.uid");
     }},
    {"scale: a merge patch changes the object",
     [](Session& s) {
       s.made_widget("w");

       s.expect_equal(s.merge(s.widgets("w") + "/scale", R"({"spec":{"replicas":6}})").body, "spec.replicas",
                      6);
       const Reply read = s.get(s.widgets("w"));
       s.expect_equal(read.body, "spec.replicas", 6);
       s.expect_equal(read.body, "metadata.generation", 2);
     }},
    {"scale: a PUT changes the object",
     [](Session& s) {
       s.made_widget("w");
       auto scale = s.get(s.widgets("w") + "/scale").body;
       scale.as_object()["spec"].as_object()["replicas"] = 8;

       s.expect_status(s.put(s.widgets("w") + "/scale", scale), 200);
       s.expect_equal(s.get(s.widgets("w")).body, "spec.replicas", 8);
     }},
    {"scale: an old version is a Conflict",
     [](Session& s) {
       s.made_widget("w");
       auto scale = s.get(s.widgets("w") + "/scale").body;
       s.merge(s.widgets("w"), R"({"spec":{"mode":"Fast"}})");
       scale.as_object()["spec"].as_object()["replicas"] = 8;

       s.expect_refused(s.put(s.widgets("w") + "/scale", scale), 409, "Conflict");
     }},
    {"scale: a negative number is refused",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.merge(s.widgets("w") + "/scale", R"({"spec":{"replicas":-1}})"), 422, "Invalid",
                        "spec.replicas");
     }},
    {"scale: a number the schema forbids is refused",
     [](Session& s) {
       s.made_widget("w");

       s.expect_refused(s.merge(s.widgets("w") + "/scale", R"({"spec":{"replicas":101}})"), 422, "Invalid");
     }},
    {"scale: of a missing object is NotFound",
     [](Session& s) { s.expect_refused(s.get(s.widgets("none") + "/scale"), 404, "NotFound"); }},
    {"scale: of a kind without it is a 404",
     [](Session& s) { s.expect_status(s.get(s.core("configmaps", "x") + "/scale"), 404); }},
};

}  // namespace

std::span<const Script> status_scripts() { return kScripts; }

}  // namespace capstan::conformance
