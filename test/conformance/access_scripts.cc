// Who may ask: authentication, reviews, leases and events as ordinary objects.
#include <filesystem>
#include <fstream>

#include "api/schema/yaml.h"
#include "base/base64.h"
#include "test/conformance/script.h"
#include "test/envtest/pki.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::conformance {
namespace {

constexpr std::string_view kSelfReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
constexpr std::string_view kSelfReview =
    R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";

envtest::ScratchFolder scratch() {
  auto folder = envtest::ScratchFolder::create();
  if (!folder) throw Broken(folder.error().describe());
  return std::move(*folder);
}

// The same server, asked with a certificate instead of the token.
Server with_certificate(const Server& server, const envtest::KeyPair& pair) {
  Server changed = server;
  changed.token.clear();
  changed.certificate_path = pair.certificate.string();
  changed.key_path = pair.key.string();
  return changed;
}

// What the server's kubeconfig shows for its administrator.
envtest::KeyPair administrators_pair(const Server& server, const std::filesystem::path& folder) {
  const auto config = api::parse_yaml_documents(envtest::content_of(server.kubeconfig_path));
  if (!config || config->empty()) throw Broken("the kubeconfig can't be read");
  const auto write = [&](std::string_view member, const std::filesystem::path& file) {
    const json::value text = at(config->front(), "users[0].user." + std::string(member));
    if (!text.is_string()) throw Broken("the kubeconfig has no " + std::string(member));
    const auto pem = base64_decode(std::string(text.as_string()));
    if (!pem) throw Broken("the kubeconfig's " + std::string(member) + " is no base64");
    std::ofstream(file) << *pem;
  };
  const envtest::KeyPair pair{.certificate = folder / "admin.crt", .key = folder / "admin.key"};
  write("client-certificate-data", pair.certificate);
  write("client-key-data", pair.key);
  return pair;
}

// A client with a certificate that an authority of the same name signed, but not this server's.
Server stranger_of(const Server& server, const std::filesystem::path& folder) {
  const auto elsewhere = envtest::Pki::create(folder / "pki");
  if (!elsewhere) throw Broken(elsewhere.error().describe());
  const auto pair = elsewhere->issue_client("admin", "system:masters");
  if (!pair) throw Broken(pair.error().describe());
  return with_certificate(server, *pair);
}

const Script kScripts[] = {
    {"access: a wrong token is Unauthorized",
     [](Session& s) {
       Server stranger = s.server();
       stranger.token = "no-such-token";
       Session other(stranger, s.ns());

       s.expect_refused(other.get(s.core("configmaps")), 401, "Unauthorized", "Unauthorized");
     }},
    {"access: a client certificate tells user and group",
     [](Session& s) {
       const envtest::ScratchFolder folder = scratch();
       const Server known = with_certificate(s.server(), administrators_pair(s.server(), folder.path()));
       Session administrator(known, s.ns());

       const Reply self = administrator.post(std::string(kSelfReviews), parse(kSelfReview));

       s.expect_status(self, 201);
       s.expect_present(self.body, "status.userInfo.username");
       s.expect_equal(self.body, "status.userInfo.groups",
                      parse(R"(["system:masters","system:authenticated"])"));
       s.expect_status(administrator.get(s.core("configmaps")), 200);
     }},
    {"access: a client certificate of another authority lets nobody in",
     [](Session& s) {
       const envtest::ScratchFolder folder = scratch();
       Session stranger(stranger_of(s.server(), folder.path()), s.ns());

       s.expect_refused(stranger.get(s.core("configmaps")), 401, "Unauthorized", "Unauthorized");
     }},
    {"access: a certificate of another authority does not spoil a good token",
     [](Session& s) {
       const envtest::ScratchFolder folder = scratch();
       Server both = stranger_of(s.server(), folder.path());
       both.token = s.server().token;
       Session other(both, s.ns());

       s.expect_status(other.get(s.core("configmaps")), 200);
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
       s.expect_present(s.post(std::string(kSelfReviews), parse(kSelfReview)).body,
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
