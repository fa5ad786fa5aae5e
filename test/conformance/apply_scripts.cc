// Server-side apply: ownership, conflicts, merging by the schema.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

std::string widget(std::string_view name, std::string_view spec, std::string_view metadata = "") {
  return R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":")" +
         std::string(name) + "\"" + std::string(metadata) + R"(},"spec":)" + std::string(spec) + "}";
}

// The managedFields entry of one manager, or null.
json::value entry_of(const json::value& object, std::string_view manager) {
  const json::value entries = at(object, "metadata.managedFields");
  if (!entries.is_array()) return nullptr;
  for (const auto& entry : entries.as_array())
    if (is(at(entry, "manager"), manager)) return entry;
  return nullptr;
}

const Script kScripts[] = {
    {"apply: makes an object that is not there",
     [](Session& s) {
       const Reply made = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       s.expect_status(made, 201);
       s.expect_equal(made.body, "spec.replicas", 3);
       s.expect_equal(made.body, "metadata.managedFields[0].operation", "Apply");
       s.expect_equal(made.body, "metadata.managedFields[0].manager", "alice");
     }},
    {"apply: in a version that no object has, it only creates",
     [](Session& s) {
       const std::string only = R"(,"resourceVersion":"1")";

       s.expect_status(s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})", only)), 201);
       const Reply again = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})", only));
       const Reply other = s.apply(s.widgets("w"), "bob", widget("w", R"({"mode":"Fast"})", only));

       s.expect_refused(again, 409, "Conflict", "the object has been modified");
       s.expect_refused(other, 409, "Conflict", "the object has been modified");
       s.expect_equal(s.get(s.widgets("w")).body, "metadata.generation", 1);
     }},
    {"apply: owns what it names and nothing else",
     [](Session& s) {
       const Reply made = s.apply(s.widgets("w"), "alice", widget("w", R"({"mode":"Fast"})"));

       s.expect_equal(entry_of(made.body, "alice"), "fieldsV1", parse(R"({"f:spec":{"f:mode":{}}})"));
     }},
    {"apply: the same intent again writes nothing",
     [](Session& s) {
       const Reply first = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));
       const Reply again = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       s.expect_status(again, 200);
       s.expect(at(first.body, "metadata.resourceVersion") == at(again.body, "metadata.resourceVersion"),
                "the version stays");
     }},
    {"apply: a changed value raises the generation",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       s.expect_equal(s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":4})")).body,
                      "metadata.generation", 2);
     }},
    {"apply: another manager's different value is a conflict that names it",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       const Reply reply = s.apply(s.widgets("w"), "bob", widget("w", R"({"replicas":5})"));

       s.expect_refused(reply, 409, "Conflict",
                        "Apply failed with 1 conflict: conflict with \"alice\": .spec.replicas");
       s.expect_equal(reply.body, "details.causes[0].reason", "FieldManagerConflict");
       s.expect_equal(reply.body, "details.causes[0].field", ".spec.replicas");
       s.expect_equal(reply.body, "details.causes[0].message", "conflict with \"alice\"");
       s.expect_equal(s.get(s.widgets("w")).body, "spec.replicas", 3);
     }},
    {"apply: two conflicts are both named",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3,"mode":"Fast"})"));

       const Reply reply = s.apply(s.widgets("w"), "bob", widget("w", R"({"replicas":5,"mode":"Slow"})"));

       s.expect_refused(reply, 409, "Conflict", "Apply failed with 2 conflicts");
       s.expect_present(reply.body, "details.causes[1]");
     }},
    {"apply: another manager's same value is shared",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       const Reply reply = s.apply(s.widgets("w"), "bob", widget("w", R"({"replicas":3})"));

       s.expect_status(reply, 200);
       s.expect_present(entry_of(reply.body, "alice"), R"(fieldsV1."f:spec"."f:replicas")");
       s.expect_present(entry_of(reply.body, "bob"), R"(fieldsV1."f:spec"."f:replicas")");
     }},
    {"apply: force takes the field over",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3,"mode":"Fast"})"));

       const Reply reply = s.apply(s.widgets("w"), "bob", widget("w", R"({"replicas":5})"), "force=true");

       s.expect_status(reply, 200);
       s.expect_equal(reply.body, "spec.replicas", 5);
       s.expect_absent(entry_of(reply.body, "alice"), R"(fieldsV1."f:spec"."f:replicas")");
       s.expect_present(entry_of(reply.body, "alice"), R"(fieldsV1."f:spec"."f:mode")");
       s.expect_present(entry_of(reply.body, "bob"), R"(fieldsV1."f:spec"."f:replicas")");
     }},
    {"apply: what the intent drops is removed",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3,"mode":"Fast"})"));

       const Reply reply = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       s.expect_absent(reply.body, "spec.mode");
     }},
    {"apply: what the intent drops stays while another owns it",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"mode":"Fast"})"));
       s.apply(s.widgets("w"), "bob", widget("w", R"({"mode":"Fast"})"));

       const Reply reply = s.apply(s.widgets("w"), "alice", widget("w", "{}"));

       s.expect_equal(reply.body, "spec.mode", "Fast");
       s.expect_absent(entry_of(reply.body, "alice"), R"(fieldsV1."f:spec"."f:mode")");
     }},
    {"apply: a dropped field with a default falls back to it",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3,"mode":"Fast"})"));

       s.expect_equal(s.apply(s.widgets("w"), "alice", widget("w", R"({"mode":"Fast"})")).body,
                      "spec.replicas", 1);
     }},
    {"apply: labels of others are left alone",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", "{}", R"(,"labels":{"a":"1","b":"2"})"));
       s.merge(s.widgets("w") + "?fieldManager=carol", R"({"metadata":{"labels":{"c":"3"}}})");

       const Reply reply = s.apply(s.widgets("w"), "alice", widget("w", "{}", R"(,"labels":{"a":"1"})"));

       s.expect_status(reply, 200);
       s.expect_equal(reply.body, "metadata.labels", parse(R"({"a":"1","c":"3"})"));
     }},
    {"apply: an update by another manager takes the field from an applier",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       const Reply patched = s.merge(s.widgets("w") + "?fieldManager=carol", R"({"spec":{"replicas":4}})");

       s.expect_absent(entry_of(patched.body, "alice"), R"(fieldsV1."f:spec"."f:replicas")");
       s.expect_present(entry_of(patched.body, "carol"), R"(fieldsV1."f:spec"."f:replicas")");
       s.expect_equal(entry_of(patched.body, "carol"), "operation", "Update");
     }},
    {"apply: against an update's value is a conflict that says using",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));
       s.merge(s.widgets("w") + "?fieldManager=carol", R"({"spec":{"replicas":4}})");

       s.expect_refused(s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})")), 409, "Conflict",
                        "conflict with \"carol\" using conformance.capstan.dev/v1");
     }},
    {"apply: a keyed list merges entry by entry",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"ports":[{"name":"a","port":1}]})"));

       const Reply reply =
           s.apply(s.widgets("w"), "bob", widget("w", R"({"ports":[{"name":"b","port":2}]})"));

       s.expect_status(reply, 200);
       s.expect_equal(
           reply.body, "spec.ports",
           parse(R"([{"name":"a","port":1,"protocol":"TCP"},{"name":"b","port":2,"protocol":"TCP"}])"));
       s.expect_present(entry_of(reply.body, "bob"),
                        R"(fieldsV1."f:spec"."f:ports"."k:{\"name\":\"b\"}"."f:port")");
     }},
    {"apply: a dropped entry of a keyed list goes",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice",
               widget("w", R"({"ports":[{"name":"a","port":1},{"name":"b","port":2}]})"));

       const Reply reply =
           s.apply(s.widgets("w"), "alice", widget("w", R"({"ports":[{"name":"b","port":2}]})"));

       s.expect_equal(reply.body, "spec.ports[0].name", "b");
       s.expect_absent(reply.body, "spec.ports[1]");
     }},
    {"apply: an entry another manager shares stays",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"ports":[{"name":"a","port":1}]})"));
       s.apply(s.widgets("w"), "bob", widget("w", R"({"ports":[{"name":"a","port":1}]})"));

       s.expect_equal(s.apply(s.widgets("w"), "alice", widget("w", "{}")).body, "spec.ports[0].name", "a");
     }},
    {"apply: a conflict inside a keyed list names the key",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"ports":[{"name":"a","port":1}]})"));

       const Reply reply =
           s.apply(s.widgets("w"), "bob", widget("w", R"({"ports":[{"name":"a","port":2}]})"));

       s.expect_refused(reply, 409, "Conflict", R"(.spec.ports[name="a"].port)");
     }},
    {"apply: a set list merges values",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"tags":["a"]})"));

       s.expect_equal(s.apply(s.widgets("w"), "bob", widget("w", R"({"tags":["b"]})")).body, "spec.tags",
                      parse(R"(["a","b"])"));
     }},
    {"apply: an atomic list has one owner",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"args":["a"]})"));

       s.expect_refused(s.apply(s.widgets("w"), "bob", widget("w", R"({"args":["b"]})")), 409, "Conflict",
                        ".spec.args");
     }},
    {"apply: an atomic map has one owner",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"frozen":{"a":"1"}})"));

       s.expect_refused(s.apply(s.widgets("w"), "bob", widget("w", R"({"frozen":{"b":"2"}})")), 409,
                        "Conflict", ".spec.frozen");
     }},
    {"apply: a granular map merges keys",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"settings":{"a":"1"}})"));

       s.expect_equal(s.apply(s.widgets("w"), "bob", widget("w", R"({"settings":{"b":"2"}})")).body,
                      "spec.settings", parse(R"({"a":"1","b":"2"})"));
     }},
    {"apply: an empty intent of a new manager is harmless",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       s.expect_equal(s.apply(s.widgets("w"), "bob", widget("w", "{}")).body, "spec.replicas", 3);
     }},
    {"apply: without a field manager is refused",
     [](Session& s) {
       s.expect_refused(s.send("PATCH", s.widgets("w"), widget("w", "{}"), "application/apply-patch+yaml"),
                        422, "Invalid", "fieldManager: Required value: is required for apply patch");
     }},
    {"apply: with managedFields in the body is refused",
     [](Session& s) {
       s.expect_refused(
           s.apply(s.widgets("w"), "alice", widget("w", "{}", R"(,"managedFields":[{"manager":"x"}])")), 400,
           "BadRequest", "metadata.managedFields must be nil");
     }},
    {"apply: without a kind is refused",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice", R"({"metadata":{"name":"w"}})"), 400);
     }},
    {"apply: an unknown field is refused by type",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice", widget("w", R"({"nothing":1})")), 500);
     }},
    {"apply: a duplicate key in a keyed list is refused",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice",
                               widget("w", R"({"ports":[{"name":"a","port":1},{"name":"a","port":2}]})")),
                       500);
     }},
    {"apply: the present version in the body is taken",
     [](Session& s) {
       const Reply first = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       const Reply second =
           s.apply(s.widgets("w"), "alice",
                   widget("w", R"({"replicas":4})",
                          R"(,"resourceVersion":")" +
                              std::string(at(first.body, "metadata.resourceVersion").as_string()) + "\""));

       s.expect_status(second, 200);
       s.expect_equal(second.body, "spec.replicas", 4);
     }},
    {"apply: an old version in the body is a Conflict",
     [](Session& s) {
       const Reply first = s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));
       s.merge(s.widgets("w"), R"({"spec":{"mode":"Fast"}})");

       s.expect_refused(
           s.apply(s.widgets("w"), "alice",
                   widget("w", R"({"replicas":4})",
                          R"(,"resourceVersion":")" +
                              std::string(at(first.body, "metadata.resourceVersion").as_string()) + "\"")),
           409, "Conflict", "the object has been modified");
     }},
    {"apply: a uid in the body never makes an object",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice",
                               widget("w", "{}", R"(,"uid":"00000000-0000-0000-0000-000000000000")")),
                       409);
     }},
    {"apply: a dry run stores nothing",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice", widget("w", "{}"), "dryRun=All"), 201);
       s.expect_refused(s.get(s.widgets("w")), 404, "NotFound");
     }},
    {"apply: to the status keeps its ownership apart",
     [](Session& s) {
       s.made_widget("w");

       const Reply reply = s.apply(
           s.widgets("w") + "/status", "alice",
           R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w"},"status":{"phase":"Up"}})");

       s.expect_status(reply, 200);
       s.expect_equal(reply.body, "status.phase", "Up");
       s.expect_equal(entry_of(reply.body, "alice"), "subresource", "status");
     }},
    {"apply: owner references merge by uid",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       const std::string uid(at(owner, "metadata.uid").as_string());
       const std::string reference =
           R"({"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" + uid + "\"}";
       s.apply(s.widgets("w"), "alice", widget("w", "{}", R"(,"ownerReferences":[)" + reference + "]"));

       const Reply reply =
           s.apply(s.widgets("w"), "bob", widget("w", "{}", R"(,"finalizers":["example.com/x"])"));

       s.expect_equal(reply.body, "metadata.ownerReferences[0].uid", uid);
       s.merge(s.widgets("w"), R"({"metadata":{"finalizers":null}})");
     }},
    {"apply: to a core kind with a keyed list",
     [](Session& s) {
       const std::string pod =
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"one","image":"a"}]}})";
       s.expect_status(s.apply(s.core("pods", "p"), "alice", pod), 201);

       const Reply reply = s.apply(
           s.core("pods", "p"), "alice",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"one","image":"b"}]}})");

       s.expect_equal(reply.body, "spec.containers[0].image", "b");
     }},
    {"apply: ownership is emptied by one empty entry",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));

       const Reply reply = s.merge(s.widgets("w"), R"({"metadata":{"managedFields":[{}]}})");

       s.expect_status(reply, 200);
       s.expect_absent(reply.body, "metadata.managedFields[0].manager");
     }},
    {"apply: after ownership was emptied, former fields are before-first-apply's",
     [](Session& s) {
       s.apply(s.widgets("w"), "alice", widget("w", R"({"replicas":3})"));
       s.merge(s.widgets("w"), R"({"metadata":{"managedFields":[{}]}})");

       const Reply reply = s.apply(s.widgets("w"), "bob", widget("w", R"({"replicas":5})"));

       s.expect_refused(reply, 409, "Conflict", "before-first-apply");
     }},
    {"apply: YAML is taken as the media type says",
     [](Session& s) {
       s.expect_status(s.apply(s.widgets("w"), "alice",
                               "apiVersion: conformance.capstan.dev/v1\nkind: Widget\nmetadata:\n  name: "
                               "w\nspec:\n  replicas: 2\n"),
                       201);
     }},
};

}  // namespace

std::span<const Script> apply_scripts() { return kScripts; }

}  // namespace capstan::conformance
