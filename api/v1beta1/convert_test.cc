// One row for each field that differs between v1beta1 and v1beta2, read both ways, and what is lost on
// purpose.
#include "api/v1beta1/convert.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/names.h"
#include "api/v1beta1/kinds.h"
#include "api/v1beta1/paths.h"

namespace capstan::api::v1beta1 {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

struct Pair {
  std::string_view kind = {};
  std::string_view old_body = {};
  std::string_view new_body = {};
};

void PrintTo(const Pair& row, std::ostream* out) { *out << row.kind << " " << row.old_body; }

Result<std::string> api_version_of(std::string_view group, std::string_view kind) {
  if (kind == "Gone") return fail(Code::NotFound, "no CustomResourceDefinition for Gone");
  return fmt::format("{}/v1beta2", group);
}

json::object document(std::string_view kind, std::string_view body) {
  json::object made = json::parse(body).as_object();
  made["kind"] = json::string(kind);
  if (!made.contains("metadata")) made["metadata"] = {{"name", "a"}, {"namespace", "here"}};
  return made;
}

json::object made_new(std::string_view kind, json::object made) {
  made["apiVersion"] = "cluster.x-k8s.io/v1beta1";
  const auto outcome = to_v1beta2(*find_kind(group::kCluster, kind), made);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return made;
}

json::object made_old(std::string_view kind, json::object made) {
  made["apiVersion"] = "cluster.x-k8s.io/v1beta2";
  const auto outcome = from_v1beta2(*find_kind(group::kCluster, kind), made, api_version_of);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return made;
}

// All that `want` says stands in `have`, which may say more.
bool covers(const json::value& have, const json::value& want) {
  if (!want.is_object() || !have.is_object()) return have == want;
  return std::ranges::all_of(want.get_object(), [&](const auto& entry) {
    const auto* found = have.get_object().if_contains(entry.key());
    return found != nullptr && covers(*found, entry.value());
  });
}

class Row73 : public ::testing::TestWithParam<Pair> {};

TEST_P(Row73, BecomesTheNewVersion) {
  const auto& [kind, old_body, new_body] = GetParam();

  const json::object made = made_new(kind, document(kind, old_body));

  EXPECT_TRUE(covers(made, json::parse(new_body))) << json::serialize(made) << "\nwant " << new_body;
  EXPECT_EQ(made.at("apiVersion"), "cluster.x-k8s.io/v1beta2");
}

TEST_P(Row73, BecomesTheOldVersion) {
  const auto& [kind, old_body, new_body] = GetParam();

  const json::object made = made_old(kind, document(kind, new_body));

  EXPECT_TRUE(covers(made, json::parse(old_body))) << json::serialize(made) << "\nwant " << old_body;
  EXPECT_EQ(made.at("apiVersion"), "cluster.x-k8s.io/v1beta1");
}

constexpr std::string_view kOldConditions =
    R"({"status":{"conditions":[{"type":"Ready","status":"False","severity":"Error","lastTransitionTime":"2025-11-03T10:20:30Z"}]}})";
constexpr std::string_view kOldConditionsNow =
    R"({"status":{"deprecated":{"v1beta1":{"conditions":[{"type":"Ready","status":"False","severity":"Error","lastTransitionTime":"2025-11-03T10:20:30Z"}]}}}})";
constexpr std::string_view kNewConditionsThen =
    R"({"status":{"v1beta2":{"conditions":[{"type":"Ready","status":"True","reason":"Ready","message":"","lastTransitionTime":"2025-11-03T10:20:30Z"}]}}})";
constexpr std::string_view kNewConditionsNow =
    R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":"Ready","message":"","lastTransitionTime":"2025-11-03T10:20:30Z"}]}})";
constexpr std::string_view kFailure =
    R"({"status":{"failureReason":"InvalidConfiguration","failureMessage":"no"}})";
constexpr std::string_view kFailureNow =
    R"({"status":{"deprecated":{"v1beta1":{"failureReason":"InvalidConfiguration","failureMessage":"no"}}}})";
constexpr std::string_view kCounters =
    R"({"status":{"v1beta2":{"readyReplicas":0,"availableReplicas":1,"upToDateReplicas":2}}})";
constexpr std::string_view kCountersNow =
    R"({"status":{"readyReplicas":0,"availableReplicas":1,"upToDateReplicas":2}})";

constexpr Pair kRows[] = {
    // Cluster
    {"Cluster", R"({"spec":{"paused":true}})", R"({"spec":{"paused":true}})"},
    {"Cluster", R"({"spec":{"clusterNetwork":{"apiServerPort":6443,"pods":{"cidrBlocks":["10.0.0.0/8"]}}}})",
     R"({"spec":{"clusterNetwork":{"apiServerPort":6443,"pods":{"cidrBlocks":["10.0.0.0/8"]}}}})"},
    {"Cluster", R"({"spec":{"controlPlaneEndpoint":{"host":"h","port":6443}}})",
     R"({"spec":{"controlPlaneEndpoint":{"host":"h","port":6443}}})"},
    {"Cluster",
     R"({"spec":{"infrastructureRef":{"apiVersion":"i.x/v1beta2","kind":"IC","name":"n","namespace":"here"}}})",
     R"({"spec":{"infrastructureRef":{"apiGroup":"i.x","kind":"IC","name":"n"}}})"},
    {"Cluster",
     R"({"spec":{"controlPlaneRef":{"apiVersion":"c.x/v1beta2","kind":"CP","name":"n","namespace":"here"}}})",
     R"({"spec":{"controlPlaneRef":{"apiGroup":"c.x","kind":"CP","name":"n"}}})"},
    {"Cluster", R"({"status":{"infrastructureReady":true,"controlPlaneReady":true}})",
     R"({"status":{"initialization":{"infrastructureProvisioned":true,"controlPlaneInitialized":true}}})"},
    {"Cluster", R"({"status":{"failureDomains":{"b":{"controlPlane":true},"a":{"attributes":{"x":"y"}}}}})",
     R"({"status":{"failureDomains":[{"name":"a","controlPlane":false,"attributes":{"x":"y"}},{"name":"b","controlPlane":true}]}})"},
    {"Cluster",
     R"({"status":{"v1beta2":{"controlPlane":{"replicas":3},"workers":{"versions":[{"version":"v1","replicas":2}]}}}})",
     R"({"status":{"controlPlane":{"replicas":3},"workers":{"versions":[{"version":"v1","replicas":2}]}}})"},
    {"Cluster", kFailure, kFailureNow},
    {"Cluster", kOldConditions, kOldConditionsNow},
    {"Cluster", kNewConditionsThen, kNewConditionsNow},
    // Machine
    {"Machine",
     R"({"spec":{"bootstrap":{"configRef":{"apiVersion":"b.x/v1beta2","kind":"BC","name":"n","namespace":"here"}}}})",
     R"({"spec":{"bootstrap":{"configRef":{"apiGroup":"b.x","kind":"BC","name":"n"}}}})"},
    {"Machine",
     R"({"spec":{"infrastructureRef":{"apiVersion":"i.x/v1beta2","kind":"IM","name":"n","namespace":"here"}}})",
     R"({"spec":{"infrastructureRef":{"apiGroup":"i.x","kind":"IM","name":"n"}}})"},
    {"Machine", R"({"spec":{"version":"v1.34.1","providerID":"p://1","failureDomain":"z"}})",
     R"({"spec":{"version":"v1.34.1","providerID":"p://1","failureDomain":"z"}})"},
    {"Machine",
     R"({"spec":{"nodeDrainTimeout":"1m30s","nodeVolumeDetachTimeout":"0s","nodeDeletionTimeout":"10s"}})",
     R"({"spec":{"deletion":{"nodeDrainTimeoutSeconds":90,"nodeVolumeDetachTimeoutSeconds":0,"nodeDeletionTimeoutSeconds":10}}})"},
    {"Machine", R"({"status":{"nodeRef":{"apiVersion":"v1","kind":"Node","name":"n"}}})",
     R"({"status":{"nodeRef":{"name":"n"}}})"},
    {"Machine", R"({"status":{"bootstrapReady":true,"infrastructureReady":true}})",
     R"({"status":{"initialization":{"bootstrapDataSecretCreated":true,"infrastructureProvisioned":true}}})"},
    {"Machine",
     R"({"status":{"lastUpdated":"2025-11-03T10:20:30Z","certificatesExpiryDate":"2026-11-03T10:20:30Z"}})",
     R"({"status":{"lastUpdated":"2025-11-03T10:20:30Z","certificatesExpiryDate":"2026-11-03T10:20:30Z"}})"},
    {"Machine", R"({"status":{"phase":"Running"}})", R"({"status":{"phase":"Running"}})"},
    {"Machine", R"({"status":{"deletion":{"nodeDrainStartTime":"2025-11-03T10:20:30Z"}}})",
     R"({"status":{"deletion":{"nodeDrainStartTime":"2025-11-03T10:20:30Z"}}})"},
    {"Machine", kFailure, kFailureNow},
    {"Machine", kOldConditions, kOldConditionsNow},
    {"Machine", kNewConditionsThen, kNewConditionsNow},
    // MachineSet
    {"MachineSet", R"({"spec":{"minReadySeconds":7}})",
     R"({"spec":{"template":{"spec":{"minReadySeconds":7}}}})"},
    {"MachineSet", R"({"spec":{"deletePolicy":"Oldest"}})", R"({"spec":{"deletion":{"order":"Oldest"}}})"},
    {"MachineSet", R"({"spec":{"machineNamingStrategy":{"template":"t"}}})",
     R"({"spec":{"machineNaming":{"template":"t"}}})"},
    {"MachineSet", R"({"spec":{"template":{"spec":{"nodeDrainTimeout":"1s"}}}})",
     R"({"spec":{"template":{"spec":{"deletion":{"nodeDrainTimeoutSeconds":1}}}}})"},
    {"MachineSet", R"({"status":{"fullyLabeledReplicas":1,"readyReplicas":2,"availableReplicas":3}})",
     R"({"status":{"deprecated":{"v1beta1":{"fullyLabeledReplicas":1,"readyReplicas":2,"availableReplicas":3}}}})"},
    {"MachineSet", R"({"status":{"replicas":4}})", R"({"status":{"replicas":4}})"},
    {"MachineSet", kCounters, kCountersNow},
    {"MachineSet", kFailure, kFailureNow},
    {"MachineSet", kOldConditions, kOldConditionsNow},
    {"MachineSet", kNewConditionsThen, kNewConditionsNow},
    // MachineDeployment
    {"MachineDeployment",
     R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1,"maxUnavailable":"10%"}}}})",
     R"({"spec":{"rollout":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1,"maxUnavailable":"10%"}}}}})"},
    {"MachineDeployment", R"({"spec":{"strategy":{"rollingUpdate":{"deletePolicy":"Newest"}}}})",
     R"({"spec":{"deletion":{"order":"Newest"}}})"},
    {"MachineDeployment", R"({"spec":{"strategy":{"remediation":{"maxInFlight":2}}}})",
     R"({"spec":{"remediation":{"maxInFlight":2}}})"},
    {"MachineDeployment", R"({"spec":{"rolloutAfter":"2025-11-03T10:20:30Z"}})",
     R"({"spec":{"rollout":{"after":"2025-11-03T10:20:30Z"}}})"},
    {"MachineDeployment", R"({"spec":{"minReadySeconds":0}})",
     R"({"spec":{"template":{"spec":{"minReadySeconds":0}}}})"},
    {"MachineDeployment", R"({"spec":{"machineNamingStrategy":{"template":"t"}}})",
     R"({"spec":{"machineNaming":{"template":"t"}}})"},
    {"MachineDeployment", R"({"spec":{"paused":true}})", R"({"spec":{"paused":true}})"},
    {"MachineDeployment",
     R"({"status":{"updatedReplicas":1,"readyReplicas":2,"availableReplicas":3,"unavailableReplicas":4}})",
     R"({"status":{"deprecated":{"v1beta1":{"updatedReplicas":1,"readyReplicas":2,"availableReplicas":3,"unavailableReplicas":4}}}})"},
    {"MachineDeployment", kCounters, kCountersNow},
    {"MachineDeployment", kOldConditions, kOldConditionsNow},
    {"MachineDeployment", kNewConditionsThen, kNewConditionsNow},
    // MachinePool
    {"MachinePool", R"({"spec":{"minReadySeconds":7}})",
     R"({"spec":{"template":{"spec":{"minReadySeconds":7}}}})"},
    {"MachinePool", R"({"spec":{"failureDomains":["a"],"providerIDList":["p://1"]}})",
     R"({"spec":{"failureDomains":["a"],"providerIDList":["p://1"]}})"},
    {"MachinePool", R"({"status":{"bootstrapReady":true,"infrastructureReady":true}})",
     R"({"status":{"initialization":{"bootstrapDataSecretCreated":true,"infrastructureProvisioned":true}}})"},
    {"MachinePool", R"({"status":{"readyReplicas":2,"availableReplicas":3,"unavailableReplicas":4}})",
     R"({"status":{"deprecated":{"v1beta1":{"readyReplicas":2,"availableReplicas":3,"unavailableReplicas":4}}}})"},
    {"MachinePool", R"({"status":{"nodeRefs":[{"kind":"Node","name":"n","uid":"5"}]}})",
     R"({"status":{"nodeRefs":[{"kind":"Node","name":"n","uid":"5"}]}})"},
    {"MachinePool", kCounters, kCountersNow},
    {"MachinePool", kFailure, kFailureNow},
    {"MachinePool", kOldConditions, kOldConditionsNow},
    {"MachinePool", kNewConditionsThen, kNewConditionsNow},
    // MachineHealthCheck
    {"MachineHealthCheck",
     R"({"spec":{"unhealthyConditions":[{"type":"Ready","status":"False","timeout":"5m0s"}]}})",
     R"({"spec":{"checks":{"unhealthyNodeConditions":[{"type":"Ready","status":"False","timeoutSeconds":300}]}}})"},
    {"MachineHealthCheck",
     R"({"spec":{"unhealthyMachineConditions":[{"type":"Ready","status":"False","timeout":"0s"}]}})",
     R"({"spec":{"checks":{"unhealthyMachineConditions":[{"type":"Ready","status":"False","timeoutSeconds":0}]}}})"},
    {"MachineHealthCheck", R"({"spec":{"nodeStartupTimeout":"10m0s"}})",
     R"({"spec":{"checks":{"nodeStartupTimeoutSeconds":600}}})"},
    {"MachineHealthCheck", R"({"spec":{"maxUnhealthy":"40%"}})",
     R"({"spec":{"remediation":{"triggerIf":{"unhealthyLessThanOrEqualTo":"40%"}}}})"},
    {"MachineHealthCheck", R"({"spec":{"unhealthyRange":"[1-3]"}})",
     R"({"spec":{"remediation":{"triggerIf":{"unhealthyInRange":"[1-3]"}}}})"},
    {"MachineHealthCheck",
     R"({"spec":{"remediationTemplate":{"apiVersion":"r.x/v1","kind":"RT","name":"n","namespace":"here"}}})",
     R"({"spec":{"remediation":{"templateRef":{"apiVersion":"r.x/v1","kind":"RT","name":"n"}}}})"},
    {"MachineHealthCheck", R"({"status":{"expectedMachines":3,"currentHealthy":2,"remediationsAllowed":1}})",
     R"({"status":{"expectedMachines":3,"currentHealthy":2,"remediationsAllowed":1}})"},
    {"MachineHealthCheck", kOldConditions, kOldConditionsNow},
    {"MachineHealthCheck", kNewConditionsThen, kNewConditionsNow},
    // MachineDrainRule
    {"MachineDrainRule", R"({"spec":{"drain":{"behavior":"Drain","order":-3}}})",
     R"({"spec":{"drain":{"behavior":"Drain","order":-3}}})"},
};

INSTANTIATE_TEST_SUITE_P(Fields, Row73, ::testing::ValuesIn(kRows));

// --- absent, false and 0 ---

const json::value* at(const json::object& document, std::string_view path) { return look_up(document, path); }

json::object with_annotation(json::object old, std::string_view kept) {
  old["metadata"].as_object()["annotations"].emplace_object()[kConversionData] = json::string(kept);
  return old;
}

TEST(Convert, FalseIsAbsentUnlessTheAnnotationSaysItWasMeant) {
  const json::object old = document("Cluster", R"({"spec":{"paused":false}})");

  const json::object unknown = made_new("Cluster", old);
  const json::object meant = made_new("Cluster", with_annotation(old, R"({"spec":{"paused":false}})"));
  const json::object other = made_new("Cluster", with_annotation(old, R"({"spec":{"paused":true}})"));

  EXPECT_EQ(at(unknown, "spec.paused"), nullptr);
  ASSERT_NE(at(meant, "spec.paused"), nullptr);
  EXPECT_EQ(*at(meant, "spec.paused"), json::value(false));
  EXPECT_EQ(at(other, "spec.paused"), nullptr);
}

TEST(Convert, ACounterOfZeroIsAbsentUnlessTheAnnotationSaysItWasMeant) {
  const json::object old = document("MachineHealthCheck", R"({"status":{"expectedMachines":0}})");

  const json::object unknown = made_new("MachineHealthCheck", old);
  const json::object meant =
      made_new("MachineHealthCheck", with_annotation(old, R"({"status":{"expectedMachines":0}})"));

  EXPECT_EQ(at(unknown, "status.expectedMachines"), nullptr);
  ASSERT_NE(at(meant, "status.expectedMachines"), nullptr);
  EXPECT_EQ(*at(meant, "status.expectedMachines"), json::value(0));
}

TEST(Convert, SetsHaveAReplicaCountAndOldCountersFromTheFirstMoment) {
  for (const std::string_view kind : {"MachineSet", "MachineDeployment", "MachinePool"}) {
    const json::object made = made_new(kind, document(kind, "{}"));

    ASSERT_NE(at(made, "status.replicas"), nullptr) << kind;
    EXPECT_EQ(*at(made, "status.replicas"), json::value(0)) << kind;
    EXPECT_NE(at(made, "status.deprecated.v1beta1"), nullptr) << kind;
  }
}

TEST(Convert, OthersHaveNothingOldInTheirStatusWhenThereIsNothing) {
  for (const std::string_view kind : {"Cluster", "Machine", "MachineHealthCheck"}) {
    EXPECT_EQ(at(made_new(kind, document(kind, "{}")), "status.deprecated"), nullptr) << kind;
  }
}

TEST(Convert, AnUnsetEndpointIsPrintedByTheOldVersionAndOmittedByTheNew) {
  const json::object old = made_old("Cluster", document("Cluster", "{}"));
  const json::object back = made_new("Cluster", old);

  ASSERT_NE(at(old, "spec.controlPlaneEndpoint"), nullptr);
  EXPECT_EQ(json::serialize(*at(old, "spec.controlPlaneEndpoint")), R"({"host":"","port":0})");
  EXPECT_EQ(at(back, "spec.controlPlaneEndpoint"), nullptr);
}

TEST(Convert, AnEmptyNetworkIsAbsentOnBothWays) {
  const json::object made = made_new("Cluster", document("Cluster", R"({"spec":{"clusterNetwork":{}}})"));

  EXPECT_EQ(at(made, "spec.clusterNetwork"), nullptr);
  EXPECT_EQ(at(made_old("Cluster", made), "spec.clusterNetwork"), nullptr);
}

TEST(Convert, AnEmptyListOfRangesStaysAsAnEmptyObject) {
  const json::object made =
      made_new("Cluster", document("Cluster", R"({"spec":{"clusterNetwork":{"pods":{"cidrBlocks":[]}}}})"));

  ASSERT_NE(at(made, "spec.clusterNetwork.pods"), nullptr);
  EXPECT_EQ(json::serialize(*at(made, "spec.clusterNetwork.pods")), "{}");
}

// --- durations ---

TEST(Convert, FractionsOfASecondAreCutOffTowardsZero) {
  const json::object made = made_new(
      "Machine",
      document("Machine", R"({"spec":{"nodeDrainTimeout":"1m30.9s","nodeDeletionTimeout":"-1.9s"}})"));

  EXPECT_EQ(*at(made, "spec.deletion.nodeDrainTimeoutSeconds"), json::value(90));
  EXPECT_EQ(*at(made, "spec.deletion.nodeDeletionTimeoutSeconds"), json::value(-1));
}

TEST(Convert, ADurationBeyondTheLargestNumberBecomesTheLargest) {
  const json::object made =
      made_new("Machine", document("Machine", R"({"spec":{"nodeDrainTimeout":"2562047h"}})"));

  EXPECT_EQ(*at(made, "spec.deletion.nodeDrainTimeoutSeconds"), json::value(2147483647));
}

// --- the annotation ---

TEST(Convert, TheAnnotationHoldsTheNewDocumentWithoutItsMetadata) {
  const json::object made = made_old(
      "Machine",
      document("Machine",
               R"({"spec":{"clusterName":"c","minReadySeconds":5},"status":{"failureDomain":"z"}})"));

  const json::value kept =
      json::parse(at(made, "metadata.annotations")->as_object().at(kConversionData).as_string());
  EXPECT_EQ(kept, json::parse(R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine",
      "spec":{"clusterName":"c","minReadySeconds":5},"status":{"failureDomain":"z"}})"));
}

TEST(Convert, TheAnnotationGoesOnTheWayBackAndGivesWhatTheOldVersionHasNoPlaceFor) {
  const json::object before = document(
      "Machine", R"({"spec":{"minReadySeconds":5},"status":{"failureDomain":"z","phase":"Updating"}})");

  const json::object old = made_old("Machine", before);
  const json::object back = made_new("Machine", old);

  EXPECT_EQ(*at(old, "status.phase"), json::value("Running"));
  EXPECT_EQ(at(back, "metadata.annotations"), nullptr);
  EXPECT_EQ(*at(back, "spec.minReadySeconds"), json::value(5));
  EXPECT_EQ(*at(back, "status.failureDomain"), json::value("z"));
  EXPECT_EQ(*at(back, "status.phase"), json::value("Updating"));
}

TEST(Convert, OtherAnnotationsStay) {
  json::object old = document("Machine", R"({"metadata":{"name":"a","annotations":{"note":"mine"}}})");

  const json::object back = made_new("Machine", made_old("Machine", old));

  EXPECT_EQ(json::serialize(*at(back, "metadata.annotations")), R"({"note":"mine"})");
}

TEST(Convert, SetsAndDrainRulesGetNoAnnotation) {
  for (const std::string_view kind : {"MachineSet", "MachineDrainRule"}) {
    EXPECT_EQ(at(made_old(kind, document(kind, "{}")), "metadata.annotations"), nullptr) << kind;
  }
}

TEST(Convert, AnAnnotationThatHoldsNoObjectIsRefused) {
  json::object old = with_annotation(document("Machine", "{}"), "not JSON");

  const auto outcome = to_v1beta2(*find_kind(group::kCluster, "Machine"), old);

  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("cluster.x-k8s.io/conversion-data"));
}

// --- losses ---

TEST(Convert, FieldsWithoutAnyEffectAreLost) {
  const json::object made = made_new(
      "MachineDeployment",
      document("MachineDeployment", R"({"spec":{"revisionHistoryLimit":1,"progressDeadlineSeconds":2}})"));

  EXPECT_EQ(at(made, "spec.revisionHistoryLimit"), nullptr);
  EXPECT_EQ(at(made, "spec.progressDeadlineSeconds"), nullptr);
}

TEST(Convert, AZeroOfAMachineSetsMinReadySecondsIsLost) {
  const json::object before =
      document("MachineSet", R"({"spec":{"template":{"spec":{"minReadySeconds":0}}}})");

  const json::object back = made_new("MachineSet", made_old("MachineSet", before));

  EXPECT_EQ(at(back, "spec.template.spec.minReadySeconds"), nullptr);
}

// --- what can't be converted ---

TEST(Convert, AReferenceToAKindWithoutADefinitionIsAnError) {
  json::object made =
      document("Machine", R"({"spec":{"infrastructureRef":{"apiGroup":"i.x","kind":"Gone","name":"n"}}})");

  const auto outcome = from_v1beta2(*find_kind(group::kCluster, "Machine"), made, api_version_of);

  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("Gone"));
}

TEST(Convert, AnApiVersionWithTwoSlashesIsAnError) {
  json::object made = document("Machine", R"({"spec":{"infrastructureRef":{"apiVersion":"a/b/c"}}})");

  EXPECT_FALSE(to_v1beta2(*find_kind(group::kCluster, "Machine"), made));
}

TEST(Convert, AFieldOfTheWrongTypeIsNamed) {
  json::object made =
      document("MachineSet", R"({"spec":{"template":{"spec":{"taints":[{"key":"a"},{"key":7}]}}}})");

  const auto outcome = to_v1beta2(*find_kind(group::kCluster, "MachineSet"), made);

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "spec.template.spec.taints[1].key: wants a string");
}

TEST(Convert, AFailureDomainThatIsNoObjectIsRefused) {
  for (const std::string_view body :
       {R"({"status":{"failureDomains":{"a":7}}})", R"({"status":{"failureDomains":[]}})",
        R"({"status":{"failureDomains":{"a":{"controlPlane":"yes"}}}})"}) {
    json::object made = document("Cluster", body);
    EXPECT_FALSE(to_v1beta2(*find_kind(group::kCluster, "Cluster"), made)) << body;
  }
}

// --- fields that a newer version of the definitions has ---

TEST(Convert, AFieldThatNeitherVersionKnowsStays) {
  const json::object made = made_new("Machine", document("Machine", R"({"spec":{"fromTheFuture":{"a":1}}})"));

  ASSERT_NE(at(made, "spec.fromTheFuture.a"), nullptr);
  EXPECT_EQ(*at(made_old("Machine", made), "spec.fromTheFuture.a"), json::value(1));
}

TEST(Convert, AFieldOfTheOtherVersionIsNotTakenForOneOfThisVersion) {
  const json::object made = made_new("Machine", document("Machine", R"({"spec":{"minReadySeconds":7}})"));

  EXPECT_EQ(at(made, "spec.minReadySeconds"), nullptr);
}

}  // namespace
}  // namespace capstan::api::v1beta1
