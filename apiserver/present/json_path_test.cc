#include "apiserver/present/json_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> found(std::string_view path, std::string_view document) {
  const auto parsed = JsonPath::parse(path);
  if (!parsed) return {"error: " + parsed.error()};
  const auto root = json::parse(document);
  std::vector<std::string> all;
  for (const auto* value : parsed->find(root.get_object())) all.push_back(json::serialize(*value));
  return all;
}

constexpr std::string_view kList =
    R"({"list":[{"name":"x","v":2},{"name":"y","v":5},{"name":"z"}],"map":{"k":"v"},"a.b":{"c/d":1},"n":null})";

TEST(JsonPath, FollowsNames) {
  EXPECT_THAT(found(".map.k", kList), ElementsAre("\"v\""));
  EXPECT_THAT(found("{.map.k}", kList), ElementsAre("\"v\""));
  EXPECT_THAT(found("$.map.k", kList), ElementsAre("\"v\""));
}

TEST(JsonPath, FindsNothingWhereAKeyIsMissing) {
  EXPECT_THAT(found(".map.other", kList), IsEmpty());
  EXPECT_THAT(found(".list.name", kList), IsEmpty());
}

TEST(JsonPath, FindsNulls) { EXPECT_THAT(found(".n", kList), ElementsAre("null")); }

TEST(JsonPath, TakesEscapedAndQuotedNames) {
  EXPECT_THAT(found(".a\\.b.c/d", kList), ElementsAre("1"));
  EXPECT_THAT(found("['a.b']['c/d']", kList), ElementsAre("1"));
}

TEST(JsonPath, TakesElementsByIndexFromBothEnds) {
  EXPECT_THAT(found(".list[1].name", kList), ElementsAre("\"y\""));
  EXPECT_THAT(found(".list[-1].name", kList), ElementsAre("\"z\""));
  EXPECT_THAT(found(".list[3].name", kList), IsEmpty());
}

TEST(JsonPath, TakesSlices) {
  EXPECT_THAT(found(".list[0:2].name", kList), ElementsAre("\"x\"", "\"y\""));
  EXPECT_THAT(found(".list[-1:].name", kList), ElementsAre("\"z\""));
}

TEST(JsonPath, TakesAll) {
  EXPECT_THAT(found(".list[*].name", kList), ElementsAre("\"x\"", "\"y\"", "\"z\""));
  EXPECT_THAT(found(".map.*", kList), ElementsAre("\"v\""));
}

TEST(JsonPath, FiltersByText) {
  EXPECT_THAT(found(R"(.list[?(@.name=="y")].v)", kList), ElementsAre("5"));
  EXPECT_THAT(found(R"(.list[?(@.name == 'y')].v)", kList), ElementsAre("5"));
  EXPECT_THAT(found(R"(.list[?(@.name!="x")].name)", kList), ElementsAre("\"y\"", "\"z\""));
  EXPECT_THAT(found(R"(.list[?(@.name=="none")].v)", kList), IsEmpty());
}

TEST(JsonPath, FiltersByNumberAndByPresence) {
  EXPECT_THAT(found(".list[?(@.v>3)].name", kList), ElementsAre("\"y\""));
  EXPECT_THAT(found(".list[?(@.v<=2)].name", kList), ElementsAre("\"x\""));
  EXPECT_THAT(found(".list[?(@.v)].name", kList), ElementsAre("\"x\"", "\"y\""));
}

TEST(JsonPath, DescendsToEveryDepth) {
  EXPECT_THAT(found("..name", kList), ElementsAre("\"x\"", "\"y\"", "\"z\""));
}

TEST(JsonPath, RefusesWhatItCannotRead) {
  EXPECT_THAT(found(".list[0", kList), ElementsAre(HasSubstr("']' is missing")));
  EXPECT_THAT(found(".list[?(@.name==\"y\"]", kList), ElementsAre(HasSubstr("')]' is missing")));
  EXPECT_THAT(found(".list[]", kList), ElementsAre(HasSubstr("missing after '['")));
  EXPECT_THAT(found(".list['x]", kList), ElementsAre(HasSubstr("unterminated")));
  EXPECT_THAT(found(".", kList), ElementsAre(HasSubstr("empty name")));
}

}  // namespace
}  // namespace capstan::apiserver
