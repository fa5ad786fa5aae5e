#include "api/contract/template_clone.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::api::contract {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

json::value docker_template(std::string_view spec_template) {
  return json::parse(
      R"({"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"DockerMachineTemplate",
                         "metadata":{"name":"t1","namespace":"default","uid":"u"},"spec":{"template":)" +
      std::string(spec_template) + "}}");
}

CloneRequest request() { return {.namespace_ = "default", .name = "m1", .cluster_name = "c1"}; }

TEST(CloneTemplate, CopiesTheBodyUnderItsNewIdentity) {
  const auto clone =
      clone_from_template(docker_template(R"({"spec":{"customImage":"i","nested":{"a":[1]}}})"), request());

  ASSERT_TRUE(clone);
  EXPECT_EQ(*clone,
            json::parse(R"({"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"DockerMachine",
      "metadata":{"name":"m1","namespace":"default",
        "labels":{"cluster.x-k8s.io/cluster-name":"c1"},
        "annotations":{"cluster.x-k8s.io/cloned-from-name":"t1",
          "cluster.x-k8s.io/cloned-from-groupkind":"DockerMachineTemplate.infrastructure.cluster.x-k8s.io"}},
      "spec":{"customImage":"i","nested":{"a":[1]}}})"));
}

TEST(CloneTemplate, LaysOurLabelsAndAnnotationsOverTheTemplates) {
  auto wanted = request();
  wanted.labels = TextMap{{"a", "ours"}, {"cluster.x-k8s.io/cluster-name", "lies"}};
  wanted.annotations = TextMap{{"b", "ours"}};

  const auto clone = clone_from_template(
      docker_template(
          R"({"metadata":{"labels":{"a":"theirs","t":"1"},"annotations":{"b":"theirs","t":"2"}}})"),
      wanted);

  const auto& metadata = clone->at("metadata");
  EXPECT_EQ(metadata.at("labels"),
            json::parse(R"({"a":"ours","t":"1","cluster.x-k8s.io/cluster-name":"c1"})"));
  EXPECT_EQ(metadata.at("annotations").at("b"), "ours");
  EXPECT_EQ(metadata.at("annotations").at("t"), "2");
}

TEST(CloneTemplate, ForgetsWhatIdentifiesAnotherObject) {
  const auto clone = clone_from_template(
      docker_template(
          R"({"metadata":{"name":"x","uid":"u","resourceVersion":"1","selfLink":"/","finalizers":["f"]}})"),
      request());

  const auto& metadata = clone->at("metadata").as_object();
  for (const auto field : {"uid", "resourceVersion", "selfLink", "finalizers"})
    EXPECT_FALSE(metadata.contains(field));
  EXPECT_EQ(metadata.at("name"), "m1");
}

TEST(CloneTemplate, PutsOurOwnerInThePlaceOfAllOthers) {
  auto wanted = request();
  wanted.owner = OwnerReference{.api_version = "cluster.x-k8s.io/v1beta2"_text,
                                .kind = "MachineSet"_text,
                                .name = "ms1"_text,
                                .uid = Uid("3f2504e0-4f89-41d3-9a0c-0305e82c3301")};

  const auto clone =
      clone_from_template(docker_template(R"({"metadata":{"ownerReferences":[{"kind":"Other"}]}})"), wanted);

  EXPECT_EQ(clone->at("metadata").at("ownerReferences"),
            json::parse(R"([{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","name":"ms1",
                             "uid":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}])"));
}

TEST(CloneTemplate, TakesKindAndVersionFromTheBodyWhenItHasThem) {
  const auto clone =
      clone_from_template(docker_template(R"({"apiVersion":"other/v1","kind":"Other"})"), request());

  EXPECT_EQ(clone->at("apiVersion"), "other/v1");
  EXPECT_EQ(clone->at("kind"), "Other");
}

TEST(CloneTemplate, MakesAnEmptyObjectOfATemplateWithoutABody) {
  const auto source =
      json::parse(R"({"apiVersion":"x/v1","kind":"FooTemplate","metadata":{"name":"t1"},"spec":{}})");

  const auto clone = clone_from_template(source, request());

  ASSERT_TRUE(clone);
  EXPECT_EQ(clone->at("kind"), "Foo");
  EXPECT_FALSE(clone->as_object().contains("spec"));
}

TEST(CloneTemplate, SaysWhereATemplateIsNone) {
  EXPECT_THAT(clone_from_template(docker_template("[]"), request()).error().message,
              HasSubstr("DockerMachineTemplate default/t1: spec.template: expected object, found array"));
  EXPECT_THAT(
      clone_from_template(docker_template(R"({"metadata":{"labels":"x"}})"), request()).error().message,
      HasSubstr("spec.template.metadata.labels: expected object, found string"));
  EXPECT_FALSE(clone_from_template(json::parse(R"({"spec":{"template":{}}})"), request()));
  EXPECT_FALSE(clone_from_template(json::value(1), request()));
}

TEST(ClonedKind, LosesOnlyTheSuffix) {
  EXPECT_EQ(cloned_kind("KubeadmConfigTemplate"), "KubeadmConfig");
  EXPECT_EQ(cloned_kind("TemplateFoo"), "TemplateFoo");
}

}  // namespace
}  // namespace capstan::api::contract
