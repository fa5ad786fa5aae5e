// Reading one object, and what the server answers when there is none.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

const Script kScripts[] = {
    {"get: what was made comes back whole",
     [](Session& s) {
       const auto made = s.made_config_map("a", R"("labels":{"x":"y"})");

       const Reply read = s.get(s.core("configmaps", "a"));

       s.expect_status(read, 200);
       s.expect(read.body == made, "the read object equals the made one");
     }},
    {"get: a missing object is NotFound and named",
     [](Session& s) {
       const Reply read = s.get(s.core("configmaps", "none"));

       s.expect_refused(read, 404, "NotFound", "configmaps \"none\" not found");
       s.expect_equal(read.body, "details.name", "none");
       s.expect_equal(read.body, "details.kind", "configmaps");
     }},
    {"get: a missing custom resource is named with its group",
     [](Session& s) {
       const Reply read = s.get(s.widgets("none"));

       s.expect_refused(read, 404, "NotFound", "widgets.conformance.capstan.dev \"none\" not found");
       s.expect_equal(read.body, "details.group", "conformance.capstan.dev");
     }},
    {"get: an unknown group is a 404",
     [](Session& s) { s.expect_status(s.get("/apis/nobody.example.com/v1/things"), 404); }},
    {"get: an unknown resource of a known group is a 404",
     [](Session& s) { s.expect_status(s.get("/api/v1/namespaces/default/nonsense"), 404); }},
    {"get: a version that is not served is a 404",
     [](Session& s) { s.expect_status(s.get("/apis/conformance.capstan.dev/v0/gadgets"), 404); }},
    {"get: an object that is stored in one version is served in another",
     [](Session& s) {
       const std::string name = "g-" + s.ns();
       s.made("/apis/conformance.capstan.dev/v1/gadgets",
              parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Gadget","metadata":{"name":")" +
                    name + R"("},"spec":{"x":1}})"));

       const Reply read = s.get("/apis/conformance.capstan.dev/v1alpha1/gadgets/" + name);
       s.remove("/apis/conformance.capstan.dev/v1/gadgets/" + name);

       s.expect_equal(read.body, "apiVersion", "conformance.capstan.dev/v1alpha1");
       s.expect_equal(read.body, "spec.x", 1);
     }},
    {"get: a deprecated version warns",
     [](Session& s) {
       const Reply read = s.get("/apis/conformance.capstan.dev/v1alpha1/gadgets");

       s.expect(read.headers.contains("Warning"), "a Warning header is sent");
       s.expect_contains(read.headers.find("Warning")->second,
                         "conformance.capstan.dev/v1alpha1 Gadget is deprecated");
     }},
    {"get: metadata alone can be asked for",
     [](Session& s) {
       s.made_widget("w");

       const Reply read =
           s.send("GET", s.widgets("w"), "", "",
                  {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});

       s.expect_equal(read.body, "kind", "PartialObjectMetadata");
       s.expect_equal(read.body, "apiVersion", "meta.k8s.io/v1");
       s.expect_equal(read.body, "metadata.name", "w");
       s.expect_absent(read.body, "spec");
     }},
    {"get: a namespace with its own path",
     [](Session& s) {
       const Reply read = s.get("/api/v1/namespaces/" + s.ns());

       s.expect_equal(read.body, "status.phase", "Active");
       s.expect_equal(read.body, R"(metadata.labels."kubernetes.io/metadata.name")", s.ns());
     }},
    {"get: an unknown Accept is 406",
     [](Session& s) {
       s.expect_refused(s.send("GET", s.core("configmaps"), "", "", {{"Accept", "text/csv"}}), 406,
                        "NotAcceptable");
     }},
};

}  // namespace

std::span<const Script> read_scripts() { return kScripts; }

}  // namespace capstan::conformance
