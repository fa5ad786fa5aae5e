#include "api/meta/label_selector.h"

#include <gmock/gmock.h>

#include "api/schema/decode.h"

namespace capstan::api {
namespace {

using ::testing::HasSubstr;

bool matches(std::string_view selector, const TextMap& labels) {
  const auto parsed = Selector::parse(selector);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed && parsed->matches(labels);
}

const TextMap kWeb{{"app", "web"}, {"zone", "a"}, {"weight", "7"}};

TEST(Selector, MatchesByEveryOperator) {
  for (const std::string_view yes :
       {"", "app", "!gone", "app=web", "app==web", "app!=db", "gone!=x", "app in (db,web)", "app notin (db)",
        "gone notin (x)", "weight>6", "weight<8", "app=web,zone in (a, b),!gone", " app = web ",
        "app in(web)", "gone notin ()"}) {
    EXPECT_TRUE(matches(yes, kWeb)) << yes;
  }
  for (const std::string_view no :
       {"gone", "!app", "app=db", "app=", "app!=web", "app in (db)", "gone in (x)", "app notin (web,db)",
        "weight>7", "weight<7", "app>1", "gone<1", "app=web,gone"}) {
    EXPECT_FALSE(matches(no, kWeb)) << no;
  }
}

TEST(Selector, RefusesWhatIsNoSelector) {
  for (const std::string_view text :
       {"=a", "a in", "a in (b", "a in b", "a,,b", "a b", "a>x", "!", "a=b=c", "a in (b) c", ","}) {
    EXPECT_FALSE(Selector::parse(text)) << text;
  }
}

TEST(Selector, PrintsItsRequirementsInTheOrderOfTheirKeys) {
  EXPECT_EQ(Selector::parse("z=1, b notin (y,x),a,!c,d!=2,e>3,f<4, g in (q,p)")->str(),
            "a,b notin (x,y),!c,d!=2,e>3,f<4,g in (p,q),z=1");
}

TEST(Selector, PrintsWhatItReadsBack) {
  const auto selector = Selector::parse("a in (x,y),!b,c=1");

  EXPECT_EQ(Selector::parse(selector->str())->str(), selector->str());
}

TEST(Selector, ComesFromALabelSelector) {
  const auto object = decode<LabelSelector>(R"({"matchLabels":{"zone":"a","app":"web"},"matchExpressions":[
      {"key":"tier","operator":"NotIn","values":["x"]},{"key":"app","operator":"Exists"}]})");

  const auto selector = Selector::from(*object);

  ASSERT_TRUE(selector) << selector.error().message;
  EXPECT_EQ(selector->str(), "app=web,app,tier notin (x),zone=a");
  EXPECT_TRUE(selector->matches(kWeb));
  EXPECT_FALSE(selector->matches(TextMap{{"app", "web"}}));
}

TEST(Selector, RefusesRequirementsWithoutMeaning) {
  const auto fault = [](std::string_view expression) {
    const auto object = decode<LabelSelector>(R"({"matchExpressions":[)" + std::string(expression) + "]}");
    const auto selector = Selector::from(*object);
    return selector ? "none" : selector.error().message;
  };

  EXPECT_EQ(fault(R"({"key":"a","operator":"In","values":["x"]})"), "none");
  EXPECT_THAT(fault(R"({"key":"a","operator":"In"})"), HasSubstr("needs values"));
  EXPECT_THAT(fault(R"({"key":"a","operator":"Exists","values":["x"]})"), HasSubstr("takes no values"));
  EXPECT_THAT(fault(R"({"key":"a","operator":"Near","values":["x"]})"),
              HasSubstr("is not a valid label selector operator"));
}

TEST(Selector, AnEmptyOneMatchesEverything) {
  EXPECT_TRUE(Selector::from(LabelSelector())->matches(TextMap()));
  EXPECT_TRUE(Selector().matches_everything());
}

}  // namespace
}  // namespace capstan::api
