#include "apiserver/admission/webhook_reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/document/document.h"
#include "base/base64.h"

namespace capstan::apiserver {
namespace {

using ::testing::HasSubstr;

ObjectPtr object(std::string_view text) {
  return std::make_shared<const json::object>(json::parse(text).get_object());
}

AdmissionReviewRequest update() {
  auto type = std::make_shared<ResourceType>();
  type->group = "test.io";
  type->plural = "widgets";
  type->kind = "Widget";
  type->extra = {{.name = "eviction", .group = "policy", .version = "v1", .kind = "Eviction"}};
  return {.operation = "UPDATE",
          .type = type,
          .version = "v1",
          .namespace_ = "default",
          .name = "w",
          .object = object(R"({"a":1})"),
          .user = {.name = "joe", .groups = {"team"}}};
}

Result<json::object> response(std::string_view text, std::string_view uid = "u") {
  return admission_response(json::parse(text), uid);
}

std::string answer(std::string_view body) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)" + std::string(body) +
         "}";
}

TEST(AdmissionReview, SaysWhatTheServerSays) {
  EXPECT_EQ(
      json::serialize(admission_review(update(), "v2", "u")),
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",)"
      R"("kind":{"group":"test.io","version":"v2","kind":"Widget"},"resource":{"group":"test.io","version":"v2","resource":"widgets"},)"
      R"("requestKind":{"group":"test.io","version":"v1","kind":"Widget"},"requestResource":{"group":"test.io","version":"v1","resource":"widgets"},)"
      R"("name":"w","namespace":"default","operation":"UPDATE","userInfo":{"username":"joe","groups":["team"]},)"
      R"("object":{"a":1},"oldObject":null,"dryRun":false,"options":null}})");
}

TEST(AdmissionReview, NamesTheKindOfTheSubresourcesBody) {
  auto request = update();
  request.subresource = "eviction";

  const auto review = admission_review(request, "v1", "u");

  EXPECT_EQ(text_at(review, {"request", "subResource"}), "eviction");
  EXPECT_EQ(text_at(review, {"request", "kind", "kind"}), "Eviction");
}

TEST(AdmissionReview, CountsANamespaceAsBeingInItself) {
  auto type = std::make_shared<ResourceType>();
  type->plural = "namespaces";
  type->kind = "Namespace";

  const auto review =
      admission_review({.operation = "CREATE", .type = type, .version = "v1", .name = "n"}, "v1", "u");

  EXPECT_EQ(text_at(review, {"request", "namespace"}), "n");
}

TEST(AdmissionResponse, MustAnswerTheQuestion) {
  EXPECT_TRUE(response(answer(R"({"uid":"u","allowed":true})")));
  EXPECT_THAT(response(answer(R"({"uid":"other","allowed":true})")).error().message,
              HasSubstr("expected response.uid=\"u\""));
  EXPECT_THAT(response(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})").error().message,
              HasSubstr("absent"));
  EXPECT_THAT(response("{}").error().message, HasSubstr("Kind=AdmissionReview"));
}

TEST(AdmissionResponse, MayCarryNoOtherPatchThanJsonPatch) {
  EXPECT_TRUE(response(answer(R"({"uid":"u","allowed":true,"patch":"W10=","patchType":"JSONPatch"})")));
  EXPECT_FALSE(response(answer(R"({"uid":"u","allowed":true,"patch":"W10=","patchType":"MergePatch"})")));
  EXPECT_FALSE(response(answer(R"({"uid":"u","allowed":true,"patch":"W10="})")));
  EXPECT_FALSE(response(answer(R"({"uid":"u","allowed":true,"patchType":"JSONPatch"})")));
}

TEST(AdmissionPatch, IsApplied) {
  const json::object given{{"spec", json::object{{"a", 1}}}};
  const json::object response{{"patch", base64_encode(R"([{"op":"add","path":"/spec/b","value":2}])")}};

  EXPECT_EQ(json::serialize(patched(given, response).value()), R"({"spec":{"a":1,"b":2}})");
}

TEST(AdmissionPatch, ThatDoesNotFitIsAnError) {
  EXPECT_FALSE(patched({}, {{"patch", base64_encode(R"([{"op":"remove","path":"/spec/b"}])")}}));
  EXPECT_FALSE(patched({}, {{"patch", base64_encode("nonsense")}}));
  EXPECT_FALSE(patched({}, {{"patch", "***"}}));
  EXPECT_FALSE(patched({}, {{"patch", base64_encode(R"([{"op":"replace","path":"","value":5}])")}}));
}

TEST(AdmissionRefusal, CarriesNameAndWords) {
  const auto refusal =
      admission_refusal("h", {{"allowed", false}, {"status", json::object{{"message", "no"}}}});

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 400);
  EXPECT_EQ(
      json::serialize(*refusal->object),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"admission webhook \"h\" denied the request: no","code":400})");
}

TEST(AdmissionRefusal, KeepsCodeReasonAndDetails) {
  const auto refusal = admission_refusal(
      "h", {{"allowed", false},
            {"status",
             json::object{{"code", 422}, {"reason", "Invalid"}, {"details", json::object{{"name", "w"}}}}}});

  EXPECT_EQ(refusal->status, 422);
  EXPECT_EQ(text_at(*refusal->object, {"message"}), "admission webhook \"h\" denied the request: Invalid");
  EXPECT_EQ(text_at(*refusal->object, {"details", "name"}), "w");
}

TEST(AdmissionRefusal, NeedsNoExplanationAndIsNeverASuccess) {
  const auto refusal = admission_refusal("h", {{"status", json::object{{"code", 200}}}});

  EXPECT_EQ(refusal->status, 400);
  EXPECT_EQ(text_at(*refusal->object, {"message"}),
            "admission webhook \"h\" denied the request without explanation");
  EXPECT_FALSE(admission_refusal("h", {{"allowed", true}}));
}

const auto kOld = object(
    R"({"apiVersion":"test.io/v1","kind":"Widget","metadata":{"name":"w","uid":"1","labels":{"a":"b"}},"spec":{"old":1}})");

Result<std::vector<ObjectPtr>> converted(std::string_view response) {
  return converted_objects(
      json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":)" +
                  std::string(response) + "}"),
      "u", "test.io/v2", {kOld});
}

TEST(ConversionReview, AsksForAVersion) {
  EXPECT_EQ(
      json::serialize(conversion_review("test.io/v2", {object(R"({"a":1})")}, "u")),
      R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"test.io/v2","objects":[{"a":1}]}})");
}

TEST(ConversionReview, GivesTheObjectsBackWithTheirOwnMetadata) {
  const auto result = converted(
      R"({"uid":"u","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"test.io/v2","kind":"Widget",)"
      R"("metadata":{"name":"w","uid":"1","labels":{"c":"d"},"finalizers":["x"]},"spec":{"fresh":1}}]})");

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(
      json::serialize(*result->front()),
      R"({"apiVersion":"test.io/v2","kind":"Widget","metadata":{"name":"w","uid":"1","labels":{"c":"d"}},"spec":{"fresh":1}})");
}

TEST(ConversionReview, RefusesAnswersThatDoNotFit) {
  EXPECT_THAT(converted(R"({"uid":"u","result":{"status":"Failure","message":"can't"}})").error().message,
              "can't");
  EXPECT_THAT(converted(R"({"uid":"u","result":{"status":"Success"},"convertedObjects":[]})").error().message,
              HasSubstr("returned 0 objects, expected 1"));
  EXPECT_THAT(
      converted(
          R"({"uid":"u","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"test.io/v1","kind":"Widget"}]})")
          .error()
          .message,
      HasSubstr("apiVersion is \"test.io/v1\", expected \"test.io/v2\""));
  EXPECT_THAT(
      converted(
          R"({"uid":"u","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"test.io/v2","kind":"Widget","metadata":{"name":"x"}}]})")
          .error()
          .message,
      HasSubstr("metadata.name"));
}

}  // namespace
}  // namespace capstan::apiserver
