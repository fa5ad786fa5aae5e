// Who may ask: authentication, reviews, leases and events as ordinary objects.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

const Script kScripts[] = {
    {"access: a wrong token is Unauthorized",
     [](Session& s) {
       Server stranger = s.server();
       stranger.token = "no-such-token";
       Session other(stranger, s.ns());

       s.expect_refused(other.get(s.core("configmaps")), 401, "Unauthorized", "Unauthorized");
     }},
    {"access: the version is open to the authenticated",
     [](Session& s) { s.expect_present(s.get("/version").body, "gitVersion"); }},
    {"access: readyz says ok", [](Session& s) { s.expect(s.get("/readyz").text == "ok", "readyz is ok"); }},
    {"access: healthz says ok",
     [](Session& s) { s.expect(s.get("/healthz").text == "ok", "healthz is ok"); }},
    {"access: a token review knows the caller's token",
     [](Session& s) {
       const Reply review =
           s.post("/apis/authentication.k8s.io/v1/tokenreviews",
                  parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":")" +
                        s.server().token + "\"}}"));

       s.expect_status(review, 201);
       s.expect_equal(review.body, "status.authenticated", true);
       s.expect_present(review.body, "status.user.username");
     }},
    {"access: a token review refuses a stranger's token",
     [](Session& s) {
       const Reply review = s.post(
           "/apis/authentication.k8s.io/v1/tokenreviews",
           parse(
               R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"nobody"}})"));

       s.expect(at(review.body, "status.authenticated") != true, "not authenticated");
     }},
    {"access: an administrator may do anything",
     [](Session& s) {
       const Reply review = s.post(
           "/apis/authorization.k8s.io/v1/subjectaccessreviews",
           parse(
               R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"x","groups":["system:masters"],"nonResourceAttributes":{"path":"/metrics","verb":"get"}}})"));

       s.expect_equal(review.body, "status.allowed", true);
     }},
    {"access: the kind whoami names the user",
     [](Session& s) {
       s.expect_present(
           s.post("/apis/authentication.k8s.io/v1/selfsubjectreviews",
                  parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"))
               .body,
           "status.userInfo.username");
     }},
    {"leases: are made, replaced and locked by version",
     [](Session& s) {
       const std::string leases = s.group("coordination.k8s.io/v1", "leases");
       auto made = s.made(
           leases,
           parse(
               R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"2030-01-02T03:04:05.000006Z","renewTime":"2030-01-02T03:04:05.000006Z","leaseTransitions":0}})"));
       s.expect_equal(made, "spec.renewTime", "2030-01-02T03:04:05.000006Z");
       const auto old = made;
       made.as_object()["spec"].as_object()["holderIdentity"] = "b";

       s.expect_status(s.put(leases + "/l", made), 200);
       s.expect_refused(s.put(leases + "/l", old), 409, "Conflict");
     }},
    {"leases: a bad duration is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group("coordination.k8s.io/v1", "leases"),
               parse(
                   R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"leaseDurationSeconds":0}})")),
           422, "Invalid", "spec.leaseDurationSeconds");
     }},
    {"events: are made and found by their object",
     [](Session& s) {
       s.made(s.core("events"),
              parse(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":")" + s.ns() +
                    R"("},"involvedObject":{"kind":"Widget","name":"w","namespace":")" + s.ns() +
                    R"("},"reason":"Because","message":"text","type":"Normal","count":1})"));

       const Reply list =
           s.get(s.core("events") + "?fieldSelector=involvedObject.name%3Dw,involvedObject.kind%3DWidget");

       s.expect_equal(list.body, "items[0].reason", "Because");
     }},
    {"events: about an object elsewhere are refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.core("events"),
               parse(
                   R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"Widget","name":"w","namespace":"elsewhere"},"reason":"Because"})")),
           422, "Invalid", "involvedObject.namespace");
     }},
    {"access: an unsupported verb is 405",
     [](Session& s) {
       s.expect_status(s.send("PUT", s.core("configmaps"), R"({"kind":"ConfigMap","apiVersion":"v1"})"), 405);
     }},
};

}  // namespace

std::span<const Script> access_scripts() { return kScripts; }

}  // namespace capstan::conformance
