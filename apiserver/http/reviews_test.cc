#include "apiserver/http/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

using ::testing::HasSubstr;

class Reviews : public ::testing::Test {
 protected:
  Auth auth_ = Auth({{.token = "good", .user = {.name = "joe", .uid = "2", .groups = {"team"}}}});

  std::optional<Response> asked(std::string_view group, std::string_view resource, std::string_view body,
                                std::string_view ns = "") const {
    return review(auth_, {.verb = Verb::Create,
                          .group = std::string(group),
                          .version = "v1",
                          .resource = std::string(resource),
                          .namespace_ = std::string(ns),
                          .body = {.value = json::parse(body)},
                          .user = {.name = "me", .groups = {"system:authenticated"}}});
  }
  std::string status(std::string_view resource, std::string_view body, std::string_view ns = "") const {
    const auto answer = asked("authorization.k8s.io", resource, body, ns);
    return json::serialize(answer->object->at("status"));
  }
};

TEST_F(Reviews, KnowTheUserOfAToken) {
  const auto answer = asked("authentication.k8s.io", "tokenreviews", R"({"spec":{"token":"good"}})");

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(
      json::serialize(*answer->object),
      R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"token":"good"},"status":)"
      R"({"authenticated":true,"user":{"username":"joe","uid":"2","groups":["team","system:authenticated"]}}})");
}

TEST_F(Reviews, DoNotKnowAStrangersToken) {
  const auto answer = asked("authentication.k8s.io", "tokenreviews", R"({"spec":{"token":"bad"}})");

  EXPECT_EQ(json::serialize(answer->object->at("status")), R"({"user":{},"error":"invalid bearer token"})");
}

TEST_F(Reviews, NeedAToken) {
  EXPECT_EQ(asked("authentication.k8s.io", "tokenreviews", R"({"spec":{}})")->status, 400);
}

TEST_F(Reviews, TellWhoIsAsking) {
  const auto answer = asked("authentication.k8s.io", "selfsubjectreviews", "{}");

  EXPECT_EQ(json::serialize(answer->object->at("status")),
            R"({"userInfo":{"username":"me","groups":["system:authenticated"]}})");
}

TEST_F(Reviews, AllowWhatNoRuleDenies) {
  EXPECT_EQ(status("subjectaccessreviews",
                   R"({"spec":{"user":"x","nonResourceAttributes":{"path":"/metrics","verb":"get"}}})"),
            R"({"allowed":true})");
  EXPECT_EQ(status("selfsubjectaccessreviews",
                   R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})"),
            R"({"allowed":true})");
}

TEST_F(Reviews, DenyWhatARuleDenies) {
  auth_.deny({{.user = "me", .verb = "delete", .group = "", .resource = "pods"}});

  EXPECT_EQ(status("selfsubjectaccessreviews",
                   R"({"spec":{"resourceAttributes":{"verb":"delete","resource":"pods"}}})"),
            R"({"allowed":false})");
  EXPECT_EQ(status("subjectaccessreviews",
                   R"({"spec":{"user":"you","resourceAttributes":{"verb":"delete","resource":"pods"}}})"),
            R"({"allowed":true})");
}

TEST_F(Reviews, OfOneNamespaceStayInIt) {
  constexpr std::string_view kBody =
      R"({"spec":{"user":"x","resourceAttributes":{"verb":"get","resource":"pods","namespace":"a"}}})";

  EXPECT_EQ(status("localsubjectaccessreviews", kBody, "a"), R"({"allowed":true})");
  EXPECT_THAT(
      asked("authorization.k8s.io", "localsubjectaccessreviews", kBody, "b")->text(),
      HasSubstr(R"(spec.resourceAttributes.namespace: Invalid value: \"a\": must match metadata.namespace)"));
}

TEST_F(Reviews, NeedASubjectAndOneQuestion) {
  const auto answer = asked("authorization.k8s.io", "subjectaccessreviews", R"({"spec":{}})");

  EXPECT_EQ(answer->status, 422);
  EXPECT_THAT(answer->text(),
              HasSubstr("exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  EXPECT_THAT(answer->text(), HasSubstr("at least one of user or group must be specified"));
}

TEST_F(Reviews, ListTheRulesOfANamespace) {
  EXPECT_THAT(status("selfsubjectrulesreviews", R"({"spec":{"namespace":"a"}})"),
              HasSubstr(R"("incomplete":false)"));
  EXPECT_EQ(asked("authorization.k8s.io", "selfsubjectrulesreviews", R"({"spec":{}})")->status, 400);
}

TEST_F(Reviews, LeaveOtherRequestsAlone) {
  EXPECT_FALSE(asked("", "configmaps", "{}"));
  EXPECT_FALSE(review(
      auth_,
      {.verb = Verb::Get, .group = "authentication.k8s.io", .version = "v1", .resource = "tokenreviews"}));
}

}  // namespace
}  // namespace capstan::apiserver
