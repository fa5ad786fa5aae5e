#include "webhooks/admission_review.h"

#include "webhooks/review_fixture.h"

namespace capstan::webhooks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kReview =
    R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
    R"("kind":{"group":"cluster.x-k8s.io","version":"v1beta2","kind":"Machine"},"operation":"UPDATE",)"
    R"("object":{"metadata":{"name":"m1"},"spec":{"a":[1, 2.50]}},"oldObject":null,"newInV1":{"x":1}}})";

TEST(ReadReview, TakesTheRequestOutAndKeepsObjectsAsTheyWereSent) {
  const auto request = read_review(kReview);

  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->uid, "u1");
  EXPECT_EQ(request->kind.kind, "Machine");
  EXPECT_EQ(request->operation, operation::kUpdate);
  EXPECT_EQ(request->object.to_json(), json::parse(R"({"metadata":{"name":"m1"},"spec":{"a":[1,2.5]}})"));
  EXPECT_TRUE(request->old_object.empty());
}

struct BadReview {
  const char* story;
  std::string body;
  std::string says;
  std::string uid = {};  // that the answer carries all the same
};

class BadReviews : public ::testing::TestWithParam<BadReview> {};

TEST_P(BadReviews, AreAnsweredWith400AndWhatIsWrong) {
  const auto& [story, body, says, uid] = GetParam();

  const auto answered = read_answer(answer_review(hook_at(validating("machine")), body, {}), uid);

  EXPECT_FALSE(answered.allowed) << story;
  EXPECT_EQ(answered.code, 400) << story;
  EXPECT_THAT(answered.message, HasSubstr(says)) << story;
}

std::string with(std::string_view from, std::string_view to) {
  std::string body(kReview);
  const auto at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return body.replace(at, from.size(), to);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadReviews,
    ::testing::Values(
        BadReview{"empty", "", "request body is empty"},
        BadReview{"truncated", std::string(kReview.substr(0, kReview.size() / 2)),
                  "json ends early, after 136 bytes"},
        BadReview{"not JSON", "Hello", "malformed json at byte 0"}, BadReview{"a list", "[]", "expected"},
        BadReview{"another version", with("admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
                  "apiVersion: expected admission.k8s.io/v1, found string \"admission.k8s.io/v1beta1\"",
                  "u1"},
        BadReview{"another kind", with("AdmissionReview", "ConversionReview"),
                  "kind: expected AdmissionReview, found string \"ConversionReview\"", "u1"},
        BadReview{"no request", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
                  "request.uid is missing"},
        BadReview{"no uid", with(R"("uid":"u1",)", ""), "request.uid is missing"},
        BadReview{"a uid that is no string", with(R"("u1")", "1"), "request.uid: expected string"},
        BadReview{"no operation", with(R"("operation":"UPDATE",)", ""), "request.operation is missing", "u1"},
        BadReview{"an unknown operation", with("UPDATE", "PATCH"), "unknown operation \"PATCH\"", "u1"},
        BadReview{"an unknown kind", with("\"Machine\"", "\"Tractor\""),
                  "/validate-cluster-x-k8s-io-v1beta2-machine is for cluster.x-k8s.io/v1beta2, Kind=Machine, "
                  "not for cluster.x-k8s.io/v1beta2, Kind=Tractor",
                  "u1"},
        BadReview{"an older version of the kind", with("\"v1beta2\"", "\"v1beta1\""),
                  "not for cluster.x-k8s.io/v1beta1, Kind=Machine", "u1"},
        BadReview{"the body of a scale subresource",
                  with(R"("cluster.x-k8s.io","version":"v1beta2","kind":"Machine")",
                       R"("autoscaling","version":"v1","kind":"Scale")"),
                  "not for autoscaling/v1, Kind=Scale", "u1"},
        BadReview{"an update without the old object", std::string(kReview), "request.oldObject is missing",
                  "u1"},
        BadReview{"an object that is none", with(R"({"metadata":{"name":"m1"},"spec":{"a":[1, 2.50]}})", "7"),
                  "request.object: expected object", "u1"},
        BadReview{"a field of another type", with(R"("spec":{"a":[1, 2.50]})", R"("spec":{"version":1})"),
                  "request.object: spec.version: expected string", "u1"},
        BadReview{"an object deeper than any", with("2.50", std::string(80, '[') + std::string(80, ']')),
                  "deep"}),
    [](const auto& one) {
      std::string name = one.param.story;
      std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
      return name;
    });

TEST(Verdicts, OfAnInvalidObjectNameEachFieldAsApiServersDo) {
  const api::ResourceInfo kind{.group = "cluster.x-k8s.io", .version = "v1beta2", .kind = "Machine"};
  const Cause version{"spec.version", "FieldValueInvalid", "Invalid value: \"1\": must start with v"};
  const Cause name{"spec.clusterName", "FieldValueForbidden", "Forbidden: field is immutable"};

  const auto one = read_answer(review_text("u1", invalid(kind, "m1", {version})), "u1");
  const auto two = read_answer(review_text("u1", invalid(kind, "m1", {version, name, version})), "u1");

  EXPECT_FALSE(one.allowed);
  EXPECT_EQ(one.code, 422);
  EXPECT_EQ(one.reason, "Invalid");
  EXPECT_EQ(
      one.message,
      "Machine.cluster.x-k8s.io \"m1\" is invalid: spec.version: Invalid value: \"1\": must start with v");
  EXPECT_THAT(one.causes, ElementsAre("spec.version: Invalid value: \"1\": must start with v"));
  EXPECT_EQ(
      two.message,
      "Machine.cluster.x-k8s.io \"m1\" is invalid: [spec.version: Invalid value: \"1\": must start with "
      "v, spec.clusterName: Forbidden: field is immutable]");
}

TEST(Verdicts, ThatAllowHaveNoPatchUnlessThereIsOne) {
  const auto plain = read_answer(review_text("u1", allowed()), "u1");
  Verdict with_patch = allowed();
  with_patch.patch = "[]";
  with_patch.warnings = {"mind the gap"};

  const auto rich = read_answer(review_text("u1", with_patch), "u1");

  EXPECT_TRUE(plain.allowed);
  EXPECT_EQ(plain.code, 200);
  EXPECT_EQ(plain.patch, "");
  EXPECT_THAT(plain.warnings, IsEmpty());
  EXPECT_EQ(rich.patch, "[]");
  EXPECT_THAT(rich.warnings, ElementsAre("mind the gap"));
}

TEST(Verdicts, EchoAUidWhateverItHolds) {
  const std::string uid = "u\"1\"\n\xc3\xa4";

  EXPECT_TRUE(read_answer(review_text(uid, allowed()), uid).allowed);
}

}  // namespace
}  // namespace capstan::webhooks
