#include "apiserver/schema/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/builtin/builtin.h"

namespace capstan::apiserver {
namespace {

DecodeFindings decode(std::string_view type, json::value& document) {
  return decode_builtin(document.get_object(), *builtin_type("io.k8s.api." + std::string(type)));
}

TEST(DecodeBuiltin, DropsUnknownFieldsAndNamesThem) {
  auto pod = json::parse(R"({"spec":{"containers":[{"name":"a","bogus":1}],"nope":true}})");

  const auto findings = decode("core.v1.Pod", pod);

  EXPECT_FALSE(findings.error);
  EXPECT_THAT(findings.unknown_fields, testing::ElementsAre("spec.containers[0].bogus", "spec.nope"));
}

TEST(DecodeBuiltin, RefusesWrongTypesInGosWords) {
  auto deployment = json::parse(R"({"spec":{"replicas":"x"}})");

  const auto findings = decode("apps.v1.Deployment", deployment);

  EXPECT_EQ(findings.error,
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32");
}

TEST(DecodeBuiltin, PrintsAsGoWould) {
  auto config_map =
      json::parse(R"({"metadata":{"name":"a","labels":{},"creationTimestamp":null},"data":{}})");
  auto lease =
      json::parse(R"({"metadata":{"name":"a"},"spec":{"leaseTransitions":0,"holderIdentity":null}})");
  auto status = json::parse(R"({"disruptionsAllowed":1})");

  decode("core.v1.ConfigMap", config_map);
  decode("coordination.v1.Lease", lease);
  decode("policy.v1.PodDisruptionBudgetStatus", status);

  EXPECT_EQ(config_map, json::parse(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(lease, json::parse(R"({"metadata":{"name":"a"},"spec":{"leaseTransitions":0}})"));
  EXPECT_EQ(
      status,
      json::parse(R"({"disruptionsAllowed":1,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0})"));
}

TEST(DecodeBuiltin, ReadsSecretsAsBytes) {
  auto good = json::parse(R"({"metadata":{"name":"a"},"data":{"k":"aGk="}})");
  auto bad = json::parse(R"({"metadata":{"name":"a"},"data":{"k":"not base64!"}})");

  EXPECT_FALSE(decode("core.v1.Secret", good).error);
  EXPECT_TRUE(decode("core.v1.Secret", bad).error);
}

TEST(TypeTables, KnowMergeKeys) {
  const auto spec = builtin_type("io.k8s.api.core.v1.PodSpec");
  const auto* containers = spec->field("containers");
  const auto* ports = containers->items->field("ports");

  EXPECT_EQ(containers->list_type, ListType::Map);
  EXPECT_THAT(ports->list_keys, testing::ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(ports->patch_merge_key, "containerPort");
  EXPECT_EQ(spec->field("tolerations")->list_type, ListType::Atomic);
  EXPECT_EQ(spec->field("nodeSelector")->map_type, MapType::Atomic);
}

}  // namespace
}  // namespace capstan::apiserver
