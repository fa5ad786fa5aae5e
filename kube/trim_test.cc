#include "kube/trim.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace capstan::kube {
namespace {

namespace json = boost::json;

std::string cut(std::string_view document) {
  std::string text(document);
  cut_managed_fields(text);
  return text;
}

TEST(CutManagedFields, TakesThemAndNothingElse) {
  EXPECT_EQ(
      cut(R"({"kind":"A","metadata":{"name":"a","managedFields":[{"x":"]}"},{}],"uid":"u"},"spec":{}})"),
      R"({"kind":"A","metadata":{"name":"a","uid":"u"},"spec":{}})");
}

TEST(CutManagedFields, WhereverTheyStandInMetadata) {
  EXPECT_EQ(cut(R"({"metadata":{"managedFields":[1],"name":"a"}})"), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(cut(R"({"metadata":{"name":"a","managedFields":[1]}})"), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(cut(R"({"metadata":{"managedFields":[]}})"), R"({"metadata":{}})");
  EXPECT_EQ(cut(R"({"metadata":{"managedFields":null,"name":"a"}})"), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(cut("{ \"metadata\" : {\n \"name\" : \"a\" ,\n \"managedFields\" : [ 1 ]\n } }"),
            "{ \"metadata\" : {\n \"name\" : \"a\"\n } }");
}

TEST(CutManagedFields, LeavesWhatOnlyLooksLikeThem) {
  for (const std::string_view document : {
           R"({"metadata":{"name":"a"},"managedFields":[1]})",
           R"({"metadata":{"annotations":{"managedFields":"[1]"}}})",
           R"({"metadata":{"annotations":{"a":"\",\"managedFields\":[1],\""}}})",
           R"({"spec":{"metadata":{"managedFields":[1]}},"metadata":{"name":"a"}})",
           R"({"kind":"List","items":[{"metadata":{"managedFields":[1]}}]})",
           R"({"metadata":"managedFields"})",
           R"([{"metadata":{"managedFields":[1]}}])",
           R"("metadata")",
           R"({})",
           R"()",
       })
    EXPECT_EQ(cut(document), document);
}

TEST(CutManagedFields, LeavesWhatIsLeftADocumentWhateverStandsAroundThem) {
  const std::string_view values[] = {
      "1",           "-2.5e3", "true",         "null", R"("")",  R"("a\\\"{[,")",
      R"("\u00e9")", "{}",     R"({"a":[1]})", "[]",   "[[],{}]"};
  for (const std::string_view before : values) {
    for (const std::string_view managed : values) {
      for (const std::string_view after : values) {
        const std::string metadata = R"("managedFields":)" + std::string(managed);
        const std::string whole = R"({"b":)" + std::string(before) + R"(,"metadata":{"n":)" +
                                  std::string(before) + "," + metadata + R"(,"z":)" + std::string(after) +
                                  R"(},"a":)" + std::string(after) + "}";
        json::value expected = json::parse(whole);
        expected.at("metadata").as_object().erase("managedFields");
        EXPECT_EQ(json::parse(cut(whole)), expected) << whole;
      }
    }
  }
}

TEST(CutManagedFields, LeavesATextThatEndsEarly) {
  const std::string whole = R"({"metadata":{"name":"a\"","managedFields":[{"a":"b"}])";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string begun = whole.substr(0, size);
    EXPECT_EQ(cut(begun), begun);
  }
}

std::string only_metadata(std::string_view document) {
  std::string text(document);
  cut_behind_metadata(text);
  return text;
}

TEST(CutBehindMetadata, LeavesADocumentThatEndsThere) {
  EXPECT_EQ(only_metadata(R"({"kind":"A","metadata":{"name":"}","uid":"u"},"spec":{"a":[1]},"status":{}})"),
            R"({"kind":"A","metadata":{"name":"}","uid":"u"}})");
  EXPECT_EQ(only_metadata("{ \"metadata\" : {\"name\":\"a\"} ,\n \"spec\": 1 }\n"),
            "{ \"metadata\" : {\"name\":\"a\"}}");
}

TEST(CutBehindMetadata, LeavesWhatHasNothingToCut) {
  for (const std::string_view document : {
           R"({"spec":{},"metadata":{"name":"a"}})",
           R"({"spec":{"metadata":{}}})",
           R"({"kind":"Status","message":"metadata"})",
           R"([{"metadata":{},"spec":{}}])",
           R"()",
       })
    EXPECT_EQ(only_metadata(document), document);
}

TEST(CutBehindMetadata, LeavesATextThatEndsEarly) {
  const std::string whole = R"({"metadata":{"name":"a"},"spec":{"a":[1],"b":"c"})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string begun = whole.substr(0, size);
    if (begun.ends_with('}')) continue;  // looks like a whole document, and has all its metadata
    EXPECT_EQ(only_metadata(begun), begun);
  }
}

std::string without_updates(std::string_view line) {
  std::string scratch;
  return std::string(without_updated_fields(line, scratch));
}

TEST(WithoutUpdatedFields, LeavesOutWhatUpdatesOwnAndKeepsTheRest) {
  EXPECT_EQ(
      without_updates(
          R"({"type":"MODIFIED","object":{"kind":"A","metadata":{"managedFields":[)"
          R"({"fieldsV1":{"f:spec":{"k:{\"a\":\"}\"}":{}}},"manager":"m","operation":"Update","time":"t"},)"
          R"({"fieldsV1":{"f:spec":{"f:size":{}}},"manager":"me","operation":"Apply"},)"
          R"({"manager":"k","operation":"Update","fieldsV1":{"f:status":{}},"subresource":"status"}],)"
          R"("name":"a"},"spec":{}}})"),
      R"({"type":"MODIFIED","object":{"kind":"A","metadata":{"managedFields":[)"
      R"({"fieldsV1":{},"manager":"m","operation":"Update","time":"t"},)"
      R"({"fieldsV1":{"f:spec":{"f:size":{}}},"manager":"me","operation":"Apply"},)"
      R"({"manager":"k","operation":"Update","fieldsV1":{},"subresource":"status"}],)"
      R"("name":"a"},"spec":{}}})");
}

TEST(WithoutUpdatedFields, CopiesNothingWhereThereIsNothingToLeaveOut) {
  for (
      const std::string_view line : {
          R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}})",
          R"({"type":"ADDED","object":{"metadata":{"managedFields":[]}}})",
          R"({"type":"ADDED","object":{"metadata":{"managedFields":[{"operation":"Apply","fieldsV1":{"a":{}}}]}}})",
          R"({"type":"ADDED","object":{"spec":{"managedFields":[{"operation":"Update","fieldsV1":{"a":{}}}]}}})",
          R"({"type":"ERROR","object":{"kind":"Status","code":410}})",
          R"({"type":"ADDED","object":"metadata"})",
          R"()",
      }) {
    std::string scratch;
    const std::string_view left = without_updated_fields(line, scratch);
    EXPECT_EQ(left.data(), line.data());
    EXPECT_EQ(left.size(), line.size());
  }
}

TEST(WithoutUpdatedFields, LeavesALineThatEndsEarly) {
  const std::string whole =
      R"({"type":"ADDED","object":{"metadata":{"managedFields":[{"fieldsV1":{"a":{}},"operation":"Update"},{"b")";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string begun = whole.substr(0, size);
    EXPECT_EQ(without_updates(begun), begun);
  }
}

}  // namespace
}  // namespace capstan::kube
