#include "kube/status.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::kube {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string status(std::string_view reason, int code, std::string_view more = "") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"said so",)"
      R"("reason":"{}","code":{}{}}})",
      reason, code, more);
}
Code code_of(std::string_view reason, int code) {
  return error_of({.code = code, .body = status(reason, code)}, Asked::Object).code;
}
Code code_of(int code, Asked asked = Asked::Object) {
  return error_of({.code = code, .body = "<html>"}, asked).code;
}

TEST(Status, EveryReasonOfKubernetesHasItsCode) {
  EXPECT_EQ(code_of("Unauthorized", 401), Code::Unauthorized);
  EXPECT_EQ(code_of("Forbidden", 403), Code::Forbidden);
  EXPECT_EQ(code_of("NotFound", 404), Code::NotFound);
  EXPECT_EQ(code_of("AlreadyExists", 409), Code::AlreadyExists);
  EXPECT_EQ(code_of("Conflict", 409), Code::Conflict);
  EXPECT_EQ(code_of("Gone", 410), Code::Gone);
  EXPECT_EQ(code_of("Expired", 410), Code::Gone);
  EXPECT_EQ(code_of("Invalid", 422), Code::Invalid);
  EXPECT_EQ(code_of("BadRequest", 400), Code::Invalid);
  EXPECT_EQ(code_of("MethodNotAllowed", 405), Code::Invalid);
  EXPECT_EQ(code_of("UnsupportedMediaType", 415), Code::Invalid);
  EXPECT_EQ(code_of("RequestEntityTooLarge", 413), Code::Invalid);
  EXPECT_EQ(code_of("TooManyRequests", 429), Code::RateLimited);
  EXPECT_EQ(code_of("ServerTimeout", 500), Code::Timeout);
  EXPECT_EQ(code_of("Timeout", 504), Code::Timeout);
  EXPECT_EQ(code_of("ServiceUnavailable", 503), Code::Unavailable);
  EXPECT_EQ(code_of("InternalError", 500), Code::Internal);
}

TEST(Status, AnUnknownReasonFallsBackToTheNumber) {
  EXPECT_EQ(code_of("SomethingNew", 409), Code::Conflict);
  EXPECT_EQ(code_of("", 429), Code::RateLimited);
  EXPECT_EQ(code_of("", 418), Code::Invalid);
  EXPECT_EQ(code_of("", 599), Code::Internal);
}

TEST(Status, CarriesReasonMessageAndCauses) {
  const std::string body = status("Invalid", 422,
                                  R"(,"details":{"name":"a","kind":"Machine","causes":[
      {"reason":"FieldValueInvalid","message":"must be positive","field":"spec.replicas"},{"message":"no"}]})");

  const Error error = error_of({.code = 422, .body = body}, Asked::Write);

  EXPECT_EQ(error.message, "said so");
  EXPECT_EQ(error.reason, "Invalid");
  EXPECT_THAT(error.causes, ElementsAre(Cause{"spec.replicas", "FieldValueInvalid", "must be positive"},
                                        Cause{"", "", "no"}));
  EXPECT_FALSE(error.outcome_unknown);
}

TEST(Status, RetryAfterComesFromTheHeaderOrTheDetails) {
  const std::string body = status("TooManyRequests", 429, R"(,"details":{"retryAfterSeconds":3})");

  EXPECT_EQ(error_of({.code = 429, .body = body}, Asked::Object).retry_after, seconds(3));
  EXPECT_EQ(error_of({.code = 429, .body = body, .retry_after = "10"}, Asked::Object).retry_after,
            seconds(10));
  EXPECT_EQ(error_of({.code = 429, .body = body, .retry_after = "1"}, Asked::Object).retry_after, seconds(3));
  EXPECT_EQ(error_of({.code = 503, .body = "", .retry_after = "7"}, Asked::Object).retry_after, seconds(7));
}

TEST(Status, RetryAfterThatIsNoSaneNumberOfSecondsIsNotObeyed) {
  EXPECT_FALSE(
      error_of({.code = 503, .retry_after = "Wed, 21 Oct 2026 07:28:00 GMT"}, Asked::Object).retry_after);
  EXPECT_FALSE(error_of({.code = 503, .retry_after = "-5"}, Asked::Object).retry_after);
  EXPECT_EQ(error_of({.code = 503, .retry_after = "99999999"}, Asked::Object).retry_after, seconds(3600));
}

TEST(Status, SomebodyElsesAnswerIsQuotedInOneLine) {
  const Error error = error_of({.code = 502, .body = "<html>\r\n<h1>Bad\x01 Gateway</h1>\n"}, Asked::Object);

  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_EQ(error.message, "http 502 without a Status: <html> <h1>Bad Gateway</h1>");
}

TEST(Status, ALongForeignBodyIsNotRepeatedWhole) {
  const std::string body(100'000, 'x');

  EXPECT_LT(error_of({.code = 502, .body = body}, Asked::Object).message.size(), 300U);
}

// A proxy's 404 and "404 page not found" for a kind that is not served must never count as proof that an
// object is gone.
TEST(Status, ANotFoundWithoutStatusIsNoProofOfAbsence) {
  const Error error = error_of({.code = 404, .body = "404 page not found\n"}, Asked::Object);

  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_EQ(error.reason, kNotServed);
  EXPECT_EQ(code_of(404, Asked::Write), Code::Unavailable);
  EXPECT_EQ(code_of(404, Asked::Path), Code::NotFound) << "discovery asks just that";
}

TEST(Status, RedirectsAreNotFollowed) { EXPECT_EQ(code_of(302), Code::Unavailable); }

TEST(Status, AServerErrorLeavesTheOutcomeOfAWriteOpen) {
  EXPECT_TRUE(error_of({.code = 500, .body = status("InternalError", 500)}, Asked::Write).outcome_unknown);
  EXPECT_TRUE(error_of({.code = 504, .body = ""}, Asked::Write).outcome_unknown);
  EXPECT_FALSE(error_of({.code = 500, .body = status("InternalError", 500)}, Asked::Object).outcome_unknown);
  EXPECT_FALSE(error_of({.code = 409, .body = status("Conflict", 409)}, Asked::Write).outcome_unknown);
  EXPECT_FALSE(error_of({.code = 429, .body = ""}, Asked::Write).outcome_unknown);
}

TEST(Status, ABodyThatOnlyLooksLikeAStatusIsForeign) {
  for (const char* body :
       {R"({"status":"Success","code":404})", R"({"error":"no"})", R"({"status":)", "[]", "{}"}) {
    EXPECT_THAT(error_of({.code = 409, .body = body}, Asked::Object).message, HasSubstr("without a Status"))
        << body;
  }
}

TEST(Status, AnErrorEventSpeaksForItself) {
  const Error error = error_of(api::Status{.code = 410});

  EXPECT_EQ(error.code, Code::Gone);
  EXPECT_THAT(error.message, Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace capstan::kube
