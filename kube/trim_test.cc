#include "kube/cut_managed_fields.h"

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

}  // namespace
}  // namespace capstan::kube
