#include "api/v1beta1/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/v1beta1/describe.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;

constexpr std::array kInnerMembers = {field("text", kText), field("list", kTexts)};
constexpr TypeInfo kInner = object(kInnerMembers);
constexpr TypeInfo kInnerPointer = pointer(kInner);
constexpr TypeInfo kInnerList = list(kInner);
constexpr std::array kOuterMembers = {
    field("text", kText),         field("number", kInt32),      field("pointer", kInt32Pointer),
    always(field("seen", kText)), always(field("all", kInner)), field("inner", kInner),
    field("held", kInnerPointer), field("time", kTimePointer),  field("wait", kDurationPointer),
    field("items", kInnerList),
};
constexpr TypeInfo kOuter = object(kOuterMembers);

json::object parsed(const char* text) { return json::parse(text).as_object(); }

json::object read_as(const char* text) {
  json::object document = parsed(text);
  const auto outcome = read(form_of(kOuter), nullptr, document);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return document;
}

json::object written(const char* text) {
  json::object document = parsed(text);
  write(form_of(kOuter), document);
  return document;
}

TEST(Form, ReadingForgetsWhatAValueCannotTellFromAbsence) {
  EXPECT_EQ(read_as(R"({"text":"","number":0,"inner":{},"held":null})"), parsed("{}"));
}

TEST(Form, ReadingKeepsWhatAPointerTells) {
  EXPECT_EQ(read_as(R"({"pointer":0,"held":{},"wait":"0s"})"),
            parsed(R"({"pointer":0,"held":{},"wait":"0s"})"));
}

TEST(Form, AnObjectWithAnEmptyListIsNotUnset) {
  EXPECT_EQ(read_as(R"({"inner":{"list":[]}})"), parsed(R"({"inner":{"list":[]}})"));
}

TEST(Form, ReadingSpellsTimesAndDurationsAsGoDoes) {
  EXPECT_EQ(read_as(R"({"time":"2026-02-28T12:00:00.5+02:00","wait":"90s"})"),
            parsed(R"({"time":"2026-02-28T10:00:00Z","wait":"1m30s"})"));
}

TEST(Form, ReadingNamesTheFieldThatIsWrong) {
  json::object document = parsed(R"({"items":[{},{"list":["a",7]}]})");

  const auto outcome = read(form_of(kOuter), nullptr, document);

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "items[1].list[1]: wants a string");
}

TEST(Form, ReadingRefusesNumbersThatDoNotFit) {
  for (const char* text :
       {R"({"number":2147483648})", R"({"number":1.5})", R"({"number":"1"})", R"({"wait":"soon"})",
        R"({"time":"today"})", R"({"inner":[]})", R"({"items":{}})"}) {
    json::object document = parsed(text);
    EXPECT_FALSE(read(form_of(kOuter), nullptr, document)) << text;
  }
}

TEST(Form, WritingAddsWhatIsAlwaysThere) { EXPECT_EQ(written("{}"), parsed(R"({"seen":"","all":{}})")); }

TEST(Form, WritingOmitsWhatIsEmptyButNotWhatAPointerHolds) {
  EXPECT_EQ(written(R"({"seen":"x","all":{},"text":"","items":[],"held":{"list":[]},"pointer":0})"),
            parsed(R"({"seen":"x","all":{},"held":{},"pointer":0})"));
}

TEST(Form, WritingLeavesUnknownFieldsAlone) {
  EXPECT_EQ(written(R"({"seen":"x","all":{"new":0},"other":""})"),
            parsed(R"({"seen":"x","all":{"new":0},"other":""})"));
}

}  // namespace
}  // namespace capstan::api::v1beta1
