// Custom resource definitions: validation, defaults, pruning, and the definitions themselves.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

Reply try_widget(Session& s, std::string_view spec, std::string_view query = "") {
  return s.post(
      s.widgets() + std::string(query),
      parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":)" +
            std::string(spec) + "}"));
}

void expect_invalid(Session& s, std::string_view spec, std::string_view message) {
  s.expect_refused(try_widget(s, spec), 422, "Invalid", message);
}

void expect_taken(Session& s, std::string_view spec) { s.expect_status(try_widget(s, spec), 201); }

const Script kScripts[] = {
    {"schema: a number below its minimum is refused",
     [](Session& s) {
       expect_invalid(
           s, R"({"replicas":-1})",
           "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0");
     }},
    {"schema: a number at its minimum is taken", [](Session& s) { expect_taken(s, R"({"replicas":0})"); }},
    {"schema: a number at its maximum is taken", [](Session& s) { expect_taken(s, R"({"replicas":100})"); }},
    {"schema: a number above its maximum is refused",
     [](Session& s) { expect_invalid(s, R"({"replicas":101})", "should be less than or equal to 100"); }},
    {"schema: the refusal names kind, object and cause",
     [](Session& s) {
       const Reply reply = try_widget(s, R"({"replicas":-1})");

       s.expect_refused(reply, 422, "Invalid", "Widget.conformance.capstan.dev \"w\" is invalid: ");
       s.expect_equal(reply.body, "details.kind", "Widget");
       s.expect_equal(reply.body, "details.group", "conformance.capstan.dev");
       s.expect_equal(reply.body, "details.causes[0].field", "spec.replicas");
       s.expect_equal(reply.body, "details.causes[0].reason", "FieldValueInvalid");
     }},
    {"schema: two faults are both named",
     [](Session& s) {
       const Reply reply = try_widget(s, R"({"replicas":-1,"mode":"Warp"})");

       s.expect_present(reply.body, "details.causes[1]");
       s.expect_contains(at(reply.body, "message").as_string(), "[spec.");
     }},
    {"schema: a value outside an enum is refused",
     [](Session& s) {
       expect_invalid(s, R"({"mode":"Warp"})",
                      "spec.mode: Unsupported value: \"Warp\": supported values: \"Fast\", \"Slow\"");
     }},
    {"schema: a value of an enum is taken", [](Session& s) { expect_taken(s, R"({"mode":"Slow"})"); }},
    {"schema: too long a string is refused",
     [](Session& s) {
       expect_invalid(s, R"({"note":"aaaaaaaaaaaa"})", "spec.note: Too long: may not be more than 10 bytes");
     }},
    {"schema: too short a string is refused",
     [](Session& s) {
       expect_invalid(s, R"({"note":""})", "spec.note in body should be at least 1 chars long");
     }},
    {"schema: a string of the longest length is taken",
     [](Session& s) { expect_taken(s, R"({"note":"aaaaaaaaaa"})"); }},
    {"schema: a string of the shortest length is taken",
     [](Session& s) { expect_taken(s, R"({"note":"a"})"); }},
    {"schema: a string off its pattern is refused",
     [](Session& s) {
       expect_invalid(s, R"({"note":"ABC"})", "spec.note in body should match '^[a-z ]*$'");
     }},
    {"schema: a string on its pattern is taken", [](Session& s) { expect_taken(s, R"({"note":"a b"})"); }},
    {"schema: a wrong type is refused",
     [](Session& s) {
       expect_invalid(s, R"({"replicas":"three"})",
                      "spec.replicas: Invalid value: \"string\": spec.replicas in body must be of type "
                      "integer: \"string\"");
     }},
    {"schema: a fraction is no integer",
     [](Session& s) { s.expect_status(try_widget(s, R"({"replicas":1.5})"), 422); }},
    {"schema: an int32 has its bounds",
     [](Session& s) { s.expect_status(try_widget(s, R"({"replicas":4294967296})"), 422); }},
    {"schema: a multiple is checked",
     [](Session& s) { expect_invalid(s, R"({"even":3})", "spec.even in body should be a multiple of 2"); }},
    {"schema: a multiple is taken", [](Session& s) { expect_taken(s, R"({"even":4})"); }},
    {"schema: an exclusive minimum is exclusive",
     [](Session& s) { expect_invalid(s, R"({"ratio":0})", "should be greater than 0"); }},
    {"schema: a number above an exclusive minimum is taken",
     [](Session& s) { expect_taken(s, R"({"ratio":0.5})"); }},
    {"schema: a time must be one",
     [](Session& s) {
       expect_invalid(s, R"({"when":"yesterday"})",
                      "spec.when in body must be of type date-time: \"yesterday\"");
     }},
    {"schema: a time is taken", [](Session& s) { expect_taken(s, R"({"when":"2030-01-02T03:04:05Z"})"); }},
    {"schema: an int-or-string takes both",
     [](Session& s) {
       expect_taken(s, R"({"size":3})");
       s.expect_status(s.merge(s.widgets("w"), R"({"spec":{"size":"30%"}})"), 200);
     }},
    {"schema: an int-or-string refuses a boolean",
     [](Session& s) { s.expect_refused(try_widget(s, R"({"size":true})"), 422, "Invalid", "spec.size"); }},
    {"schema: a nullable field keeps null",
     [](Session& s) {
       const Reply made = try_widget(s, R"({"maybe":null})");

       s.expect_status(made, 201);
       s.expect(at(made.body, "spec").as_object().contains("maybe"), "the null stays");
     }},
    {"schema: null where it is not nullable takes the default",
     [](Session& s) { s.expect_equal(try_widget(s, R"({"replicas":null})").body, "spec.replicas", 1); }},
    {"schema: a missing required field is refused",
     [](Session& s) {
       expect_invalid(s, R"({"limits":{"memory":"1"}})", "spec.limits.cpu: Required value");
     }},
    {"schema: a required field that is there is taken",
     [](Session& s) { expect_taken(s, R"({"limits":{"cpu":"1"}})"); }},
    {"schema: a missing required object is refused",
     [](Session& s) {
       const Reply reply = s.post(
           s.widgets(),
           parse(R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"}})"));

       s.expect_refused(reply, 422, "Invalid", "spec: Required value");
       s.expect_equal(reply.body, "details.causes[0].reason", "FieldValueRequired");
     }},
    {"schema: a list longer than allowed is refused",
     [](Session& s) {
       expect_invalid(s, R"({"tags":["a","b","c","d"]})",
                      "spec.tags: Too many: 4: must have at most 3 items");
     }},
    {"schema: a list as long as allowed is taken",
     [](Session& s) { expect_taken(s, R"({"tags":["a","b","c"]})"); }},
    {"schema: a set refuses a duplicate",
     [](Session& s) { expect_invalid(s, R"({"tags":["a","a"]})", "spec.tags[1]: Duplicate value: \"a\""); }},
    {"schema: a keyed list refuses a duplicate key",
     [](Session& s) {
       expect_invalid(s, R"({"ports":[{"name":"a","port":1},{"name":"a","port":2}]})",
                      "spec.ports[1]: Duplicate value: {\"name\":\"a\"}");
     }},
    {"schema: a keyed list takes different keys",
     [](Session& s) { expect_taken(s, R"({"ports":[{"name":"a","port":1},{"name":"b","port":1}]})"); }},
    {"schema: a fault inside a list names its index",
     [](Session& s) {
       expect_invalid(s, R"({"ports":[{"name":"a","port":1},{"name":"b","port":0}]})", "spec.ports[1].port");
     }},
    {"schema: too many properties are refused",
     [](Session& s) {
       expect_invalid(s, R"({"settings":{"a":"1","b":"2","c":"3","d":"4"}})",
                      "spec.settings: Too many: 4: must have at most 3 items");
     }},
    {"schema: as many properties as allowed are taken",
     [](Session& s) { expect_taken(s, R"({"settings":{"a":"1","b":"2","c":"3"}})"); }},
    {"schema: values of a map are checked",
     [](Session& s) { expect_invalid(s, R"({"settings":{"a":1}})", "spec.settings.a"); }},
    {"defaults: a missing field gets its default",
     [](Session& s) { s.expect_equal(try_widget(s, "{}").body, "spec.replicas", 1); }},
    {"defaults: a given field keeps its value",
     [](Session& s) { s.expect_equal(try_widget(s, R"({"replicas":0})").body, "spec.replicas", 0); }},
    {"defaults: entries of lists get theirs",
     [](Session& s) {
       s.expect_equal(try_widget(s, R"({"ports":[{"name":"a","port":1}]})").body, "spec.ports[0].protocol",
                      "TCP");
     }},
    {"pruning: an unknown field is dropped",
     [](Session& s) { s.expect_absent(try_widget(s, R"({"nothing":1})").body, "spec.nothing"); }},
    {"pruning: an unknown field beside spec is dropped",
     [](Session& s) {
       s.expect_absent(
           s.post(
                s.widgets(),
                parse(
                    R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{},"extra":1})"))
               .body,
           "extra");
     }},
    {"pruning: unknown metadata is dropped",
     [](Session& s) {
       s.expect_absent(
           s.post(
                s.widgets(),
                parse(
                    R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w","extra":1},"spec":{}})"))
               .body,
           "metadata.extra");
     }},
    {"pruning: where unknown fields are preserved they stay",
     [](Session& s) {
       s.expect_equal(try_widget(s, R"({"free":{"any":{"thing":1}}})").body, "spec.free.any.thing", 1);
     }},
    {"pruning: known fields beside preserved ones are checked",
     [](Session& s) {
       s.expect_refused(try_widget(s, R"({"free":{"known":"x"}})"), 422, "Invalid", "spec.free.known");
     }},
    {"strict: an unknown field is refused on request",
     [](Session& s) {
       s.expect_refused(try_widget(s, R"({"nothing":1})", "?fieldValidation=Strict"), 400, "BadRequest",
                        "strict decoding error: unknown field \"spec.nothing\"");
     }},
    {"strict: a duplicate field is refused on request",
     [](Session& s) {
       s.expect_refused(
           s.send(
               "POST", s.widgets() + "?fieldValidation=Strict",
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"replicas":1,"replicas":2}})"),
           400, "BadRequest", "strict decoding error: duplicate field \"spec.replicas\"");
     }},
    {"strict: a good object is taken",
     [](Session& s) { s.expect_status(try_widget(s, R"({"replicas":1})", "?fieldValidation=Strict"), 201); }},
    {"strict: an unknown field warns by default",
     [](Session& s) {
       const Reply reply = try_widget(s, R"({"nothing":1})");

       s.expect(reply.headers.contains("Warning"), "a Warning header is sent");
       s.expect_contains(reply.headers.find("Warning")->second, "unknown field");
     }},
    {"strict: nothing is said when it is to be ignored",
     [](Session& s) {
       s.expect(!try_widget(s, R"({"nothing":1})", "?fieldValidation=Ignore").headers.contains("Warning"),
                "no Warning header");
     }},
    {"strict: a core kind refuses unknown fields on request",
     [](Session& s) {
       s.expect_refused(
           s.post(s.core("configmaps") + "?fieldValidation=Strict",
                  parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"nothing":1})")),
           400, "BadRequest", "unknown field \"nothing\"");
     }},
    {"definitions: are established with accepted names",
     [](Session& s) {
       const Reply crd =
           s.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.conformance.capstan.dev");

       s.expect_equal(crd.body, "status.acceptedNames.plural", "widgets");
       s.expect_equal(crd.body, "status.storedVersions", parse(R"(["v1"])"));
       s.expect_equal(crd.body, "spec.conversion.strategy", "None");
     }},
    {"definitions: a name that is not plural.group is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               parse(
                   R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"wrong.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})")),
           422, "Invalid", "metadata.name");
     }},
    {"definitions: without a storage version are refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               parse(
                   R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})")),
           422, "Invalid", "storage version");
     }},
    {"definitions: deleting one deletes its objects and its path",
     [](Session& s) {
       const std::string group = "g" + s.ns() + ".example.com";
       const std::string name = "things." + group;
       const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
       s.made(
           crds,
           parse(
               R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" +
               name + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"kind":"Thing","plural":"things","singular":"thing","listKind":"ThingList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})"));
       const std::string things = s.group(group + "/v1", "things");
       const json::value thing =
           parse(R"({"apiVersion":")" + group + R"(/v1","kind":"Thing","metadata":{"name":"t"}})");
       s.eventually(
           "the new path serves",
           [&] { return s.post(things, thing).status == 201 || s.get(things + "/t").status == 200; },
           std::chrono::seconds(20));

       s.remove(crds + "/" + name);

       s.eventually(
           "the definition is gone", [&] { return s.get(crds + "/" + name).status == 404; },
           std::chrono::seconds(30));
       s.eventually(
           "the path is gone", [&] { return s.get(things).status == 404; }, std::chrono::seconds(30));
     }},
    {"rules: a CEL rule refuses",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group("conformance.capstan.dev/v1", "ruleds"),
               parse(
                   R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Ruled","metadata":{"name":"r"},"spec":{"low":3,"high":2}})")),
           422, "Invalid", "low must not exceed high");
     },
     Needs::RealServerOnly},
    {"rules: a CEL rule accepts",
     [](Session& s) {
       s.expect_status(
           s.post(
               s.group("conformance.capstan.dev/v1", "ruleds"),
               parse(
                   R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Ruled","metadata":{"name":"r"},"spec":{"low":1,"high":2}})")),
           201);
     },
     Needs::RealServerOnly},
    {"rules: a transition rule refuses a change",
     [](Session& s) {
       s.made(
           s.group("conformance.capstan.dev/v1", "ruleds"),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Ruled","metadata":{"name":"r"},"spec":{"fixed":"a"}})"));

       s.expect_refused(
           s.merge(s.group("conformance.capstan.dev/v1", "ruleds", "r"), R"({"spec":{"fixed":"b"}})"), 422,
           "Invalid", "fixed never changes");
     },
     Needs::RealServerOnly},
    {"rules: a transition rule accepts what stays",
     [](Session& s) {
       s.made(
           s.group("conformance.capstan.dev/v1", "ruleds"),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Ruled","metadata":{"name":"r"},"spec":{"fixed":"a","low":1}})"));

       s.expect_status(
           s.merge(s.group("conformance.capstan.dev/v1", "ruleds", "r"), R"({"spec":{"fixed":"a","low":2}})"),
           200);
     },
     Needs::RealServerOnly},
};

}  // namespace

std::span<const Script> schema_scripts() { return kScripts; }

}  // namespace capstan::conformance
