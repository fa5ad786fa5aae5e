#include "kube/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "api/schema/decode.h"
#include "kube/test_kinds.h"

namespace capstan::kube {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const api::TypeInfo* kType = &api::type_of<Widget>;

constexpr std::string_view kIntent = R"({"apiVersion":"example.com/v1","kind":"Widget",
  "metadata":{"name":"a","namespace":"ns","labels":{"b":"1","a/b.c":"2"},"annotations":{"n":"x"},"finalizers":["f"],
              "ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u1"}]},
  "spec":{"size":3,"parts":[{"name":"p","size":1}],"colours":["red"],"notes":["x","y"],"origin":{"shop":"s","country":"c"},
          "settings":{"k":"v"}}})";

// What a real server notes for that intent.
constexpr std::string_view kFields = R"({
  "f:metadata":{"f:labels":{"f:a/b.c":{},"f:b":{}},"f:annotations":{"f:n":{}},"f:finalizers":{"v:\"f\"":{}},
                "f:ownerReferences":{"k:{\"uid\":\"u1\"}":{}}},
  "f:spec":{"f:colours":{"v:\"red\"":{}},"f:notes":{},"f:origin":{},"f:settings":{"f:k":{}},"f:size":{},
            "f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:name":{},"f:size":{}}}}})";

std::string object_with(std::string_view managed, std::string_view spec_size = "3") {
  json::object object = json::parse(kIntent).as_object();
  object["metadata"].as_object()["uid"] = "u";
  object["metadata"].as_object()["labels"].as_object()["others"] = "x";
  object["spec"].as_object()["size"] = json::parse(spec_size);
  object["spec"].as_object()["parts"].as_array().push_back(json::object{{"name", "somebody else's"}});
  object["status"] = {{"phase", "Running"}};
  if (!managed.empty()) object["metadata"].as_object()["managedFields"] = json::parse(managed);
  return json::serialize(object);
}

std::string managed_by(std::string_view manager, std::string_view fields = kFields,
                       std::string_view operation = "Apply") {
  json::array entries;
  entries.push_back(json::object{{"manager", manager},
                                 {"operation", operation},
                                 {"apiVersion", "example.com/v1"},
                                 {"fieldsType", "FieldsV1"},
                                 {"fieldsV1", json::parse(fields)}});
  return json::serialize(entries);
}

bool must_apply(std::string_view intent, const std::string& object, std::string_view manager = "me") {
  const auto decoded = api::decode<Widget>(object);
  EXPECT_TRUE(decoded);
  return needs_apply(json::parse(intent), json::parse(object), decoded->metadata.managed_fields, manager,
                     kType);
}

std::string intent_without(std::string_view part, std::string_view name) {
  json::object intent = json::parse(kIntent).as_object();
  intent[part].as_object().erase(name);
  return json::serialize(intent);
}

TEST(Apply, ClaimsWhatTheServerWillNote) {
  const Claims claims = claims_of(json::parse(kIntent), kType);
  const auto noted = api::decode<Widget>(object_with(managed_by("me")));
  const api::ManagedEntry* entry = noted->metadata.managed_fields.applied_by("me");

  EXPECT_THAT(claims.labels, ElementsAre("a/b.c", "b"));
  EXPECT_THAT(claims.annotations, ElementsAre("n"));
  ASSERT_NE(entry, nullptr);
  std::vector<std::string> noted_paths;
  for (const Text& path : entry->paths) noted_paths.emplace_back(path.view());
  EXPECT_EQ(claims.paths, noted_paths);
}

TEST(Apply, IsSilentWhenObjectAndOwnershipAreAsWanted) {
  EXPECT_FALSE(must_apply(kIntent, object_with(managed_by("me"))));
}

TEST(Apply, ACreationNamesAVersionThatNoObjectHas) {
  const json::value intent = creation_intent(json::parse(kIntent));

  EXPECT_EQ(intent.at("metadata").at("resourceVersion"), "1");
  EXPECT_EQ(intent.at("spec"), json::parse(kIntent).at("spec"));
}

TEST(Apply, IsSentWhenAValueDrifted) { EXPECT_TRUE(must_apply(kIntent, object_with(managed_by("me"), "4"))); }

TEST(Apply, IsSentWhenAFieldLeftTheIntent) {
  const std::string object = object_with(managed_by("me"));

  EXPECT_TRUE(must_apply(intent_without("spec", "size"), object));
  EXPECT_TRUE(must_apply(intent_without("metadata", "labels"), object));
  EXPECT_TRUE(must_apply(intent_without("metadata", "annotations"), object));
  EXPECT_TRUE(must_apply(intent_without("spec", "parts"), object));
}

TEST(Apply, IsSentWhenAFinalizerOrOwnerIsMissing) {
  json::object finalizer = json::parse(object_with(managed_by("me"))).as_object();
  finalizer["metadata"].as_object().erase("finalizers");
  json::object owner = json::parse(object_with(managed_by("me"))).as_object();
  owner["metadata"].as_object()["ownerReferences"].as_array()[0].as_object()["uid"] = "u2";

  EXPECT_TRUE(must_apply(kIntent, json::serialize(finalizer)));
  EXPECT_TRUE(must_apply(kIntent, json::serialize(owner)));
}

TEST(Apply, IsSentWhenTheObjectHasTheValuesButNotFromUs) {
  EXPECT_TRUE(must_apply(kIntent, object_with(managed_by("somebody"))));
  EXPECT_TRUE(must_apply(kIntent, object_with(managed_by("me", kFields, "Update"))));
  EXPECT_TRUE(must_apply(kIntent, object_with("")));
}

TEST(Apply, IsSentWhenAMemberOfAListIsMissing) {
  json::object object = json::parse(object_with(managed_by("me"))).as_object();
  object["spec"].as_object()["colours"] = json::array();
  json::object parts = json::parse(object_with(managed_by("me"))).as_object();
  parts["spec"].as_object()["parts"].as_array().erase(parts["spec"].as_object()["parts"].as_array().begin());
  json::object atom = json::parse(object_with(managed_by("me"))).as_object();
  atom["spec"].as_object()["notes"].as_array().push_back("z");

  EXPECT_TRUE(must_apply(kIntent, json::serialize(object)));
  EXPECT_TRUE(must_apply(kIntent, json::serialize(parts)));
  EXPECT_TRUE(must_apply(kIntent, json::serialize(atom)));
}

TEST(Apply, ParentsThatTheServerNotesAsWellDoNotMatter) {
  const std::string fields =
      R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:new":{".":{},"f:x":{}}}})";
  const std::string intent =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"a":"1"}},"spec":{"new":{"x":1}}})";
  json::object object = json::parse(intent).as_object();
  object["metadata"].as_object()["managedFields"] = json::parse(managed_by("me", fields));

  EXPECT_FALSE(must_apply(intent, json::serialize(object)));
}

TEST(Apply, AnIntentCarriesNothingOfTheServers) {
  const json::value intent = apply_intent(json::parse(object_with(managed_by("me"))), "u");

  EXPECT_EQ(intent.at("metadata").as_object().if_contains("managedFields"), nullptr);
  EXPECT_EQ(intent.as_object().if_contains("status"), nullptr);
  EXPECT_EQ(intent.at("metadata").at("uid"), json::value("u"));
  EXPECT_EQ(intent.at("kind"), json::value("Widget"));
  EXPECT_EQ(apply_intent(json::parse(kIntent)).at("metadata").as_object().if_contains("uid"), nullptr);
}

TEST(Apply, AFinalizerThatItsOwnerTookOffMeanwhileDoesNotComeBack) {
  const auto intent_with = [](std::string_view finalizer) {
    return apply_intent({{"metadata", {{"resourceVersion", "7"}, {"finalizers", json::array{finalizer}}}}},
                        "u");
  };

  EXPECT_EQ(intent_with("example.com/theirs").at("metadata").at("resourceVersion"), json::value("7"));
  EXPECT_EQ(
      intent_with(api::finalizer::kMachineSet).at("metadata").as_object().if_contains("resourceVersion"),
      nullptr)
      << "a status written meanwhile is no reason to start again";
}

TEST(Apply, WithoutATypeListsAreAtomsAndLabelsStillCount) {
  const Claims claims = claims_of(
      json::parse(R"({"metadata":{"labels":{"a":"b"}},"spec":{"l":[{"name":"x"}],"o":{}}})"), nullptr);

  EXPECT_THAT(claims.labels, ElementsAre("a"));
  EXPECT_THAT(claims.paths, ElementsAre("spec.l", "spec.o"));
  EXPECT_THAT(claims.annotations, IsEmpty());
}

}  // namespace
}  // namespace capstan::kube
