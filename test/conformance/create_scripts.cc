// Creating objects: what the server adds, what it refuses.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

json::value config_map(std::string_view metadata, std::string_view rest = "") {
  return parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":)" + std::string(metadata) +
               std::string(rest) + "}");
}

const Script kScripts[] = {
    {"create: the server adds uid, version and timestamp",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       s.expect(at(made, "metadata.uid").as_string().size() == 36, "uid is a UUID");
       s.expect(!at(made, "metadata.resourceVersion").as_string().empty(), "resourceVersion is set");
       s.expect(at(made, "metadata.creationTimestamp").as_string().ends_with("Z"),
                "creationTimestamp is in UTC");
       s.expect_equal(made, "metadata.namespace", s.ns());
     }},
    {"create: a custom resource starts at generation 1",
     [](Session& s) { s.expect_equal(s.made_widget("w"), "metadata.generation", 1); }},
    {"create: a config map has no generation",
     [](Session& s) { s.expect_absent(s.made_config_map("a"), "metadata.generation"); }},
    {"create: answers 201 and the kind it was sent",
     [](Session& s) {
       const Reply made = s.post(s.core("configmaps"), config_map(R"({"name":"a"})"));

       s.expect_status(made, 201);
       s.expect_equal(made.body, "kind", "ConfigMap");
       s.expect_equal(made.body, "apiVersion", "v1");
     }},
    {"create: the same name again is AlreadyExists",
     [](Session& s) {
       s.made_config_map("a");

       const Reply again = s.post(s.core("configmaps"), config_map(R"({"name":"a"})"));

       s.expect_refused(again, 409, "AlreadyExists", "configmaps \"a\" already exists");
       s.expect_equal(again.body, "details.name", "a");
       s.expect_equal(again.body, "details.kind", "configmaps");
     }},
    {"create: AlreadyExists of a custom resource names its group",
     [](Session& s) {
       s.made_widget("w");

       const Reply again = s.post(
           s.widgets(),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{}})"));

       s.expect_refused(again, 409, "AlreadyExists", "widgets.conformance.capstan.dev \"w\" already exists");
       s.expect_equal(again.body, "details.group", "conformance.capstan.dev");
     }},
    {"create: the same name in another namespace is another object",
     [](Session& s) {
       s.made_config_map("a");

       const Reply other =
           s.post("/api/v1/namespaces/default/configmaps", config_map(R"({"generateName":"other-"})"));

       s.expect_status(other, 201);
       s.remove("/api/v1/namespaces/default/configmaps/" +
                std::string(at(other.body, "metadata.name").as_string()));
     }},
    {"create: generateName is completed with five characters",
     [](Session& s) {
       const auto made = s.made(s.core("configmaps"), config_map(R"({"generateName":"pre-"})"));

       const std::string name(at(made, "metadata.name").as_string());
       s.expect(name.starts_with("pre-") && name.size() == 9,
                "name is pre- and five characters, got " + name);
       s.expect_equal(made, "metadata.generateName", "pre-");
     }},
    {"create: name wins over generateName",
     [](Session& s) {
       s.expect_equal(s.made(s.core("configmaps"), config_map(R"({"name":"a","generateName":"pre-"})")),
                      "metadata.name", "a");
     }},
    {"create: neither name nor generateName is refused",
     [](Session& s) {
       const Reply reply = s.post(s.core("configmaps"), config_map("{}"));

       s.expect_refused(reply, 422, "Invalid", "name or generateName is required");
       s.expect_equal(reply.body, "details.causes[0].field", "metadata.name");
     }},
    {"create: an upper-case name is refused with its field",
     [](Session& s) {
       const Reply reply = s.post(s.core("configmaps"), config_map(R"({"name":"UPPER"})"));

       s.expect_refused(reply, 422, "Invalid", "metadata.name: Invalid value: \"UPPER\"");
       s.expect_equal(reply.body, "details.causes[0].reason", "FieldValueInvalid");
     }},
    {"create: a name of 253 characters is taken",
     [](Session& s) {
       s.expect_status(
           s.post(s.core("configmaps"), config_map(R"({"name":")" + std::string(253, 'a') + "\"}")), 201);
     }},
    {"create: an over-long name is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(s.core("configmaps"), config_map(R"({"name":")" + std::string(254, 'a') + "\"}")), 422,
           "Invalid");
     }},
    {"create: labels and annotations with a domain and long values are taken",
     [](Session& s) {
       const std::string longest(63, 'v');
       const Reply made =
           s.post(s.core("configmaps"),
                  config_map(R"({"name":"a","labels":{"example.com/a_b.c-D":")" + longest +
                             R"(","empty":""},"annotations":{"example.com/note":"any text: {}!"}})"));

       s.expect_status(made, 201);
       s.expect_equal(made.body, "metadata.labels.\"example.com/a_b.c-D\"", longest);
       s.expect_equal(made.body, "metadata.annotations.\"example.com/note\"", "any text: {}!");
     }},
    {"create: a bad label value is refused with its field",
     [](Session& s) {
       const Reply reply =
           s.post(s.core("configmaps"), config_map(R"({"name":"a","labels":{"x":"not ok!"}})"));

       s.expect_refused(reply, 422, "Invalid", "metadata.labels: Invalid value: \"not ok!\"");
     }},
    {"create: a bad label key is refused",
     [](Session& s) {
       s.expect_refused(s.post(s.core("configmaps"), config_map(R"({"name":"a","labels":{"bad key":"v"}})")),
                        422, "Invalid", "metadata.labels");
     }},
    {"create: a bad annotation key is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(s.core("configmaps"), config_map(R"({"name":"a","annotations":{"bad key":"v"}})")), 422,
           "Invalid", "metadata.annotations");
     }},
    {"create: a custom resource takes an unqualified finalizer",
     [](Session& s) {
       const auto made = s.made(
           s.widgets(),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w","finalizers":["unqualified"]},"spec":{}})"));
       s.merge(s.widgets("w"), R"({"metadata":{"finalizers":null}})");

       s.expect_equal(made, "metadata.finalizers[0]", "unqualified");
     }},
    {"create: a finalizer that is no name is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.widgets(),
               parse(
                   R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w","finalizers":["no name!"]},"spec":{}})")),
           422, "Invalid", "metadata.finalizers");
     }},
    {"create: a namespace in the body that differs from the path is refused",
     [](Session& s) {
       s.expect_refused(s.post(s.core("configmaps"), config_map(R"({"name":"a","namespace":"default"})")),
                        400, "BadRequest", "does not match the namespace");
     }},
    {"create: a namespace that does not exist is NotFound",
     [](Session& s) {
       s.expect_refused(s.post("/api/v1/namespaces/nowhere-at-all/configmaps", config_map(R"({"name":"a"})")),
                        404, "NotFound", "namespaces \"nowhere-at-all\" not found");
     }},
    {"create: a resourceVersion in the body is refused",
     [](Session& s) {
       s.expect_refused(s.post(s.core("configmaps"), config_map(R"({"name":"a","resourceVersion":"5"})")),
                        500, "", "resourceVersion should not be set on objects to be created");
     }},
    {"create: a wrong kind is refused",
     [](Session& s) {
       s.expect_refused(s.post(s.core("configmaps"),
                               parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})")),
                        400, "BadRequest");
     }},
    {"create: a wrong apiVersion of a custom resource is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.widgets(),
               parse(
                   R"({"apiVersion":"conformance.capstan.dev/v9","kind":"Widget","metadata":{"name":"w"},"spec":{}})")),
           400, "BadRequest");
     }},
    {"create: malformed JSON is a BadRequest",
     [](Session& s) {
       s.expect_refused(s.send("POST", s.core("configmaps"), R"({"apiVersion":"v1",)"), 400, "BadRequest");
     }},
    {"create: an unknown media type is refused with 415",
     [](Session& s) { s.expect_status(s.send("POST", s.core("configmaps"), "x", "text/html"), 415); }},
    {"create: YAML is taken as well as JSON",
     [](Session& s) {
       const Reply made = s.send("POST", s.core("configmaps"),
                                 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yam\ndata:\n  k: v\n",
                                 "application/yaml");

       s.expect_status(made, 201);
       s.expect_equal(made.body, "data.k", "v");
     }},
    {"create: a dry run answers 201 and stores nothing",
     [](Session& s) {
       const Reply dry = s.post(s.core("configmaps") + "?dryRun=All", config_map(R"({"name":"a"})"));

       s.expect_status(dry, 201);
       s.expect_present(dry.body, "metadata.uid");
       s.expect_refused(s.get(s.core("configmaps", "a")), 404, "NotFound");
     }},
    {"create: an unknown dryRun value is refused",
     [](Session& s) {
       s.expect_status(s.post(s.core("configmaps") + "?dryRun=Some", config_map(R"({"name":"a"})")), 422);
     }},
    {"create: a uid or a creationTimestamp in the body is replaced",
     [](Session& s) {
       const auto made =
           s.made(s.core("configmaps"),
                  config_map(R"({"name":"a","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z"})"));

       s.expect(at(made, "metadata.uid") != "mine", "the server chooses the uid");
       s.expect(at(made, "metadata.creationTimestamp") != "2001-01-01T00:00:00Z",
                "the server chooses the creation time");
     }},
    {"create: a deletionTimestamp in the body is dropped",
     [](Session& s) {
       s.expect_absent(s.made(s.core("configmaps"),
                              config_map(R"({"name":"a","deletionTimestamp":"2001-01-01T00:00:00Z"})")),
                       "metadata.deletionTimestamp");
     }},
    {"create: the status of a kind with a status subresource is dropped",
     [](Session& s) {
       const auto made = s.made(
           s.widgets(),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{},"status":{"phase":"Done"}})"));

       s.expect_absent(made, "status.phase");
     }},
    {"create: the status of a kind without a status subresource is kept",
     [](Session& s) {
       const std::string name = "g-" + s.ns();
       const auto made =
           s.made("/apis/conformance.capstan.dev/v1/gadgets",
                  parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Gadget","metadata":{"name":")" +
                        name + R"("},"status":{"phase":"Done"}})"));
       s.remove("/apis/conformance.capstan.dev/v1/gadgets/" + name);

       s.expect_equal(made, "status.phase", "Done");
     }},
    {"create: a PUT to a missing config map is NotFound",
     [](Session& s) {
       s.expect_refused(s.put(s.core("configmaps", "new"), config_map(R"({"name":"new"})")), 404, "NotFound",
                        "configmaps \"new\" not found");
     }},
    {"create: a PUT to a missing custom resource is NotFound",
     [](Session& s) {
       s.expect_refused(
           s.put(
               s.widgets("new"),
               parse(
                   R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"new","resourceVersion":"1"},"spec":{}})")),
           404, "NotFound");
     }},
    {"create: a POST to a named object is MethodNotAllowed",
     [](Session& s) {
       s.expect_refused(s.post(s.core("configmaps", "a"), config_map(R"({"name":"a"})")), 405,
                        "MethodNotAllowed");
     }},
    {"create: managedFields name the manager and its operation",
     [](Session& s) {
       const Reply made = s.post(s.core("configmaps") + "?fieldManager=tester",
                                 config_map(R"({"name":"a"})", R"(,"data":{"k":"v"})"));

       s.expect_equal(made.body, "metadata.managedFields[0].manager", "tester");
       s.expect_equal(made.body, "metadata.managedFields[0].operation", "Update");
       s.expect_present(made.body, R"(metadata.managedFields[0].fieldsV1."f:data"."f:k")");
     }},
    {"create: without fieldManager the user agent's first word is the manager",
     [](Session& s) {
       const Reply made = s.send("POST", s.core("configmaps"),
                                 json::serialize(config_map(R"({"name":"a"})", R"(,"data":{"k":"v"})")),
                                 "application/json", {{"User-Agent", "prog/1.0 (linux)"}});

       s.expect_equal(made.body, "metadata.managedFields[0].manager", "prog");
     }},
    {"create: a secret's stringData becomes data",
     [](Session& s) {
       const auto made = s.made(
           s.core("secrets"),
           parse(
               R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"value"}})"));

       s.expect_equal(made, "data.k", "dmFsdWU=");
       s.expect_absent(made, "stringData");
       s.expect_equal(made, "type", "Opaque");
     }},
    {"create: a secret's base64 stays as it is",
     [](Session& s) {
       const auto made = s.made(
           s.core("secrets"),
           parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"aGVsbG8="}})"));

       s.expect_equal(made, "data.k", "aGVsbG8=");
     }},
    {"create: a secret's data must be base64",
     [](Session& s) {
       s.expect_refused(
           s.post(s.core("secrets"),
                  parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"%%%"}})")),
           400, "BadRequest");
     }},
    {"create: a config map's data key may have dots, dashes and underscores",
     [](Session& s) {
       s.expect_status(
           s.post(s.core("configmaps"), config_map(R"({"name":"a"})", R"(,"data":{"a.b_c-D":"v"})")), 201);
     }},
    {"create: a config map's bad data key is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(s.core("configmaps"), config_map(R"({"name":"a"})", R"(,"data":{"bad key":"v"})")), 422,
           "Invalid", "data[bad key]");
     }},
};

}  // namespace

std::span<const Script> create_scripts() { return kScripts; }

}  // namespace capstan::conformance
