// The typed views over provider objects. Every reading case runs twice: on the whole document and on the
// cached projection.
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/contract/bootstrap_config.h"
#include "api/contract/control_plane.h"
#include "api/contract/foreign_conditions.h"
#include "api/contract/infra_cluster.h"
#include "api/contract/infra_machine.h"
#include "api/contract/infra_machine_pool.h"
#include "api/schema/decode.h"
#include "base/result.h"

namespace capstan::api::contract {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class From { Document, Projection };

// An object of a provider that lives as long as the test.
class Given {
 public:
  Given(From from, std::string_view spec, std::string_view status)
      : from_(from),
        document_(json::parse(
            R"({"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"DockerMachine","metadata":{)"
            R"("name":"m1","namespace":"default"},"spec":)" +
            std::string(spec) + R"(,"status":)" + std::string(status) + "}")),
        cached_(*decode<ContractObject>(json::serialize(document_))) {}

  Foreign object() const { return from_ == From::Document ? Foreign(document_) : Foreign(cached_); }

 private:
  From from_;
  json::value document_;
  ContractObject cached_;
};

class View : public ::testing::TestWithParam<From> {
 protected:
  static Given given(std::string_view spec, std::string_view status) { return {GetParam(), spec, status}; }
};

std::string name_of(const ::testing::TestParamInfo<From>& info) {
  return info.param == From::Document ? "Document" : "Projection";
}
INSTANTIATE_TEST_SUITE_P(Both, View, ::testing::Values(From::Document, From::Projection), name_of);

constexpr auto kNew = ContractVersion::V1Beta2;
constexpr auto kOld = ContractVersion::V1Beta1;

template <typename T>
bool is_invalid(const Result<T>& result) {
  return !result && result.error().code == Code::Invalid;
}

// ---- identity

TEST_P(View, KnowsWhatItIsLookingAt) {
  const auto machine = given("{}", "{}");

  EXPECT_EQ(machine.object().describe(), "DockerMachine default/m1");
  EXPECT_EQ(machine.object().api_version(), "infrastructure.cluster.x-k8s.io/v1beta2");
  EXPECT_FALSE(machine.object().deleting());
}

// ---- infrastructure machine

TEST_P(View, ReadsProvisionedWhereTheContractPutsIt) {
  const auto modern = given("{}", R"({"initialization":{"provisioned":true}})");
  const auto older = given("{}", R"({"ready":true})");

  EXPECT_EQ(InfraMachine(modern.object(), kNew).provisioned(), true);
  EXPECT_EQ(InfraMachine(modern.object(), kOld).provisioned(), false);
  EXPECT_EQ(InfraMachine(older.object(), kOld).provisioned(), true);
  EXPECT_EQ(InfraMachine(older.object(), kNew).provisioned(), false);
}

TEST_P(View, TreatsAnAbsentOrNullFieldAsNotReported) {
  const auto silent = given("{}", R"({"initialization":null,"addresses":null})");
  const InfraMachine machine(silent.object(), kNew);

  EXPECT_EQ(machine.provisioned(), false);
  EXPECT_EQ(machine.provider_id(), std::nullopt);
  EXPECT_EQ(machine.addresses(), std::nullopt);
  EXPECT_EQ(machine.interruptible(), false);
}

TEST_P(View, ReadsAnInfrastructureMachine) {
  const auto full = given(R"({"providerID":"docker:////m1","failureDomain":""})",
                          R"({"addresses":[{"type":"InternalIP","address":"10.0.0.1"}],"failureDomain":"fd1",
                              "interruptible":true,"failureReason":"r","failureMessage":"m"})");
  const InfraMachine machine(full.object(), kNew);

  EXPECT_EQ(machine.provider_id(), "docker:////m1");
  EXPECT_EQ(machine.spec_failure_domain(), "");
  EXPECT_EQ(machine.failure_domain(), "fd1");
  EXPECT_EQ(machine.interruptible(), true);
  EXPECT_EQ(machine.failures(), (Failures{.reason = "r", .message = "m"}));
  EXPECT_THAT(**machine.addresses(),
              ElementsAre(MachineAddress{.type = "InternalIP"_text, .address = "10.0.0.1"_text}));
}

TEST_P(View, SaysWhichFieldHasTheWrongType) {
  const auto broken =
      given(R"({"providerID":7})", R"({"initialization":{"provisioned":"yes"},"addresses":{}})");
  const InfraMachine machine(broken.object(), kNew);

  const auto provisioned = machine.provisioned();

  ASSERT_TRUE(is_invalid(provisioned));
  EXPECT_EQ(provisioned.error().message,
            "DockerMachine default/m1: status.initialization.provisioned: expected boolean, found string");
  EXPECT_TRUE(is_invalid(machine.provider_id()));
  EXPECT_TRUE(is_invalid(machine.addresses()));
}

TEST_P(View, KeepsReadingTheOtherFieldsOfABrokenObject) {
  const auto broken = given(R"({"providerID":"docker:////m1"})", R"({"initialization":"nonsense"})");
  const InfraMachine machine(broken.object(), kNew);

  EXPECT_EQ(machine.provisioned(), false);
  EXPECT_EQ(machine.provider_id(), "docker:////m1");
}

// ---- infrastructure cluster

TEST_P(View, ReadsFailureDomainsAsListOrMap) {
  const auto list = given(
      "{}", R"({"failureDomains":[{"name":"b"},{"name":"a","controlPlane":true,"attributes":{"x":"y"}}]})");
  const auto map =
      given("{}", R"({"failureDomains":{"b":{},"a":{"controlPlane":true,"attributes":{"x":"y"}}}})");
  const FailureDomain a{.name = "a"_text, .control_plane = true, .attributes = TextMap{{"x", "y"}}};
  const FailureDomain b{.name = "b"_text, .control_plane = false};

  EXPECT_THAT(*InfraCluster(list.object(), kNew).failure_domains(), ElementsAre(a, b));
  EXPECT_THAT(*InfraCluster(map.object(), kOld).failure_domains(), ElementsAre(a, b));
}

TEST_P(View, RefusesFailureDomainsOfTheOtherContract) {
  const auto list = given("{}", R"({"failureDomains":[]})");
  const auto map = given("{}", R"({"failureDomains":{}})");

  EXPECT_TRUE(is_invalid(InfraCluster(list.object(), kOld).failure_domains()));
  EXPECT_TRUE(is_invalid(InfraCluster(map.object(), kNew).failure_domains()));
}

TEST_P(View, ReadsTheEndpoint) {
  const auto given_endpoint = given(R"({"controlPlaneEndpoint":{"host":"example.com","port":6443}})", "{}");
  const auto zero = given(R"({"controlPlaneEndpoint":{"host":"","port":0}})", "{}");
  const auto none = given("{}", "{}");

  EXPECT_EQ(InfraCluster(given_endpoint.object(), kNew).control_plane_endpoint(),
            (ApiEndpoint{.host = "example.com"_text, .port = 6443}));
  EXPECT_FALSE(InfraCluster(zero.object(), kNew).control_plane_endpoint()->value().valid());
  EXPECT_EQ(InfraCluster(none.object(), kNew).control_plane_endpoint(), std::nullopt);
}

// ---- infrastructure machine pool

TEST_P(View, CountsAPoolAsReadyByEitherField) {
  const auto ready = given("{}", R"({"ready":true})");
  const auto provisioned = given("{}", R"({"initialization":{"provisioned":true}})");

  EXPECT_EQ(InfraMachinePool(ready.object(), kNew).ready(), true);
  EXPECT_EQ(InfraMachinePool(provisioned.object(), kNew).ready(), true);
  EXPECT_EQ(InfraMachinePool(provisioned.object(), kOld).ready(), false);
}

TEST_P(View, ReadsAMachinePool) {
  const auto full = given(R"({"providerIDList":["a","b"]})",
                          R"({"replicas":2,"infrastructureMachineKind":"DockerMachine"})");
  const auto empty = given("{}", R"({"infrastructureMachineKind":""})");
  const auto broken = given(R"({"providerIDList":["a",1]})", R"({"replicas":2.5})");
  const InfraMachinePool pool(full.object(), kNew);

  EXPECT_THAT(*pool.provider_id_list(), ElementsAre("a", "b"));
  EXPECT_EQ(pool.replicas(), 2);
  EXPECT_EQ(pool.infrastructure_machine_kind(), "DockerMachine");
  EXPECT_THAT(*InfraMachinePool(empty.object(), kNew).provider_id_list(), IsEmpty());
  EXPECT_EQ(InfraMachinePool(empty.object(), kNew).infrastructure_machine_kind(), std::nullopt);
  EXPECT_THAT(InfraMachinePool(broken.object(), kNew).provider_id_list().error().message,
              HasSubstr("spec.providerIDList[1]: expected string, found number"));
  EXPECT_TRUE(is_invalid(InfraMachinePool(broken.object(), kNew).replicas()));
}

// ---- bootstrap configuration

TEST_P(View, ReadsABootstrapConfiguration) {
  const auto modern = given("{}", R"({"initialization":{"dataSecretCreated":true},"dataSecretName":"s1"})");
  const auto older = given("{}", R"({"ready":true})");

  EXPECT_EQ(BootstrapConfig(modern.object(), kNew).data_secret_created(), true);
  EXPECT_EQ(BootstrapConfig(modern.object(), kNew).data_secret_name(), "s1");
  EXPECT_EQ(BootstrapConfig(older.object(), kOld).data_secret_created(), true);
  EXPECT_EQ(BootstrapConfig(older.object(), kNew).data_secret_created(), false);
}

// ---- control plane

TEST_P(View, ReadsAControlPlane) {
  const auto modern =
      given(R"({"version":"v1.36.3","replicas":3})",
            R"({"initialization":{"controlPlaneInitialized":true},"externalManagedControlPlane":true,
                                "replicas":3,"readyReplicas":2,"availableReplicas":1,"upToDateReplicas":3})");
  const ControlPlane plane(modern.object(), kNew);

  EXPECT_EQ(plane.initialized(), true);
  EXPECT_EQ(plane.externally_managed(), true);
  EXPECT_EQ(plane.version(), "v1.36.3");
  EXPECT_EQ(plane.desired_replicas(), 3);
  EXPECT_EQ(plane.replicas(), 3);
  EXPECT_EQ(plane.ready_replicas(), 2);
  EXPECT_EQ(plane.available_replicas(), 1);
  EXPECT_EQ(plane.up_to_date_replicas(), 3);
}

TEST_P(View, ReadsAControlPlaneOfTheOlderContract) {
  const auto older =
      given(R"({"replicas":3})", R"({"initialized":true,"unavailableReplicas":5,"updatedReplicas":2})");
  const ControlPlane plane(older.object(), kOld);

  EXPECT_EQ(plane.initialized(), true);
  EXPECT_EQ(plane.available_replicas(), 0);
  EXPECT_EQ(plane.up_to_date_replicas(), 2);
}

struct Running {
  const char* status;
  std::optional<std::string> version;
  bool upgrading;
};

TEST_P(View, KnowsWhatRunsAndWhetherItIsOld) {
  for (const auto& [status, version, upgrading] : {
           Running{R"({})", {}, false},
           Running{R"({"version":""})", {}, false},
           Running{R"({"version":"v1.36.3"})", "v1.36.3", false},
           Running{R"({"version":"v1.36.2"})", "v1.36.2", true},
           Running{R"({"versions":[{"version":"v1.36.3"}],"version":"v1.35.0"})", "v1.36.3", false},
           Running{R"({"versions":[{"version":"v1.35.0"},{"version":"v1.36.3"}]})", "v1.35.0", true},
           Running{R"({"versions":[{"version":"v1.36.3+b1"}]})", "v1.36.3+b1", false},
       }) {
    const auto control_plane = given(R"({"version":"v1.36.3"})", status);
    const ControlPlane plane(control_plane.object(), kNew);

    EXPECT_EQ(*plane.running_version(), version) << status;
    EXPECT_EQ(plane.upgrading(), upgrading) << status;
  }
}

TEST_P(View, RefusesVersionsThatAreUnorderedOrNone) {
  const auto unordered = given("{}", R"({"versions":[{"version":"v1.36.3"},{"version":"v1.35.0"}]})");
  const auto nonsense = given("{}", R"({"versions":[{"version":"new"}]})");
  const auto unversioned = given("{}", "{}");

  EXPECT_TRUE(is_invalid(ControlPlane(unordered.object(), kNew).versions()));
  EXPECT_TRUE(is_invalid(ControlPlane(nonsense.object(), kNew).versions()));
  EXPECT_TRUE(is_invalid(ControlPlane(unversioned.object(), kNew).upgrading()));
}

// ---- conditions

TEST_P(View, PrefersConditionsOfTheNewerGeneration) {
  const auto both =
      given("{}", R"({"conditions":[{"type":"Ready","status":"False","severity":"Info","reason":"Old",
                                      "lastTransitionTime":"2026-01-01T12:00:00Z"}],
                                    "v1beta2":{"conditions":[{"type":"Ready","status":"True","reason":"New",
                                      "lastTransitionTime":"2026-01-01T12:00:00Z","message":""}]}})");

  EXPECT_EQ((*read_condition(both.object(), "Ready"))->reason, "New");
  EXPECT_EQ(read_v1beta1_ready(both.object())->reason, "Old");
  EXPECT_EQ(read_v1beta1_ready(both.object())->severity, "Info");
}

TEST_P(View, UnderstandsConditionsOfTheOlderGeneration) {
  const auto older = given("{}", R"({"conditions":[{"type":"Ready","status":"True"}]})");

  const auto ready = read_condition(older.object(), "Ready");

  ASSERT_TRUE(ready && *ready);
  EXPECT_EQ((*ready)->status, "True");
  EXPECT_EQ((*ready)->reason, "NoReasonReported");
}

TEST_P(View, RefusesConditionsWithoutTypeOrProperStatus) {
  const auto untyped = given("{}", R"({"conditions":[{"status":"True"}]})");
  const auto vague = given("{}", R"({"conditions":[{"type":"Ready","status":"Maybe"}]})");
  const auto numeric = given("{}", R"({"conditions":[{"type":"Ready","status":1}]})");

  EXPECT_TRUE(is_invalid(read_conditions(untyped.object())));
  EXPECT_TRUE(is_invalid(read_conditions(vague.object())));
  EXPECT_TRUE(is_invalid(read_conditions(numeric.object())));
}

TEST_P(View, CountsConditionsThatAreNoListAsNotReported) {
  const auto odd = given("{}", R"({"conditions":"none"})");

  EXPECT_THAT(*read_conditions(odd.object()), IsEmpty());
  EXPECT_FALSE(*read_condition(odd.object(), "Ready"));
  EXPECT_FALSE(read_v1beta1_ready(odd.object()));
}

// ---- the projection

TEST(ContractObject, KeepsOnlyWhatTheContractNames) {
  const auto cached = decode<ContractObject>(
      R"({"apiVersion":"x/v1","kind":"K","metadata":{"name":"a","labels":{"l":"1"}},"spec":{"big":{"document":[1,2,3]},
          "providerID":"p"},"status":{"ready":true,"noise":"n"}})");

  ASSERT_TRUE(cached);
  EXPECT_EQ(cached->kind, "K");
  EXPECT_EQ(cached->metadata.labels.value_or_empty("l"), "1");
  EXPECT_EQ(cached->spec.find(field::kProviderId).text(), "\"p\"");
  EXPECT_EQ(cached->status.find(field::kReady).text(), "true");
}

}  // namespace
}  // namespace capstan::api::contract
