#include "apiserver/present/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_fixture.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names(const json::object& from, std::string_view list) {
  std::vector<std::string> all;
  for (const auto& one : from.at(list).as_array()) all.emplace_back(text_at(one.as_object(), {"name"}));
  return all;
}

json::object named(const json::object& from, std::string_view list, std::string_view name) {
  for (const auto& one : from.at(list).as_array()) {
    if (text_at(one.as_object(), {"name"}) == name) return one.as_object();
  }
  return {};
}

TEST(Discovery, ListsTheGroupsButNotTheCoreOne) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto groups = names(group_list(fixture.api), "groups");

  EXPECT_THAT(groups, Contains("test.io"));
  EXPECT_THAT(groups, Contains("apps"));
  EXPECT_THAT(groups, Not(Contains("")));
}

TEST(Discovery, DescribesOneGroup) {
  ApiFixture fixture;
  with_widgets(fixture);

  EXPECT_EQ(
      json::serialize(*group(fixture.api, "test.io")),
      R"({"kind":"APIGroup","apiVersion":"v1","name":"test.io","versions":[{"groupVersion":"test.io/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"test.io/v1","version":"v1"}})");
  EXPECT_FALSE(group(fixture.api, "none.io"));
  EXPECT_FALSE(group(fixture.api, ""));
}

TEST(Discovery, ListsResourcesWithTheirParts) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto list = *resource_list(fixture.api, "test.io", "v1");

  EXPECT_THAT(names(list, "resources"), ElementsAre("widgets", "widgets/status", "widgets/scale"));
  EXPECT_EQ(
      json::serialize(named(list, "resources", "widgets/scale")),
      R"({"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]})");
  EXPECT_EQ(text_at(list, {"groupVersion"}), "test.io/v1");
}

TEST(Discovery, ListsTheCoreVersion) {
  ApiFixture fixture;

  const auto list = *resource_list(fixture.api, "", "v1");

  EXPECT_EQ(text_at(list, {"groupVersion"}), "v1");
  EXPECT_THAT(names(list, "resources"), Contains("configmaps"));
  EXPECT_EQ(text_at(named(list, "resources", "pods/eviction"), {"kind"}), "Eviction");
  EXPECT_EQ(text_at(named(list, "resources", "pods/eviction"), {"group"}), "policy");
}

TEST(Discovery, KnowsNoVersionThatIsNotServed) {
  ApiFixture fixture;
  with_widgets(fixture);

  EXPECT_FALSE(resource_list(fixture.api, "test.io", "v2"));
  EXPECT_FALSE(resource_list(fixture.api, "none.io", "v1"));
}

TEST(Discovery, AggregatesEverythingInOneDocument) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto groups = aggregated(fixture.api, false);
  const auto core = aggregated(fixture.api, true);

  EXPECT_EQ(text_at(groups, {"kind"}), "APIGroupDiscoveryList");
  EXPECT_THAT(
      json::serialize(groups),
      HasSubstr(
          R"({"metadata":{"name":"test.io"},"versions":[{"version":"v1","resources":[{"resource":"widgets",)"
          R"("responseKind":{"group":"test.io","version":"v1","kind":"Widget"},"scope":"Namespaced")"));
  EXPECT_THAT(json::serialize(groups), Not(HasSubstr(R"("resource":"configmaps")")));
  ASSERT_EQ(core.at("items").as_array().size(), 1U);
  EXPECT_THAT(json::serialize(core), HasSubstr(R"("resource":"configmaps")"));
}

TEST(Discovery, SaysAVersionThatClientsUnderstand) {
  EXPECT_EQ(text_at(server_version(), {"major"}), "1");
  EXPECT_THAT(std::string(text_at(server_version(), {"gitVersion"})), ::testing::StartsWith("v1.36."));
}

TEST(VersionOrder, PutsTheStableAndNewFirst) {
  std::vector<std::string> versions = {"v1alpha1", "v1beta1", "other", "v1",
                                       "v1beta2",  "v2",      "v10",   "v2alpha1"};

  std::ranges::sort(versions, version_goes_before);

  EXPECT_THAT(versions,
              ElementsAre("v10", "v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "v1alpha1", "other"));
}

}  // namespace
}  // namespace capstan::apiserver
