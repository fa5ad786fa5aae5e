// Deletion: answers, preconditions, finalizers, collections, namespaces.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

json::value held_config_map(Session& s, std::string_view name = "a") {
  return s.made(s.core("configmaps"), parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                            std::string(name) + R"(","finalizers":["example.com/hold"]}})"));
}

void release(Session& s, std::string_view name = "a") {
  s.merge(s.core("configmaps", name), R"({"metadata":{"finalizers":null}})");
}

const Script kScripts[] = {
    {"delete: answers a Status that names the object",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       const Reply gone = s.remove(s.core("configmaps", "a"));

       s.expect_status(gone, 200);
       s.expect_equal(gone.body, "kind", "Status");
       s.expect_equal(gone.body, "status", "Success");
       s.expect_equal(gone.body, "details.name", "a");
       s.expect_equal(gone.body, "details.uid", at(made, "metadata.uid"));
     }},
    {"delete: the object is gone",
     [](Session& s) {
       s.made_config_map("a");
       s.remove(s.core("configmaps", "a"));

       s.expect_refused(s.get(s.core("configmaps", "a")), 404, "NotFound");
     }},
    {"delete: of nothing is NotFound",
     [](Session& s) { s.expect_refused(s.remove(s.core("configmaps", "none")), 404, "NotFound"); }},
    {"delete: the name can be used again with a new uid",
     [](Session& s) {
       const auto first = s.made_config_map("a");
       s.remove(s.core("configmaps", "a"));

       s.expect(at(s.made_config_map("a"), "metadata.uid") != at(first, "metadata.uid"),
                "a new object has a new uid");
     }},
    {"delete: the right uid as precondition",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       s.expect_status(s.remove(s.core("configmaps", "a"),
                                R"({"preconditions":{"uid":")" +
                                    std::string(at(made, "metadata.uid").as_string()) + "\"}}"),
                       200);
     }},
    {"delete: a wrong uid as precondition is a Conflict",
     [](Session& s) {
       s.made_config_map("a");

       const Reply reply = s.remove(s.core("configmaps", "a"),
                                    R"({"preconditions":{"uid":"00000000-0000-0000-0000-000000000000"}})");

       s.expect_refused(reply, 409, "Conflict",
                        "the UID in the precondition (00000000-0000-0000-0000-000000000000) does not match "
                        "the UID in record");
       s.expect_status(s.get(s.core("configmaps", "a")), 200);
     }},
    {"delete: the present version as precondition",
     [](Session& s) {
       const auto made = s.made_config_map("a");

       s.expect_status(s.remove(s.core("configmaps", "a"),
                                R"({"preconditions":{"resourceVersion":")" +
                                    std::string(at(made, "metadata.resourceVersion").as_string()) + "\"}}"),
                       200);
     }},
    {"delete: an old version as precondition is a Conflict",
     [](Session& s) {
       const auto made = s.made_config_map("a");
       s.merge(s.core("configmaps", "a"), R"({"data":{"k":"w"}})");

       s.expect_refused(s.remove(s.core("configmaps", "a"),
                                 R"({"preconditions":{"resourceVersion":")" +
                                     std::string(at(made, "metadata.resourceVersion").as_string()) + "\"}}"),
                        409, "Conflict", "the ResourceVersion in the precondition");
     }},
    {"delete: a dry run deletes nothing",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_status(s.remove(s.core("configmaps", "a") + "?dryRun=All"), 200);
       s.expect_status(s.get(s.core("configmaps", "a")), 200);
     }},
    {"delete: a finalizer holds the object and stamps it",
     [](Session& s) {
       held_config_map(s);

       const Reply reply = s.remove(s.core("configmaps", "a"));

       s.expect_status(reply, 200);
       s.expect_equal(reply.body, "kind", "ConfigMap");
       s.expect_present(reply.body, "metadata.deletionTimestamp");
       s.expect_equal(reply.body, "metadata.deletionGracePeriodSeconds", 0);
       release(s);
     }},
    {"delete: stamping raises a custom resource's generation",
     [](Session& s) {
       s.made(
           s.widgets(),
           parse(
               R"({"apiVersion":"conformance.capstan.dev/v1","kind":"Widget","metadata":{"name":"w","finalizers":["example.com/hold"]},"spec":{}})"));
       s.remove(s.widgets("w"));

       s.expect_equal(s.get(s.widgets("w")).body, "metadata.generation", 2);
       s.merge(s.widgets("w"), R"({"metadata":{"finalizers":null}})");
     }},
    {"delete: releasing the last finalizer deletes",
     [](Session& s) {
       held_config_map(s);
       s.remove(s.core("configmaps", "a"));

       const Reply released = s.merge(s.core("configmaps", "a"), R"({"metadata":{"finalizers":null}})");

       s.expect_status(released, 200);
       s.expect_refused(s.get(s.core("configmaps", "a")), 404, "NotFound");
     }},
    {"delete: releasing one of two finalizers keeps the object",
     [](Session& s) {
       s.made(
           s.core("configmaps"),
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":["example.com/one","example.com/two"]}})"));
       s.remove(s.core("configmaps", "a"));
       s.json_patch(
           s.core("configmaps", "a"),
           R"([{"op":"test","path":"/metadata/finalizers/0","value":"example.com/one"},{"op":"remove","path":"/metadata/finalizers/0"}])");

       s.expect_equal(s.get(s.core("configmaps", "a")).body, "metadata.finalizers",
                      parse(R"(["example.com/two"])"));
       release(s);
     }},
    {"delete: a second delete keeps the first stamp",
     [](Session& s) {
       held_config_map(s);
       const Reply first = s.remove(s.core("configmaps", "a"));
       const Reply second = s.remove(s.core("configmaps", "a"));

       s.expect_status(second, 200);
       s.expect(at(first.body, "metadata.deletionTimestamp") == at(second.body, "metadata.deletionTimestamp"),
                "the stamp stays");
       s.expect(at(first.body, "metadata.resourceVersion") == at(second.body, "metadata.resourceVersion"),
                "nothing is written again");
       release(s);
     }},
    {"delete: no finalizer can be added to a dying object",
     [](Session& s) {
       held_config_map(s);
       s.remove(s.core("configmaps", "a"));

       s.expect_refused(
           s.merge(s.core("configmaps", "a"),
                   R"({"metadata":{"finalizers":["example.com/hold","example.com/more"]}})"),
           422, "Invalid",
           "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted");
       release(s);
     }},
    {"delete: a dying object can still be changed",
     [](Session& s) {
       held_config_map(s);
       s.remove(s.core("configmaps", "a"));

       s.expect_status(s.merge(s.core("configmaps", "a"), R"({"data":{"x":"y"}})"), 200);
       release(s);
     }},
    {"delete: releasing the finalizer of a living object keeps it",
     [](Session& s) {
       held_config_map(s);
       release(s);

       s.expect_status(s.get(s.core("configmaps", "a")), 200);
     }},
    {"delete: a dying object's name is taken",
     [](Session& s) {
       held_config_map(s);
       s.remove(s.core("configmaps", "a"));

       s.expect_refused(s.post(s.core("configmaps"),
                               parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})")),
                        409, "AlreadyExists", "object is being deleted");
       release(s);
     }},
    {"delete: an unknown propagation is refused",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_refused(s.remove(s.core("configmaps", "a"), R"({"propagationPolicy":"Sometimes"})"), 422,
                        "Invalid", "propagationPolicy");
     }},
    {"delete: the propagation may stand in the query",
     [](Session& s) {
       s.made_config_map("a");

       s.expect_status(s.remove(s.core("configmaps", "a") + "?propagationPolicy=Background"), 200);
     }},
    {"delete collection: removes what the selector matches",
     [](Session& s) {
       s.made_config_map("a", R"("labels":{"x":"1"})");
       s.made_config_map("b", R"("labels":{"x":"2"})");

       s.expect_status(s.remove(s.core("configmaps") + "?labelSelector=x%3D1"), 200);

       s.expect_status(s.get(s.core("configmaps", "a")), 404);
       s.expect_status(s.get(s.core("configmaps", "b")), 200);
     }},
    {"delete collection: respects finalizers",
     [](Session& s) {
       held_config_map(s);
       s.remove(s.core("configmaps"));

       s.expect_present(s.get(s.core("configmaps", "a")).body, "metadata.deletionTimestamp");
       release(s);
     }},
    {"namespace: deletion empties it and then removes it",
     [](Session& s) {
       const std::string name = "gone-" + s.ns();
       s.made("/api/v1/namespaces",
              parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}"));
       s.made("/api/v1/namespaces/" + name + "/configmaps",
              parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));

       s.expect_equal(s.remove("/api/v1/namespaces/" + name).body, "status.phase", "Terminating");

       s.eventually(
           "the namespace is gone", [&] { return s.get("/api/v1/namespaces/" + name).status == 404; },
           std::chrono::seconds(30));
       s.expect_status(s.get("/api/v1/namespaces/" + name + "/configmaps/a"), 404);
     }},
    {"namespace: a dying one takes no new objects",
     [](Session& s) {
       const std::string name = "dying-" + s.ns();
       s.made("/api/v1/namespaces",
              parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}"));
       s.made(
           "/api/v1/namespaces/" + name + "/configmaps",
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":["example.com/hold"]}})"));
       s.remove("/api/v1/namespaces/" + name);

       const Reply refused =
           s.post("/api/v1/namespaces/" + name + "/configmaps",
                  parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})"));
       s.merge("/api/v1/namespaces/" + name + "/configmaps/a", R"({"metadata":{"finalizers":null}})");

       s.expect_refused(refused, 403, "Forbidden", "because it is being terminated");
       s.expect_equal(refused.body, "details.causes[0].reason", "NamespaceTerminating");
     }},
};

}  // namespace

std::span<const Script> delete_scripts() { return kScripts; }

}  // namespace capstan::conformance
