#include "webhooks/defaults_patch.h"

#include "webhooks/review_fixture.h"

namespace capstan::webhooks {
namespace {

std::string patch(std::string_view sent, std::string_view before, std::string_view after) {
  return detail::defaults_patch(json::parse(sent), json::parse(before), json::parse(after));
}

TEST(DefaultsPatch, IsNothingWhereNothingDiffers) {
  EXPECT_EQ(patch(R"({"a":1,"odd":[]})", R"({"a":1})", R"({"a":1})"), "");
}

TEST(DefaultsPatch, NamesOnlyWhatDiffers) {
  EXPECT_EQ(patch(R"({"spec":{"a":1,"b":2,"odd":3}})", R"({"spec":{"a":1,"b":2}})",
                  R"({"spec":{"a":1,"b":4,"c":5}})"),
            R"([{"op":"replace","path":"/spec/b","value":4},{"op":"add","path":"/spec/c","value":5}])");
}

TEST(DefaultsPatch, AddsAParentThatWasNotSentAsAWhole) {
  EXPECT_EQ(
      patch(R"({"spec":{}})", R"({"spec":{"selector":{}}})", R"({"spec":{"selector":{"labels":{"a":"b"}}}})"),
      R"([{"op":"add","path":"/spec/selector","value":{"labels":{"a":"b"}}}])");
}

TEST(DefaultsPatch, ReplacesANull) {
  EXPECT_EQ(patch(R"({"spec":{"labels":null}})", R"({"spec":{}})", R"({"spec":{"labels":{"a":"b"}}})"),
            R"([{"op":"replace","path":"/spec/labels","value":{"a":"b"}}])");
}

TEST(DefaultsPatch, KeepsUnknownFieldsOfAParentWithoutKnownOnes) {
  EXPECT_EQ(patch(R"({"spec":{"odd":1}})", R"({})", R"({"spec":{"a":1}})"),
            R"([{"op":"add","path":"/spec/a","value":1}])");
}

TEST(DefaultsPatch, EscapesNamesInPaths) {
  EXPECT_EQ(
      patch(R"({"labels":{"a":"b"}})", R"({"labels":{"a":"b"}})", R"({"labels":{"a":"b","x/y~z":"c"}})"),
      R"([{"op":"add","path":"/labels/x~1y~0z","value":"c"}])");
}

TEST(DefaultsPatch, RemovesWhatIsGone) {
  EXPECT_EQ(patch(R"({"a":1,"b":2})", R"({"a":1,"b":2})", R"({"a":1})"), R"([{"op":"remove","path":"/b"}])");
}

}  // namespace
}  // namespace capstan::webhooks
