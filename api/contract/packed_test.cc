#include "api/contract/packed.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/contract/contract_object.h"
#include "api/schema/decode.h"

namespace capstan::api::contract {
namespace {

Packed<ContractStatus> packed(std::string_view status) {
  return decode<ContractObject>(R"({"kind":"K","status":)" + std::string(status) + "}")->status;
}

TEST(Packed, GivesBackEveryMemberAsItCame) {
  const auto status = packed(
      R"({"initialization":{"provisioned":true},"addresses":[{"address":"10.0.0.1","type":"InternalIP"}],)"
      R"("externalManagedControlPlane":false,"replicas":3,"failureMessage":""})");

  EXPECT_EQ(status.find("initialization").text(), R"({"provisioned":true})");
  EXPECT_EQ(status.find("addresses").text(), R"([{"address":"10.0.0.1","type":"InternalIP"}])");
  EXPECT_EQ(status.find("externalManagedControlPlane").text(), "false");
  EXPECT_EQ(status.find("replicas").text(), "3");
  EXPECT_EQ(status.find("failureMessage").text(), R"("")");
}

TEST(Packed, HasNothingOfWhatIsAbsentNullOrNotNamed) {
  const auto status = packed(R"({"ready":true,"versions":null,"noise":[1]})");

  for (const auto* name : {"versions", "replicas", "noise", ""}) EXPECT_TRUE(status.find(name).empty());
}

TEST(Packed, OfNothingIsEmpty) {
  for (const auto* nothing : {"{}", "null", R"({"noise":1})"}) {
    EXPECT_EQ(packed(nothing).size(), 0U);
    EXPECT_EQ(packed(nothing), Packed<ContractStatus>());
  }
}

TEST(Packed, IsEqualForEqualMembersInWhateverOrderTheyCame) {
  EXPECT_EQ(packed(R"({"ready":true,"version":"v1"})"), packed(R"({"version":"v1","ready":true})"));
  EXPECT_NE(packed(R"({"ready":true})"), packed(R"({"initialized":true})"));
}

// Whatever is put into one byte, and whatever looks like such a byte, has to come out again.
TEST(Packed, GivesBackTextsOfAnyKind) {
  std::string every_byte;
  for (int byte = 0; byte < 0x80; ++byte) every_byte += static_cast<char>(byte);
  const std::vector<boost::json::value> values = {
      boost::json::string(every_byte),
      "\u00e9 \U0001F600",
      R"("type":"Ready","message":"","reason":")",
      "\"lastTransitionTime\":\"\x01\x02\x1f",
      {{"type", "Ready"}, {"type2", {{"type", "ReadyOrNot"}}}, {"lastTransitionTime", {1, "[{"}}},
      {{{"lastTransitionTime", "t"},
        {"message", ""},
        {"observedGeneration", 2},
        {"reason", "Ready"},
        {"severity", "Info"},
        {"status", "True"},
        {"type", "Ready"}}},
      {{{"address", "a"}, {"type", "InternalIP"}}, {{"type", "Hostname"}, {"address", "b"}}},
      boost::json::array{{{"status", "Unknown"}}, {{"status", "False"}, {"message", "m"}}, 1.5, nullptr},
  };
  for (const auto& value : values) {
    const RawJson raw(value);

    const Packed<ContractStatus> one(ContractStatus{.conditions = raw, .updated_replicas = raw});

    EXPECT_EQ(one.find("conditions"), raw);
    EXPECT_EQ(one.find("updatedReplicas"), raw);
  }
}

TEST(Packed, LosesTheWholeObjectWhenItsHalfIsNoObject) {
  for (const auto* odd : {"1", "[]", R"("x")", R"({"ready":true,"ready":true})"}) {
    EXPECT_FALSE(decode<ContractObject>(R"({"kind":"K","status":)" + std::string(odd) + "}")) << odd;
  }
}

// ---- what a Machine's two objects cost: a fleet holds them for every Machine

constexpr std::string_view kDriverMachine =
    R"({"apiVersion":"infrastructure.capstan.dev/v1alpha1","kind":"DriverMachine","metadata":{"name":"md-0-x7k2p"},
        "spec":{"class":"m5.large","instanceKey":"md-0-x7k2p-9f2c1","providerID":"sim:////fleet-001-md-0-x7k2p"},
        "status":{"addresses":[{"address":"10.1.2.3","type":"InternalIP"},{"address":"md-0-x7k2p","type":"Hostname"}],
          "conditions":[
            {"lastTransitionTime":"2026-11-22T11:25:04Z","message":"","observedGeneration":2,"reason":"Ready",
             "status":"True","type":"Ready"},
            {"lastTransitionTime":"2026-11-22T11:25:04Z","message":"","observedGeneration":2,"reason":"NotPaused",
             "status":"False","type":"Paused"}],
          "failureDomain":"zone-a","initialization":{"provisioned":true},"observedGeneration":2}})";
constexpr std::string_view kCloudConfig =
    R"({"apiVersion":"bootstrap.capstan.dev/v1alpha1","kind":"CloudConfig","metadata":{"name":"md-0-x7k2p"},"spec":{},
        "status":{"conditions":[
            {"lastTransitionTime":"2026-11-22T11:25:01Z","message":"","observedGeneration":1,"reason":"Ready",
             "status":"True","type":"Ready"},
            {"lastTransitionTime":"2026-11-22T11:25:01Z","message":"","observedGeneration":1,"reason":"NotPaused",
             "status":"False","type":"Paused"}],
          "dataSecretName":"md-0-x7k2p","initialization":{"dataSecretCreated":true},"observedGeneration":1}})";
constexpr std::string_view kDockerMachine =
    R"({"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"DockerMachine","metadata":{"name":"md-0-x7k2p"},
        "spec":{"bootstrapped":true,"customImage":"kindest/node:v1.34.0","providerID":"docker:////c1-md-0-x7k2p"},
        "status":{"addresses":[{"address":"c1-md-0-x7k2p","type":"Hostname"},{"address":"172.18.0.5","type":"InternalIP"},
            {"address":"172.18.0.5","type":"ExternalIP"},{"address":"c1-md-0-x7k2p","type":"InternalDNS"},
            {"address":"c1-md-0-x7k2p","type":"ExternalDNS"}],
          "conditions":[
            {"lastTransitionTime":"2026-11-22T11:25:04Z","message":"","observedGeneration":2,"reason":"Ready",
             "status":"True","type":"Ready"},
            {"lastTransitionTime":"2026-11-22T11:25:04Z","message":"","observedGeneration":2,"reason":"Provisioned",
             "status":"True","type":"ContainerProvisioned"}],
          "initialization":{"provisioned":true}}})";
constexpr std::string_view kKubeadmConfig =
    R"({"apiVersion":"bootstrap.cluster.x-k8s.io/v1beta2","kind":"KubeadmConfig","metadata":{"name":"md-0-x7k2p"},
        "spec":{"joinConfiguration":{"nodeRegistration":{}}},
        "status":{"conditions":[
            {"lastTransitionTime":"2026-11-22T11:25:01Z","message":"","observedGeneration":1,"reason":"Ready",
             "status":"True","type":"Ready"},
            {"lastTransitionTime":"2026-11-22T11:25:01Z","message":"","observedGeneration":1,"reason":"Available",
             "status":"True","type":"CertificatesAvailable"}],
          "dataSecretName":"md-0-x7k2p","initialization":{"dataSecretCreated":true},"observedGeneration":1}})";

// Beyond names, labels and owners, which are shared with others.
std::size_t bytes_of(std::string_view document) {
  constexpr std::size_t kTextHeader = 12;
  auto object = *decode<ContractObject>(document);
  keep_what_is_read(object);
  std::size_t bytes = sizeof(object);
  for (const std::size_t text : {object.spec.size(), object.status.size()}) {
    if (text > 0) bytes += kTextHeader + text;
  }
  return bytes;
}

// A test that fails here asks a question: is what was added read for every Machine?
TEST(MemoryOfAMachine, IsSmallForItsProvidersObjects) {
  EXPECT_EQ(sizeof(Packed<ContractStatus>), 8U);
  EXPECT_LE(sizeof(ContractObject), sizeof(ObjectMeta) + 32);

  EXPECT_LE(bytes_of(kDriverMachine) + bytes_of(kCloudConfig), 512U);
  EXPECT_LE(bytes_of(kDockerMachine) + bytes_of(kKubeadmConfig), 560U);
}

}  // namespace
}  // namespace capstan::api::contract
