#include "kube/json_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace capstan::kube {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  std::string_view document, patch, result;
};

TEST(JsonPatch, AppliesEachOperation) {
  for (const Row& row : {
           Row{R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
           Row{R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
           Row{R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
           Row{R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
           Row{R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
           Row{R"({"a":1})", R"([{"op":"add","path":"","value":[7]}])", R"([7])"},
           Row{R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
           Row{R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])", R"({"a":[1,3]})"},
           Row{R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"b":[]}}])", R"({"a":{"b":[]}})"},
           Row{R"({"a":1})", R"([{"op":"replace","path":"","value":5}])", R"(5)"},
           Row{R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
           Row{R"({"a":[1,2,3]})", R"([{"op":"move","from":"/a/0","path":"/a/2"}])", R"({"a":[2,3,1]})"},
           Row{R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
           Row{R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])",
               R"({"a":{"b":1},"c":{"b":1}})"},
           Row{R"({"a~/b":{"":1}})", R"([{"op":"replace","path":"/a~0~1b/","value":2}])",
               R"({"a~/b":{"":2}})"},
           Row{R"({"a":1})", R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}])", R"({})"},
           Row{R"({"a":{"b":[1]}})", R"([{"op":"test","path":"/a","value":{"b":[1]}}])",
               R"({"a":{"b":[1]}})"},
           Row{R"({"a":1})", R"([])", R"({"a":1})"},
       }) {
    json::value document = json::parse(row.document);

    const auto patched = apply_json_patch(document, json::parse(row.patch));

    EXPECT_TRUE(patched) << row.patch << ": " << (patched ? "" : patched.error().message);
    EXPECT_EQ(document, json::parse(row.result)) << row.patch;
  }
}

TEST(JsonPatch, RefusesWhatDoesNotFitAndLeavesTheDocumentAlone) {
  struct Refusal {
    std::string_view document, patch, why;
  };
  for (const Refusal& row : {
           Refusal{R"({"a":1})", R"([{"op":"remove","path":"/b"}])", "operation 0 (remove /b): not found"},
           Refusal{R"({"a":1})",
                   R"([{"op":"add","path":"/c","value":1},{"op":"replace","path":"/b","value":1}])",
                   "operation 1 (replace /b): not found"},
           Refusal{R"({"a":1})", R"([{"op":"add","path":"/b/c","value":1}])", "not found"},
           Refusal{R"({"a":1})", R"([{"op":"add","path":"/a/c","value":1}])", "neither object nor array"},
           Refusal{R"({"a":[1]})", R"([{"op":"add","path":"/a/3","value":1}])", "out of range"},
           Refusal{R"({"a":[1]})", R"([{"op":"remove","path":"/a/1"}])", "out of range"},
           Refusal{R"({"a":[1]})", R"([{"op":"remove","path":"/a/-"}])", "not an array index"},
           Refusal{R"({"a":[1]})", R"([{"op":"remove","path":"/a/00"}])", "not an array index"},
           Refusal{R"({"a":[1]})", R"([{"op":"remove","path":"/a/99999999999999999999"}])",
                   "not an array index"},
           Refusal{R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])", "into itself"},
           Refusal{R"({"a":1})", R"([{"op":"move","from":"/b","path":"/c"}])", "not found"},
           Refusal{R"({"a":1})", R"([{"op":"remove","path":""}])", "whole document"},
           Refusal{R"({"a":1})", R"([{"op":"remove","path":"a"}])", "starts with"},
           Refusal{R"({"a":1})", R"([{"op":"remove","path":"/~2"}])", "~0"},
           Refusal{R"({"a":1})", R"([{"op":"remove","path":"/a~"}])", "~0"},
           Refusal{R"({"a":1})", R"([{"op":"add","path":"/b"}])", "\"value\" is missing"},
           Refusal{R"({"a":1})", R"([{"op":"copy","path":"/b"}])", "\"from\" is missing"},
           Refusal{R"({"a":1})", R"([{"op":"frobnicate","path":"/b"}])", "unknown op"},
           Refusal{R"({"a":1})", R"([{"path":"/b"}])", "\"op\" is missing"},
           Refusal{R"({"a":1})", R"([{"op":7,"path":"/b"}])", "\"op\" must be a string"},
           Refusal{R"({"a":1})", R"([7])", "operation 0: must be an object"},
           Refusal{R"({"a":1})", R"({"op":"remove","path":"/a"})", "must be an array"},
       }) {
    json::value document = json::parse(row.document);

    const auto patched = apply_json_patch(document, json::parse(row.patch));

    ASSERT_FALSE(patched) << row.patch;
    EXPECT_EQ(patched.error().code, Code::Invalid);
    EXPECT_THAT(patched.error().message, HasSubstr(row.why));
    EXPECT_EQ(document, json::parse(row.document)) << row.patch;
  }
}

TEST(JsonPatch, AFailedTestSaysSo) {
  for (const std::string_view patch :
       {R"([{"op":"test","path":"/a","value":2}])", R"([{"op":"test","path":"/b","value":2}])",
        R"([{"op":"test","path":"/a","value":null}])", R"([{"op":"test","path":"","value":{}}])"}) {
    json::value document = json::parse(R"({"a":1})");

    const auto patched = apply_json_patch(document, json::parse(patch));

    ASSERT_FALSE(patched) << patch;
    EXPECT_EQ(patched.error().reason, kTestFailed) << patch;
  }
}

TEST(JsonPatch, TestingForNullFindsAnAbsentMemberOnly) {
  json::value document = json::parse(R"({"metadata":{},"list":[]})");

  const auto absent = apply_json_patch(
      document, json::parse(R"([{"op":"test","path":"/metadata/finalizers","value":null}])"));
  const auto no_parent =
      apply_json_patch(document, json::parse(R"([{"op":"test","path":"/spec/a","value":null}])"));
  const auto in_array =
      apply_json_patch(document, json::parse(R"([{"op":"test","path":"/list/0","value":null}])"));

  EXPECT_TRUE(absent);
  EXPECT_FALSE(no_parent);
  EXPECT_FALSE(in_array);
}

TEST(JsonPatch, KeepsWithinItsLimits) {
  json::value document = json::parse(R"({"a":"0123456789"})");
  const JsonPatchLimits limits{.max_operations = 2, .max_copied_bytes = 20, .max_depth = 3};
  const auto apply = [&](std::string_view patch) {
    return apply_json_patch(document, json::parse(patch), limits);
  };

  EXPECT_TRUE(apply(R"([{"op":"copy","from":"/a","path":"/b"}])"));
  EXPECT_FALSE(apply(R"([{"op":"copy","from":"/a","path":"/c"},{"op":"copy","from":"/a","path":"/d"}])"));
  EXPECT_FALSE(apply(
      R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"},{"op":"remove","path":"/b"}])"));
  EXPECT_FALSE(apply(R"([{"op":"remove","path":"/a/b/c/d"}])"));
}

TEST(JsonPointer, SplitsAndEscapes) {
  EXPECT_THAT(*parse_json_pointer("/a~1b/m~0n/0/"), ElementsAre("a/b", "m~n", "0", ""));
  EXPECT_THAT(*parse_json_pointer(""), ElementsAre());
  EXPECT_EQ(json_pointer_step("a/b~c"), "a~1b~0c");
}

}  // namespace
}  // namespace capstan::kube
