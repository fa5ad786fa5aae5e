// What other programs count on in the kinds of our own providers: the contract label, the contract's field
// paths, and an identity that can't change.
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/bootstrap/cloud_config.h"
#include "api/contract/bootstrap_config.h"
#include "api/contract/infra_cluster.h"
#include "api/contract/infra_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_rules.h"
#include "api/schema/crd.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"

namespace capstan::api {
namespace {

namespace json = boost::json;
using contract::ContractVersion;

template <typename T>
contract::ContractObject as_core_sees(const T& object) {
  auto seen = from_json<contract::ContractObject>(to_json(object));
  return seen ? *seen : contract::ContractObject();
}

TEST(DriverKinds, NameTheContractTheyKeep) {
  for (const json::value& crd :
       {api::crd<DriverCluster>(), api::crd<DriverMachine>(), api::crd<DriverMachineTemplate>(),
        api::crd<CloudConfig>(), api::crd<CloudConfigTemplate>()}) {
    const auto& labels = crd.at("metadata").at("labels").as_object();
    EXPECT_EQ(labels.at("cluster.x-k8s.io/v1beta2").as_string(), "v1beta2");
    EXPECT_FALSE(labels.contains("cluster.x-k8s.io/v1beta1")) << "its fields are not there";
  }
}

TEST(DriverMachine, IsReadByTheContractsPaths) {
  DriverMachine machine;
  machine.metadata.name = "m1"_text;
  machine.spec.provider_id = "sim:///i-1"_text;
  machine.status.initialization.provisioned = true;
  machine.status.addresses.push_back({.type = "InternalIP"_text, .address = "10.0.0.1"_text});
  machine.status.failure_domain = "a"_text;
  machine.status.interruptible = true;

  const auto object = as_core_sees(machine);
  const contract::InfraMachine seen(contract::Foreign(object), ContractVersion::V1Beta2);

  EXPECT_TRUE(*seen.provisioned());
  EXPECT_EQ(**seen.provider_id(), "sim:///i-1");
  EXPECT_EQ((**seen.addresses()).at(0).address, "10.0.0.1");
  EXPECT_EQ(**seen.failure_domain(), "a");
  EXPECT_TRUE(*seen.interruptible());
}

TEST(DriverCluster, IsReadByTheContractsPaths) {
  DriverCluster cluster;
  cluster.spec.control_plane_endpoint = {.host = "127.0.0.1"_text, .port = 6443};
  cluster.status.initialization.provisioned = true;
  cluster.status.failure_domains.push_back({.name = "a"_text});

  const auto object = as_core_sees(cluster);
  const contract::InfraCluster seen(contract::Foreign(object), ContractVersion::V1Beta2);

  EXPECT_TRUE(*seen.provisioned());
  EXPECT_EQ((**seen.control_plane_endpoint()).port, 6443);
  EXPECT_EQ(seen.failure_domains()->at(0).name, "a");
}

TEST(CloudConfig, IsReadByTheContractsPaths) {
  CloudConfig config;
  config.status.initialization.data_secret_created = true;
  config.status.data_secret_name = "m1"_text;

  const auto object = as_core_sees(config);
  const contract::BootstrapConfig seen(contract::Foreign(object), ContractVersion::V1Beta2);

  EXPECT_TRUE(*seen.data_secret_created());
  EXPECT_EQ(**seen.data_secret_name(), "m1");
}

TEST(DriverMachine, SaysInItsSchemaThatTheIdentityStays) {
  const auto crd = api::crd<DriverMachine>();

  const auto& spec = crd.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec").as_object();
  ASSERT_TRUE(spec.contains("x-kubernetes-validations"));
  EXPECT_THAT(json::serialize(spec.at("x-kubernetes-validations")),
              testing::HasSubstr("self.instanceKey == oldSelf.instanceKey"));
}

TEST(DriverRules, LetNoObjectGoToAnotherDriver) {
  DriverMachine none;
  DriverMachine metal;
  metal.spec.driver = "metal"_text;
  DriverMachinePool pool;
  DriverMachinePool metal_pool;
  metal_pool.spec.driver = "metal"_text;

  EXPECT_TRUE(validate(metal, &metal, {}).empty());
  EXPECT_TRUE(validate(metal, nullptr, {}).empty());
  EXPECT_EQ(validate(metal, &none, {}).at(0).field, "spec.driver");
  EXPECT_EQ(validate(none, &metal, {}).at(0).field, "spec.driver");
  EXPECT_EQ(validate(metal_pool, &pool, {}).at(0).field, "spec.driver");
}

TEST(DriverKinds, SayInTheirSchemasThatAccountAndClusterKeyStay) {
  const auto rules_of = [](const json::value& crd) {
    return json::serialize(
        crd.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations"));
  };

  EXPECT_THAT(rules_of(api::crd<DriverMachine>()), testing::HasSubstr("self.account == oldSelf.account"));
  EXPECT_THAT(rules_of(api::crd<DriverMachinePool>()), testing::HasSubstr("self.account == oldSelf.account"));
  EXPECT_THAT(rules_of(api::crd<DriverCluster>()),
              testing::HasSubstr("self.clusterKey == oldSelf.clusterKey"));
}

TEST(DriverMachine, KeepsWhatTheDriverAloneUnderstands) {
  const auto document = json::parse(R"({"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2",
    "kind":"DriverMachine","metadata":{"name":"m1"},
    "spec":{"class":"small","providerSpec":{"disks":[{"size":10}]},"later":1}})");

  const auto machine = from_json<DriverMachine>(document);

  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(to_json(*machine), document);
}

}  // namespace
}  // namespace capstan::api
