#include "apiserver/document/selectors.h"

#include <gtest/gtest.h>

namespace capstan::apiserver {
namespace {

json::object labelled(std::string_view labels) {
  return json::parse(R"({"metadata":{"name":"a","labels":)" + std::string(labels) + "}}").get_object();
}

bool selects(std::string_view selector, std::string_view labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed && parsed->matches(labelled(labels));
}

TEST(LabelSelector, ComparesByEquality) {
  EXPECT_TRUE(selects("app=web", R"({"app":"web"})"));
  EXPECT_TRUE(selects("app==web,tier!=db", R"({"app":"web"})"));
  EXPECT_FALSE(selects("app=web", R"({"app":"db"})"));
  EXPECT_FALSE(selects("app!=web", R"({"app":"web"})"));
}

TEST(LabelSelector, ComparesBySets) {
  EXPECT_TRUE(selects("app in (web, db)", R"({"app":"db"})"));
  EXPECT_FALSE(selects("app in (web,db)", R"({})"));
  EXPECT_TRUE(selects("app notin (web)", R"({})"));
  EXPECT_TRUE(selects("app,!old", R"({"app":""})"));
  EXPECT_FALSE(selects("!app", R"({"app":""})"));
}

TEST(LabelSelector, ComparesNumbers) {
  EXPECT_TRUE(selects("n>2", R"({"n":"3"})"));
  EXPECT_FALSE(selects("n<2", R"({"n":"3"})"));
}

TEST(LabelSelector, SaysWhatItCantRead) {
  EXPECT_EQ(LabelSelector::parse("a b").error(),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(LabelSelector::parse("a in b").error(), "unable to parse requirement: found 'b' expected: '('");
  EXPECT_FALSE(LabelSelector::parse("a=-"));
  EXPECT_FALSE(LabelSelector::parse("_a"));
}

TEST(LabelSelector, ReadsSelectorObjects) {
  const auto some = json::parse(
      R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"In","values":["d"]}]})");
  const auto empty = json::parse("{}");

  EXPECT_TRUE(LabelSelector::from_object(&some).matches(labelled(R"({"a":"b","c":"d"})")));
  EXPECT_FALSE(LabelSelector::from_object(&some).matches(labelled(R"({"a":"b"})")));
  EXPECT_TRUE(LabelSelector::from_object(&empty).matches(labelled("{}")));
  EXPECT_FALSE(LabelSelector::from_object(nullptr).matches(labelled("{}")));
}

TEST(FieldSelector, ComparesFieldsAsText) {
  const auto document =
      json::parse(R"({"metadata":{"name":"a"},"spec":{"unschedulable":true}})").get_object();

  EXPECT_TRUE(FieldSelector::parse("metadata.name=a,spec.unschedulable=true")->matches(document));
  EXPECT_FALSE(FieldSelector::parse("metadata.name!=a")->matches(document));
  EXPECT_TRUE(FieldSelector::parse("spec.nodeName=")->matches(document));
  EXPECT_FALSE(FieldSelector::parse("nonsense"));
}

}  // namespace
}  // namespace capstan::apiserver
