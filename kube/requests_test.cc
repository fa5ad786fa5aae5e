#include "kube/requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "kube/resources.h"

namespace capstan::kube {
namespace {

namespace json = boost::json;

const Resource kMachines{"cluster.x-k8s.io", "v1beta2", "machines", "Machine", true};
constexpr std::string_view kPath = "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines";

std::string line(const Result<net::HttpRequest>& request) {
  return request ? request->method + " " + request->target : "refused: " + request.error().message;
}
std::string header(const Result<net::HttpRequest>& request, std::string_view name) {
  const auto found = std::ranges::find(request->headers, name, &std::pair<std::string, std::string>::first);
  return found == request->headers.end() ? "none" : found->second;
}
std::string at(std::string_view method, std::string_view rest) {
  return std::string(method) + " " + std::string(kPath) + std::string(rest);
}

TEST(Requests, ReadOneAndMany) {
  EXPECT_EQ(line(requests::get(kMachines, {"ns", "a"})), at("GET", "/a"));
  EXPECT_EQ(line(requests::list(kMachines, {.namespace_ = "ns"})), at("GET", ""));
  EXPECT_EQ(line(requests::list(kMachines, {.namespace_ = "ns",
                                            .label_selector = "a in (b,c)",
                                            .field_selector = "metadata.name=x",
                                            .limit = 500,
                                            .continue_token = "t/1+=",
                                            .resource_version = "7",
                                            .resource_version_match = "Exact"})),
            at("GET",
               "?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%3Dx&limit=500&"
               "continue=t%2F1%2B%3D&resourceVersion=7&resourceVersionMatch=Exact"));
}

TEST(Requests, TheFirstListAsksForConsistency) {
  EXPECT_EQ(line(requests::list(kMachines, {.namespace_ = "ns", .limit = 500})).find("resourceVersion"),
            std::string::npos);
}

TEST(Requests, WatchFromAVersion) {
  EXPECT_EQ(
      line(requests::watch(kMachines, {.namespace_ = "ns", .resource_version = "7", .timeout_seconds = 300})),
      at("GET", "?watch=true&resourceVersion=7&timeoutSeconds=300&allowWatchBookmarks=true"));
  EXPECT_EQ(line(requests::watch(kMachines, {.namespace_ = "ns", .bookmarks = false})),
            at("GET", "?watch=true"));
  EXPECT_EQ(
      line(requests::watch(kMachines, {.namespace_ = "ns", .send_initial_events = true})),
      at("GET",
         "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
}

TEST(Requests, WritesSayWhoAndHow) {
  const json::value object = {{"kind", "Machine"}};

  const auto create = requests::create(kMachines, {"ns", "a"}, object, {.field_manager = "me"});
  const auto replace =
      requests::replace(kMachines, {"ns", "a"}, object, "status", {.dry_run = true, .strict_fields = true});

  EXPECT_EQ(line(create), at("POST", "?fieldManager=me"));
  EXPECT_EQ(create->body, R"({"kind":"Machine"})");
  EXPECT_EQ(header(create, "Content-Type"), "application/json");
  EXPECT_EQ(line(replace), at("PUT", "/a/status?dryRun=All&fieldValidation=Strict"));
}

TEST(Requests, APatchHasTheContentTypeOfItsKind) {
  const json::value body = json::object();
  const auto type_of = [&](PatchType type) {
    return header(requests::patch(kMachines, {"ns", "a"}, body, {.type = type, .field_manager = "me"}),
                  "Content-Type");
  };

  EXPECT_EQ(type_of(PatchType::Merge), "application/merge-patch+json");
  EXPECT_EQ(type_of(PatchType::Json), "application/json-patch+json");
  EXPECT_EQ(type_of(PatchType::Strategic), "application/strategic-merge-patch+json");
  EXPECT_EQ(type_of(PatchType::Apply), "application/apply-patch+yaml");
}

TEST(Requests, ApplyNeedsAManagerAndMayForce) {
  const json::value body = json::object();
  const PatchOptions apply{.type = PatchType::Apply, .field_manager = "me", .force = true};

  EXPECT_EQ(line(requests::patch(kMachines, {"ns", "a"}, body, apply)),
            at("PATCH", "/a?fieldManager=me&force=true"));
  EXPECT_FALSE(requests::patch(kMachines, {"ns", "a"}, body, {.type = PatchType::Apply}));
  EXPECT_FALSE(requests::patch(kMachines, {"ns", "a"}, body, {.type = PatchType::Merge, .force = true}));
}

TEST(Requests, DeleteSendsOptionsOnlyWhenThereAreAny) {
  const auto plain = requests::remove(kMachines, {"ns", "a"}, {});
  const auto careful = requests::remove(kMachines, {"ns", "a"},
                                        {.uid = "u",
                                         .resource_version = "7",
                                         .propagation = Propagation::Foreground,
                                         .grace_period_seconds = 0,
                                         .dry_run = true});

  EXPECT_EQ(line(plain), at("DELETE", "/a"));
  EXPECT_EQ(plain->body, "");
  EXPECT_EQ(json::parse(careful->body),
            json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions","dryRun":["All"],"gracePeriodSeconds":0,
                            "propagationPolicy":"Foreground","preconditions":{"uid":"u","resourceVersion":"7"}})"));
}

TEST(Requests, EvictionIsAPolicyObject) {
  const auto plain = requests::evict({"ns", "pod"}, {});
  const auto graceful = requests::evict({"ns", "pod"}, {.uid = "u", .grace_period_seconds = 30});

  EXPECT_EQ(line(plain), "POST /api/v1/namespaces/ns/pods/pod/eviction");
  EXPECT_EQ(json::parse(plain->body), json::parse(R"({"apiVersion":"policy/v1","kind":"Eviction",
                                                      "metadata":{"name":"pod","namespace":"ns"}})"));
  EXPECT_EQ(json::parse(graceful->body).at("deleteOptions"),
            json::parse(R"({"preconditions":{"uid":"u"},"gracePeriodSeconds":30})"));
}

TEST(Requests, NamesCannotLeadElsewhere) {
  for (const char* name : {"a/../../secrets/b", "..", "a?x=y", "a%2F..", ""}) {
    EXPECT_FALSE(requests::get(kMachines, {"ns", name})) << name;
    EXPECT_FALSE(requests::remove(kMachines, {"ns", name}, {})) << name;
    EXPECT_FALSE(requests::patch(kMachines, {"ns", name}, json::object(), {})) << name;
    EXPECT_FALSE(requests::evict({"ns", name}, {})) << name;
  }
  EXPECT_FALSE(requests::list(kMachines, {.namespace_ = "a/b"}));
  EXPECT_FALSE(requests::create(kMachines, {"", "a"}, json::object(), {}));
  EXPECT_FALSE(requests::replace(kMachines, {"ns", "a"}, json::object(), "../x", {}));
}

TEST(Requests, RawPathsArePathsOnly) {
  EXPECT_EQ(line(requests::get_path("/version?x=y")), "GET /version?x=y");
  EXPECT_EQ(line(requests::post_path("/apis/authentication.k8s.io/v1/tokenreviews", json::object())),
            "POST /apis/authentication.k8s.io/v1/tokenreviews");
  for (const char* path :
       {"", "version", "//evil.example.com/", "/a b", "/a\r\nHost: x", "/a/../b", "/a/..", "/a#b"}) {
    EXPECT_FALSE(requests::get_path(path)) << path;
  }
}

TEST(Requests, TheServerIsToldHowLongToTry) {
  const auto limited = [](std::string target, std::chrono::nanoseconds span) {
    net::HttpRequest request{.target = std::move(target)};
    requests::limit_server_time(request, span);
    return request.target;
  };

  EXPECT_EQ(limited("/a", std::chrono::milliseconds(9500)), "/a?timeout=10s");
  EXPECT_EQ(limited("/a?b=c", std::chrono::hours(1)), "/a?b=c&timeout=60s");
  EXPECT_EQ(limited("/a", std::chrono::seconds(-3)), "/a?timeout=1s");
}

}  // namespace
}  // namespace capstan::kube
