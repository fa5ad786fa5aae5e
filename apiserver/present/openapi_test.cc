#include "apiserver/present/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apiserver/api_fixture.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

const json::object& schema(const json::object& document, std::string_view name) {
  return *object_at(document, {"components", "schemas", name});
}

std::vector<std::string> keys(const json::object* object) {
  std::vector<std::string> all;
  if (object == nullptr) return all;
  for (const auto& member : *object) all.emplace_back(member.key());
  return all;
}

void collect_references(const json::value& value, std::set<std::string>& found) {
  if (const auto* array = value.if_array()) {
    for (const auto& one : *array) collect_references(one, found);
  }
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (std::string_view(key) == "$ref")
        found.emplace(text_of(member).substr(sizeof "#/components/schemas/" - 1));
      collect_references(member, found);
    }
  }
}

std::vector<std::string> dangling_references(const json::object& document) {
  std::set<std::string> found;
  collect_references(document, found);
  std::vector<std::string> dangling;
  for (const auto& name : found) {
    if (object_at(document, {"components", "schemas", name}) == nullptr) dangling.push_back(name);
  }
  return dangling;
}

// kubectl asks for it before it applies a `kind: List`, and stopped at a 404.
TEST(OpenApiV2, IsServedInTheFormThatKubectlAsksFor) {
  EXPECT_EQ(text_at(openapi_v2(), {"swagger"}), "2.0");
  EXPECT_EQ(openapi_v2_protobuf(), std::string("\x0a\x03"
                                               "2.0"
                                               "\x12\x12"
                                               "\x0a\x0a"
                                               "Kubernetes"
                                               "\x12\x04"
                                               "1.36"
                                               "\x42\x00\x4a\x00",
                                               29));
  EXPECT_TRUE(wants_openapi_protobuf("application/com.github.proto-openapi.spec.v2@v1.0+protobuf"));
  EXPECT_TRUE(wants_openapi_protobuf("application/json, " + std::string(kOpenApiV2Protobuf)));
  EXPECT_FALSE(wants_openapi_protobuf("application/json"));
}

TEST(OpenApiIndex, LeadsToEveryVersionOfEveryGroup) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto index = openapi_index(fixture.api);

  EXPECT_THAT(keys(object_at(index, {"paths"})), Contains("api/v1"));
  EXPECT_THAT(std::string(text_at(index, {"paths", "apis/test.io/v1", "serverRelativeURL"})),
              ::testing::StartsWith("/openapi/v3/apis/test.io/v1?hash="));
}

TEST(OpenApiIndex, HasAHashThatChangesWithTheSchemaOnly) {
  ApiFixture fixture;
  with_widgets(fixture);
  const auto url = [&] {
    return std::string(
        text_at(openapi_index(fixture.api), {"paths", "apis/test.io/v1", "serverRelativeURL"}));
  };
  const auto before = url();

  fixture.call("POST", "v1/ns:default/configmaps", R"({"metadata":{"name":"a"}})");
  const auto untouched = url();
  auto changed = json::parse(kWidgetCrd).as_object();
  const auto stored =
      fixture.call("GET", "apiextensions.k8s.io/v1/customresourcedefinitions/widgets.test.io");
  changed["metadata"] = stored.object->at("metadata");
  auto& version = changed["spec"].as_object()["versions"].as_array()[0].as_object();
  object_at(version, {"schema", "openAPIV3Schema"})->insert_or_assign("description", "new words");
  fixture.call("PUT", "apiextensions.k8s.io/v1/customresourcedefinitions/widgets.test.io",
               json::serialize(changed));

  EXPECT_EQ(untouched, before);
  EXPECT_NE(url(), before);
}

TEST(OpenApiDocument, PublishesTheSchemaOfACustomKind) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto document = *openapi_document(fixture.api, "apis/test.io/v1");
  const auto& widget = schema(document, "io.test.v1.Widget");

  EXPECT_EQ(json::serialize(widget.at("x-kubernetes-group-version-kind")),
            R"([{"group":"test.io","kind":"Widget","version":"v1"}])");
  EXPECT_EQ(json::serialize(*find(widget, {"properties", "spec", "properties", "mode", "enum"})),
            R"(["Fast","Slow"])");
  EXPECT_EQ(json::serialize(*find(widget, {"properties", "metadata", "allOf"})),
            R"([{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])");
  EXPECT_EQ(text_at(widget, {"properties", "kind", "type"}), "string");
}

TEST(OpenApiDocument, PublishesBuiltInKindsWithTheirMergeRules) {
  ApiFixture fixture;

  const auto document = *openapi_document(fixture.api, "api/v1");
  const auto& spec = schema(document, "io.k8s.api.core.v1.PodSpec");

  EXPECT_EQ(text_at(spec, {"properties", "containers", "x-kubernetes-patch-merge-key"}), "name");
  EXPECT_EQ(text_at(spec, {"properties", "containers", "x-kubernetes-list-type"}), "map");
  EXPECT_EQ(json::serialize(schema(document, "io.k8s.api.core.v1.Pod").at("x-kubernetes-group-version-kind")),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
}

TEST(OpenApiDocument, RefersToNothingThatIsNotThere) {
  ApiFixture fixture;
  with_widgets(fixture);
  const auto index = openapi_index(fixture.api);

  for (const auto& path : keys(object_at(index, {"paths"}))) {
    EXPECT_THAT(dangling_references(*openapi_document(fixture.api, path)), IsEmpty()) << path;
  }
}

TEST(OpenApiDocument, TellsClientsHowToPatch) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto custom = *openapi_document(fixture.api, "apis/test.io/v1");
  const auto core = *openapi_document(fixture.api, "api/v1");
  const auto media = [](const json::object& document, std::string_view path) {
    return keys(object_at(document, {"paths", path, "patch", "requestBody", "content"}));
  };

  EXPECT_THAT(media(custom, "/apis/test.io/v1/namespaces/{namespace}/widgets/{name}"),
              Not(Contains("application/strategic-merge-patch+json")));
  EXPECT_THAT(media(core, "/api/v1/namespaces/{namespace}/configmaps/{name}"),
              Contains("application/strategic-merge-patch+json"));
}

TEST(OpenApiDocument, NamesKindActionAndParametersOfEachOperation) {
  ApiFixture fixture;
  with_widgets(fixture);

  const auto document = *openapi_document(fixture.api, "apis/test.io/v1");
  const auto& patch =
      *object_at(document, {"paths", "/apis/test.io/v1/namespaces/{namespace}/widgets/{name}", "patch"});

  EXPECT_EQ(text_at(patch, {"x-kubernetes-action"}), "patch");
  EXPECT_EQ(json::serialize(patch.at("x-kubernetes-group-version-kind")),
            R"({"group":"test.io","version":"v1","kind":"Widget"})");
  std::vector<std::string> parameters;
  for (const auto& one : patch.at("parameters").as_array())
    parameters.emplace_back(text_at(one.as_object(), {"name"}));
  EXPECT_THAT(parameters, ::testing::ElementsAre("dryRun", "fieldManager", "fieldValidation", "force"));
}

TEST(OpenApiDocument, IsThereForServedVersionsOnly) {
  ApiFixture fixture;

  EXPECT_TRUE(openapi_document(fixture.api, "/api/v1"));
  EXPECT_FALSE(openapi_document(fixture.api, "apis/test.io/v1"));
  EXPECT_FALSE(openapi_document(fixture.api, ""));
}

}  // namespace
}  // namespace capstan::apiserver
