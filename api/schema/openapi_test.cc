#include "api/schema/openapi.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/schema/crd.h"
#include "api/schema/sample_types.h"
#include "api/schema/yaml.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

json::value spec() { return openapi<Sample>().at("properties").at("spec"); }

TEST(OpenApi, DescribesEveryTypeOfField) {
  const json::value field = spec().at("properties");

  EXPECT_EQ(field.at("replicas"),
            json::parse(R"({"type":"integer","format":"int32","description":"How many."})"));
  EXPECT_EQ(field.at("serial").at("format"), "int64");
  EXPECT_EQ(field.at("paused").at("type"), "boolean");
  EXPECT_EQ(field.at("maxSurge"), json::parse(R"({"anyOf":[{"type":"integer"},{"type":"string"}],
      "x-kubernetes-int-or-string":true,"description":"How many more."})"));
  EXPECT_EQ(field.at("attributes"), json::parse(R"({"type":"object","additionalProperties":{"type":"string"},
      "description":"Free words."})"));
  EXPECT_EQ(field.at("topology"), json::parse(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
      "description":"Anything."})"));
  const json::value status = openapi<SampleStatus>().at("properties");
  EXPECT_EQ(status.at("lastUpdated"),
            json::parse(R"({"type":"string","format":"date-time","description":"When."})"));
}

TEST(OpenApi, CarriesTheRulesOfAField) {
  const json::value field = spec().at("properties");

  EXPECT_EQ(field.at("clusterName"), json::parse(R"({"type":"string","minLength":1,"maxLength":63,
      "description":"The cluster it belongs to."})"));
  EXPECT_EQ(field.at("names"), json::parse(R"({"type":"array","maxItems":4,"x-kubernetes-list-type":"atomic",
      "items":{"type":"string","minLength":1,"maxLength":10,"pattern":"^[a-z]+$"},"description":"Some names."})"));
  EXPECT_EQ(field.at("taints").at("x-kubernetes-list-map-keys"), json::parse(R"(["key","effect"])"));
  EXPECT_EQ(field.at("taints").at("x-kubernetes-list-type"), "map");
  EXPECT_EQ(
      field.at("taints").at("x-kubernetes-validations"),
      json::parse(
          R"json([{"rule":"self.all(x, self.exists_one(y, x == y))","message":"entries must be unique"}])json"));
  EXPECT_EQ(field.at("taints").at("items").at("properties").at("effect").at("enum"),
            json::parse(R"(["NoSchedule","NoExecute"])"));
  EXPECT_EQ(field.at("deletion").at("properties").at("timeoutSeconds").at("default"), 10);
}

TEST(OpenApi, CarriesTheRulesOfAStruct) {
  EXPECT_EQ(spec().at("required"), json::parse(R"(["clusterName","selector"])"));
  EXPECT_EQ(spec().at("properties").at("deletion").at("minProperties"), 1);
  EXPECT_EQ(spec().at("properties").at("selector").at("x-kubernetes-map-type"), "atomic");
}

TEST(OpenApi, LeavesMetadataToTheServer) {
  const json::value schema = openapi<Sample>();

  EXPECT_EQ(schema.at("properties").at("metadata"), json::parse(R"({"type":"object"})"));
  EXPECT_EQ(schema.at("properties").at("kind").at("type"), "string");
  EXPECT_EQ(schema.at("description"), "Sample is for tests.");
}

TEST(Crd, SaysWhatTheServerHasToKnow) {
  json::value document = crd<Sample>();

  EXPECT_EQ(crd_file_name(resource<Sample>), "example.dev_samples.yaml");
  document.at("spec").at("versions").at(0).as_object().erase("schema");
  EXPECT_EQ(write_yaml(document), R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  labels:
    example.dev/v1: v1
  name: samples.example.dev
spec:
  group: example.dev
  names:
    categories:
    - examples
    kind: Sample
    listKind: SampleList
    plural: samples
    shortNames:
    - sa
    - smp
    singular: sample
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - description: Its cluster
      jsonPath: .spec.clusterName
      name: Cluster
      type: string
    - jsonPath: .metadata.creationTimestamp
      name: Age
      type: date
    - jsonPath: .spec.paused
      name: Paused
      priority: 10
      type: boolean
    name: v1
    served: true
    storage: true
    subresources:
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
      status: {}
)");
}

}  // namespace
}  // namespace capstan::api
