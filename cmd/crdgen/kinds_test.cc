// What every CRD of ours has to have, and that the kustomization beside the generated files names each of
// them.
#include "cmd/crdgen/kinds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "api/schema/yaml.h"

namespace capstan::crdgen {
namespace {

namespace json = boost::json;

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Kinds, AreAllInTheKustomization) {
  const auto kustomization = api::parse_yaml(file_text("config/crd/kustomization.yaml"));
  ASSERT_TRUE(kustomization) << kustomization.error().message;

  std::vector<std::string> listed;
  for (const auto& row : kustomization->at("resources").as_array()) listed.emplace_back(row.as_string());
  std::vector<std::string> ours;
  for (const auto& versions : kinds())
    ours.push_back("bases/" + api::crd_file_name(*versions.front().resource));

  EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(ours));
}

TEST(Kinds, AreStoredInExactlyOneVersion) {
  for (const auto& versions : kinds()) {
    const auto stored =
        std::ranges::count_if(versions, [](const auto& version) { return version.resource->storage; });
    EXPECT_EQ(stored, 1) << versions.front().resource->kind;
  }
}

TEST(Kinds, CarryNoConversionStanza) {
  for (const auto& versions : kinds()) {
    EXPECT_FALSE(api::crd(versions).at("spec").as_object().contains("conversion"))
        << versions.front().resource->kind;
  }
}

json::value serving_patch(int index) {
  return {
      {"op", "replace"}, {"path", "/spec/versions/" + std::to_string(index) + "/served"}, {"value", true}};
}

// Converting needs the webhook, which the bases do not name: the patch that names it serves the older
// version, too, and another one the version before that.
TEST(Kinds, ServeTheirOlderVersionsOnlyThroughPatches) {
  const auto webhook = api::parse_yaml(file_text("config/crd/patches/conversion_webhook.yaml"));
  const auto alpha = api::parse_yaml(file_text("config/crd/patches/serve_v1alpha1.yaml"));
  ASSERT_TRUE(webhook && alpha);
  EXPECT_EQ(std::ranges::count(webhook->as_array(), serving_patch(1)), 1);
  EXPECT_EQ(std::ranges::count(alpha->as_array(), serving_patch(2)), 1);

  std::map<std::string, int> older;
  for (const auto& versions : kinds()) {
    const json::value document = api::crd(versions);
    for (std::size_t i = 1; i < versions.size(); ++i) {
      const json::value& version = document.at("spec").at("versions").at(i);
      EXPECT_EQ(version.at("name"), i == 1 ? "v1beta1" : "v1alpha1") << versions.front().resource->kind;
      EXPECT_EQ(version.at("served"), false) << versions.front().resource->kind;
      EXPECT_EQ(version.at("storage"), false) << versions.front().resource->kind;
      EXPECT_EQ(version.at("deprecated"), true) << versions.front().resource->kind;
      EXPECT_TRUE(version.as_object().contains("deprecationWarning")) << versions.front().resource->kind;
      ++older[std::string(version.at("name").as_string())];
    }
  }
  EXPECT_EQ(older, (std::map<std::string, int>{{"v1beta1", 9}, {"v1alpha1", 2}}));
}

TEST(Kinds, AreWrittenAsYamlThatReadsBack) {
  for (const auto& versions : kinds()) {
    const json::value document = api::crd(versions);
    const auto back = api::parse_yaml(api::write_yaml(document));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, document) << versions.front().resource->kind;
  }
}

// A default, a list map key or a required name that does not exist would be refused by the server on
// installation.
void check_schema(const json::value& schema, const std::string& path) {
  const json::object& object = schema.as_object();
  const auto* properties = object.if_contains("properties");
  if (const auto* required = object.if_contains("required")) {
    for (const auto& name : required->as_array()) {
      EXPECT_TRUE(properties != nullptr && properties->as_object().contains(name.as_string())) << path;
    }
  }
  if (const auto* keys = object.if_contains("x-kubernetes-list-map-keys")) {
    for (const auto& key : keys->as_array()) {
      const json::value& items = object.at("items");
      EXPECT_TRUE(items.at("properties").as_object().contains(key.as_string())) << path;
      const auto* needed = items.as_object().if_contains("required");
      EXPECT_TRUE(needed != nullptr && std::ranges::count(needed->as_array(), key) == 1)
          << path << ": a key must be required";
    }
  }
  if (const auto* items = object.if_contains("items")) check_schema(*items, path + "[]");
  if (properties == nullptr) return;
  for (const auto& [name, child] : properties->as_object())
    check_schema(child, path + "." + std::string(name));
}

TEST(Kinds, HaveSchemasAServerAccepts) {
  for (const auto& versions : kinds()) {
    const json::value document = api::crd(versions);
    for (const auto& version : document.at("spec").at("versions").as_array()) {
      check_schema(version.at("schema").at("openAPIV3Schema"), std::string(versions.front().resource->kind));
    }
  }
}

}  // namespace
}  // namespace capstan::crdgen
