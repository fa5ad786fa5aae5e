#include "kube/merge_patch.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace capstan::kube {
namespace {

namespace json = boost::json;

json::value applied(std::string_view target, std::string_view patch) {
  json::value document = json::parse(target);
  apply_merge_patch(document, json::parse(patch));
  return document;
}
json::value difference(std::string_view before, std::string_view after) {
  return merge_difference(json::parse(before), json::parse(after));
}

// The table of RFC 7386, appendix A.
TEST(MergePatch, AppliesTheExamplesOfTheRfc) {
  struct Row {
    std::string_view target, patch, result;
  };
  for (const Row& row :
       {Row{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        Row{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        Row{R"({"a":"b"})", R"({"a":null})", R"({})"},
        Row{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        Row{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        Row{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        Row{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        Row{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        Row{R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"}, Row{R"({"a":"b"})", R"(["c"])", R"(["c"])"},
        Row{R"({"a":"foo"})", R"(null)", R"(null)"}, Row{R"({"a":"foo"})", R"("bar")", R"("bar")"},
        Row{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        Row{R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
        Row{R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}}) {
    EXPECT_EQ(applied(row.target, row.patch), json::parse(row.result)) << row.target << " + " << row.patch;
  }
}

TEST(MergePatch, EqualDocumentsNeedNoPatch) {
  EXPECT_EQ(difference(R"({"a":[1,{"b":2}],"c":{"d":null}})", R"({"c":{},"a":[1,{"b":2}]})"),
            json::parse("{}"));
}

TEST(MergePatch, NamesOnlyWhatChanged) {
  EXPECT_EQ(difference(R"({"spec":{"a":1,"b":2,"c":3},"status":{"x":1}})",
                       R"({"spec":{"a":1,"b":5},"status":{"x":1}})"),
            json::parse(R"({"spec":{"b":5,"c":null}})"));
}

TEST(MergePatch, ReplacesArraysAsAWhole) {
  EXPECT_EQ(difference(R"({"a":[1,2]})", R"({"a":[1,2,3]})"), json::parse(R"({"a":[1,2,3]})"));
}

TEST(MergePatch, DifferenceAppliedGivesTheWantedDocument) {
  constexpr std::string_view kDocuments[] = {
      R"({})",
      R"({"a":1})",
      R"({"a":{"b":{"c":[1]}},"d":"x"})",
      R"({"a":{"b":"text"},"d":["x",{"y":1}]})",
      R"({"a":[],"d":{}})",
      R"({"a":{"b":{}},"e":false})",
  };
  for (const auto before : kDocuments) {
    for (const auto after : kDocuments) {
      json::value document = json::parse(before);

      apply_merge_patch(document, difference(before, after));

      EXPECT_EQ(document, json::parse(after)) << before << " -> " << after;
    }
  }
}

TEST(MergePatch, SeesAnArrayThatIsWrittenAnywhere) {
  const json::value before = json::parse(R"({"metadata":{"finalizers":["a"]},"spec":{"n":1}})");

  EXPECT_TRUE(replaces_array(json::parse(R"({"status":{"conditions":[]}})"), before));
  EXPECT_TRUE(replaces_array(json::parse(R"({"metadata":{"finalizers":null}})"), before))
      << "removing one is writing it";
  EXPECT_FALSE(replaces_array(json::parse(R"({"spec":{"n":null},"metadata":{"labels":{"a":"b"}}})"), before));
}

}  // namespace
}  // namespace capstan::kube
