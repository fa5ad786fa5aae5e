#include "apiserver/schema/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/schema/parse.h"
#include "apiserver/schema/prune.h"

namespace capstan::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The complaints about spec.x being `value` under `schema`.
std::vector<std::string> complaints(std::string_view schema, std::string_view value) {
  const auto parsed = parse_schema(
      std::make_unique<json::value>(
          json::parse(R"({"type":"object","properties":{"spec":{"type":"object","properties":{"x":)" +
                      std::string(schema) + "}}}}"))
          .get());
  const auto document = json::parse(R"({"spec":{"x":)" + std::string(value) + "}}");
  std::vector<std::string> messages;
  for (const auto& error : schema_errors(document.get_object(), *parsed, nullptr)) {
    messages.push_back(error.field + ": " + error.message);
  }
  return messages;
}

TEST(SchemaErrors, AcceptWhatFitsTheType) {
  EXPECT_THAT(complaints(R"({"type":"integer","minimum":1})", "1"), IsEmpty());
  EXPECT_THAT(complaints(R"({"type":"number"})", "3"), IsEmpty());
  EXPECT_THAT(complaints(R"({"x-kubernetes-int-or-string":true})", "\"25%\""), IsEmpty());
  EXPECT_THAT(complaints(R"({"type":"string","nullable":true})", "null"), IsEmpty());
}

TEST(SchemaErrors, NameTheWrongType) {
  EXPECT_THAT(
      complaints(R"({"type":"integer"})", "\"a\""),
      ElementsAre(R"(spec.x: Invalid value: "string": spec.x in body must be of type integer: "string")"));
  EXPECT_THAT(
      complaints(R"({"type":"integer"})", "1.5"),
      ElementsAre(R"(spec.x: Invalid value: "number": spec.x in body must be of type integer: "number")"));
  EXPECT_THAT(
      complaints(R"({"x-kubernetes-int-or-string":true})", "true"),
      ElementsAre(
          R"(spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean")"));
}

TEST(SchemaErrors, HoldNumbersToTheirLimits) {
  EXPECT_THAT(complaints(R"({"type":"integer","minimum":1})", "0"),
              ElementsAre("spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1"));
  EXPECT_THAT(complaints(R"({"type":"integer","maximum":10,"exclusiveMaximum":true})", "10"),
              ElementsAre("spec.x: Invalid value: 10: spec.x in body should be less than 10"));
}

TEST(SchemaErrors, HoldTextsToLengthPatternAndFormat) {
  EXPECT_THAT(complaints(R"({"type":"string","maxLength":2})", "\"äöü\""),
              ElementsAre("spec.x: Too long: may not be more than 2 bytes"));
  EXPECT_THAT(complaints(R"({"type":"string","minLength":2})", "\"a\""),
              ElementsAre("spec.x: Invalid value: \"a\": spec.x in body should be at least 2 chars long"));
  EXPECT_THAT(complaints(R"({"type":"string","pattern":"^[a-z]+$"})", "\"A\""),
              ElementsAre("spec.x: Invalid value: \"A\": spec.x in body should match '^[a-z]+$'"));
  EXPECT_THAT(complaints(R"({"type":"string","format":"date-time"})", "\"2026-13-01T00:00:00Z\""),
              ElementsAre(testing::HasSubstr("must be of type date-time")));
  EXPECT_THAT(complaints(R"({"type":"string","format":"date-time"})", "\"2026-12-01T00:00:00.5+01:00\""),
              IsEmpty());
}

TEST(SchemaErrors, NameWhatAnEnumSupports) {
  EXPECT_THAT(complaints(R"({"type":"string","enum":["Fast","Slow"]})", "\"X\""),
              ElementsAre(R"(spec.x: Unsupported value: "X": supported values: "Fast", "Slow")"));
}

TEST(SchemaErrors, MissRequiredFieldsByPath) {
  EXPECT_THAT(complaints(R"({"type":"array","items":{"type":"object","required":["name"]}})", "[{}]"),
              ElementsAre("spec.x[0].name: Required value"));
}

TEST(SchemaErrors, ForgiveWhatHasNotChanged) {
  const auto source =
      json::parse(R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}})");
  const auto schema = parse_schema(&source);
  const auto before = json::parse(R"({"a":"old mistake","b":1})");
  const auto now = json::parse(R"({"a":"old mistake","b":"new mistake"})");

  const auto errors = schema_errors(now.get_object(), *schema, &before.get_object());

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().field, "b");
}

TEST(ListErrors, RefuseItemsThatStandTwice) {
  const auto source = json::parse(R"({"type":"object","properties":{
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
           "items":{"type":"object","properties":{"name":{"type":"string"}}}}}})");
  const auto schema = parse_schema(&source);
  const auto fine = json::parse(R"({"set":["a","b"],"map":[{"name":"a"},{"name":"b"}]})");
  const auto twice = json::parse(R"({"set":["a","a"],"map":[{"name":"a"},{"name":"a","v":1}]})");

  EXPECT_THAT(list_errors(fine.get_object(), *schema), IsEmpty());
  const auto errors = list_errors(twice.get_object(), *schema);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].message, R"(Duplicate value: "a")");
  EXPECT_EQ(errors[1].message, R"(Duplicate value: {"name":"a"})");
}

TEST(PruneUnknown, DropsWhatNoSchemaKnowsAndSaysWhat) {
  const auto source = json::parse(R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{"a":{"type":"string"},
      "raw":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})");
  auto document =
      json::parse(R"({"apiVersion":"v1","spec":{"a":"x","b":1,"raw":{"kept":1}},"bogus":1})").get_object();

  const auto unknown = prune_unknown(document, *parse_schema(&source));

  EXPECT_THAT(unknown, ElementsAre("bogus", "spec.b"));
  EXPECT_EQ(json::value(document), json::parse(R"({"apiVersion":"v1","spec":{"a":"x","raw":{"kept":1}}})"));
}

TEST(ApplyDefaults, FillWhatIsMissingOnly) {
  const auto source =
      json::parse(R"({"type":"object","properties":{"spec":{"type":"object","default":{},"properties":{
    "a":{"type":"string","default":"x"},"b":{"type":"string","default":"y"}}}}})");
  const auto schema = parse_schema(&source);
  auto empty = json::parse("{}");
  auto given = json::parse(R"({"spec":{"a":"mine"}})");

  apply_defaults(empty, *schema);
  apply_defaults(given, *schema);

  EXPECT_EQ(empty, json::parse(R"({"spec":{"a":"x","b":"y"}})"));
  EXPECT_EQ(given, json::parse(R"({"spec":{"a":"mine","b":"y"}})"));
}

TEST(DropNulls, KeepsThemWhereTheyMayBe) {
  const auto source = json::parse(R"({"type":"object","properties":{"a":{"type":"string"},
    "b":{"type":"string","nullable":true}}})");
  auto document = json::parse(R"({"a":null,"b":null})");

  drop_nulls(document, *parse_schema(&source));

  EXPECT_EQ(document, json::parse(R"({"b":null})"));
}

}  // namespace
}  // namespace capstan::apiserver
