// What holds for all kinds alike: documents survive a round trip, and each constraint of the schema accepts
// and refuses.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <regex>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "test/builders/documents.h"

namespace capstan::api {
namespace {

namespace json = boost::json;

// A kind without its type, so that tests can be tables.
struct Kind {
  const char* name;
  std::string_view (*document)();
  Result<json::value> (*round_trip)(std::string_view text);
  Result<std::vector<Cause>> (*check)(const json::value& document);
};

template <typename T>
constexpr Kind kind_of(const char* name, std::string_view (*document)()) {
  return {.name = name,
          .document = document,
          .round_trip = [](std::string_view text) -> Result<json::value> {
            const auto object = decode<T>(text);
            if (!object) return Failure(object.error());
            return to_json(*object);
          },
          .check = [](const json::value& changed) -> Result<std::vector<Cause>> {
            const auto object = from_json<T>(changed);
            if (!object) return Failure(object.error());
            return validate(*object);
          }};
}

constexpr Kind kCluster = kind_of<Cluster>("Cluster", builders::full_cluster);
constexpr Kind kMachine = kind_of<Machine>("Machine", builders::full_machine);
constexpr Kind kMachineSet = kind_of<MachineSet>("MachineSet", builders::full_machine_set);
constexpr Kind kDeployment =
    kind_of<MachineDeployment>("MachineDeployment", builders::full_machine_deployment);
constexpr Kind kPool = kind_of<MachinePool>("MachinePool", builders::full_machine_pool);
constexpr Kind kHealthCheck =
    kind_of<MachineHealthCheck>("MachineHealthCheck", builders::full_machine_health_check);
constexpr Kind kDrainRule = kind_of<MachineDrainRule>("MachineDrainRule", builders::full_machine_drain_rule);

class EveryKind : public ::testing::TestWithParam<Kind> {};

std::string only_name(const ::testing::TestParamInfo<Kind>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::Values(kCluster, kMachine, kMachineSet, kDeployment, kPool, kHealthCheck,
                                           kDrainRule),
                         only_name);

TEST_P(EveryKind, SurvivesARoundTripWithFieldsNobodyKnows) {
  const auto text = GetParam().document();

  const auto result = GetParam().round_trip(text);

  ASSERT_TRUE(result) << result.error().describe();
  EXPECT_EQ(*result, json::parse(text));
}

TEST_P(EveryKind, AcceptsItsFullDocument) {
  const auto causes = GetParam().check(json::parse(GetParam().document()));

  ASSERT_TRUE(causes) << causes.error().describe();
  EXPECT_TRUE(causes->empty()) << causes->front().field << ": " << causes->front().message;
}

TEST_P(EveryKind, RefusesToBeAnotherKind) {
  auto document = json::parse(GetParam().document());
  document.at("kind") = "Widget";

  EXPECT_FALSE(GetParam().round_trip(json::serialize(document)));
}

// ---- constraints

struct Fault {
  const Kind& kind;
  const char* pointer;  // JSON pointer into the full document
  const char* value;    // what to put there; "" removes it
};

std::string field_of(std::string pointer) {
  pointer = std::regex_replace(pointer, std::regex("/([0-9]+)"), "[$1]");
  return std::regex_replace(pointer.substr(1), std::regex("/"), ".");
}

void put(json::value& document, const Fault& fault) {
  const std::string pointer = fault.pointer;
  const std::size_t slash = pointer.rfind('/');
  const std::string last = pointer.substr(slash + 1);
  boost::system::error_code missing;
  auto* parent = document.find_pointer(pointer.substr(0, slash), missing);
  ASSERT_NE(parent, nullptr);
  if (*fault.value == '\0') {
    parent->as_object().erase(last);
  } else if (parent->is_array()) {
    parent->as_array()[std::stoul(last)] = json::parse(fault.value);
  } else {
    parent->as_object()[last] = json::parse(fault.value);
  }
}

class Constraint : public ::testing::TestWithParam<Fault> {};

TEST_P(Constraint, RefusesWhatBreaksIt) {
  auto document = json::parse(GetParam().kind.document());
  put(document, GetParam());

  const auto causes = GetParam().kind.check(document);

  ASSERT_TRUE(causes) << causes.error().describe();
  EXPECT_THAT(*causes, ::testing::Contains(::testing::Field(&Cause::field, field_of(GetParam().pointer))));
}

const std::string kLong64(64, 'a');
const std::string kLong257(257, 'a');
const std::string kLong513(513, 'a');
const std::string kQuoted64 = '"' + kLong64 + '"';
const std::string kQuoted257 = '"' + kLong257 + '"';
const std::string kQuoted513 = '"' + kLong513 + '"';

std::string many(int count, const char* item) {
  std::string list = "[";
  for (int i = 0; i < count; ++i)
    list += (i == 0 ? "" : ",") + std::regex_replace(item, std::regex("#"), std::to_string(i));
  return list + "]";
}
const std::string kGates33 = many(33, R"({"conditionType":"G#"})");
const std::string kTaints65 = many(65, R"({"key":"k#","effect":"NoSchedule","propagation":"Always"})");
const std::string kAddresses257 = many(257, R"({"type":"InternalIP","address":"#"})");
const std::string kConditions33 = many(
    33,
    R"({"type":"C#","status":"True","lastTransitionTime":"2026-01-01T12:00:00Z","reason":"R","message":""})");
const std::string kCidrs101 = many(101, "\"10.#.0.0/16\"");
const std::string kVersions33 = many(33, R"({"version":"v1.#.0"})");
const std::string kVersions101 = many(101, R"({"version":"v1.#.0"})");
const std::string kRules33 = many(33, R"({"selector":{"matchLabels":{"a":"#"}}})");
const std::string kDomains101 = many(101, R"({"name":"d#"})");
const std::string kChecks101 = many(101, R"({"type":"T#","status":"True","timeoutSeconds":1})");

INSTANTIATE_TEST_SUITE_P(
    OfCluster, Constraint,
    ::testing::Values(Fault{kCluster, "/spec/availabilityGates", kGates33.c_str()},
                      Fault{kCluster, "/spec/availabilityGates/0/conditionType", "\"no blanks\""},
                      Fault{kCluster, "/spec/availabilityGates/0/polarity", "\"Sideways\""},
                      Fault{kCluster, "/spec/clusterNetwork/apiServerPort", "0"},
                      Fault{kCluster, "/spec/clusterNetwork/apiServerPort", "65536"},
                      Fault{kCluster, "/spec/clusterNetwork/pods/cidrBlocks", "[]"},
                      Fault{kCluster, "/spec/clusterNetwork/pods/cidrBlocks", kCidrs101.c_str()},
                      Fault{kCluster, "/spec/clusterNetwork/services/cidrBlocks", ""},
                      Fault{kCluster, "/spec/controlPlaneEndpoint/port", "0"},
                      Fault{kCluster, "/spec/controlPlaneEndpoint/host", kQuoted513.c_str()},
                      Fault{kCluster, "/spec/controlPlaneRef/kind", "\"1st\""},
                      Fault{kCluster, "/spec/infrastructureRef/apiGroup", "\"Upper.Case\""},
                      Fault{kCluster, "/spec/infrastructureRef/name", ""},
                      Fault{kCluster, "/status/phase", "\"Running\""},
                      Fault{kCluster, "/status/controlPlane/versions", kVersions33.c_str()},
                      Fault{kCluster, "/status/controlPlane/versions/0/replicas", "0"},
                      Fault{kCluster, "/status/workers/upgradePlan/0/version", kQuoted257.c_str()},
                      Fault{kCluster, "/status/failureDomains", kDomains101.c_str()},
                      Fault{kCluster, "/status/failureDomains/0/name", ""},
                      Fault{kCluster, "/status/conditions", kConditions33.c_str()}));

INSTANTIATE_TEST_SUITE_P(
    OfMachine, Constraint,
    ::testing::Values(Fault{kMachine, "/spec/clusterName", ""},                                 //
                      Fault{kMachine, "/spec/clusterName", kQuoted64.c_str()},                  //
                      Fault{kMachine, "/spec/version", kQuoted257.c_str()},                     //
                      Fault{kMachine, "/spec/providerID", kQuoted513.c_str()},                  //
                      Fault{kMachine, "/spec/failureDomain", kQuoted257.c_str()},               //
                      Fault{kMachine, "/spec/minReadySeconds", "-1"},                           //
                      Fault{kMachine, "/spec/readinessGates", kGates33.c_str()},                //
                      Fault{kMachine, "/spec/deletion/nodeDrainTimeoutSeconds", "-1"},          //
                      Fault{kMachine, "/spec/deletion/nodeVolumeDetachTimeoutSeconds", "-1"},   //
                      Fault{kMachine, "/spec/deletion/nodeDeletionTimeoutSeconds", "-1"},       //
                      Fault{kMachine, "/spec/taints", kTaints65.c_str()},                       //
                      Fault{kMachine, "/spec/taints/0/key", "\"-\""},                           //
                      Fault{kMachine, "/spec/taints/0/value", kQuoted64.c_str()},               //
                      Fault{kMachine, "/spec/taints/0/effect", "\"Sometimes\""},                //
                      Fault{kMachine, "/spec/taints/0/propagation", ""},                        //
                      Fault{kMachine, "/spec/bootstrap/configRef/name", "\"UPPER\""},           //
                      Fault{kMachine, "/spec/bootstrap/dataSecretName", kQuoted257.c_str()},    //
                      Fault{kMachine, "/status/addresses", kAddresses257.c_str()},              //
                      Fault{kMachine, "/status/addresses/0/type", "\"Postal\""},                //
                      Fault{kMachine, "/status/nodeRef/name", "\"\""},                          //
                      Fault{kMachine, "/status/phase", "\"Crashed\""},                          //
                      Fault{kMachine, "/status/conditions/0/reason", "\"\""},                   //
                      Fault{kMachine, "/status/conditions/0/reason", "\"no blanks\""},          //
                      Fault{kMachine, "/status/conditions/0/status", "\"Maybe\""},              //
                      Fault{kMachine, "/status/deprecated/v1beta1/conditions/0/type", "\"\""},  //
                      Fault{kMachine, "/status/deprecated/v1beta1/conditions/0/severity",
                            kQuoted64.c_str()}));

INSTANTIATE_TEST_SUITE_P(
    OfSetsAndDeployments, Constraint,
    ::testing::Values(Fault{kMachineSet, "/spec/clusterName", ""},                             //
                      Fault{kMachineSet, "/spec/template/spec/clusterName", ""},               //
                      Fault{kMachineSet, "/spec/machineNaming/template", kQuoted257.c_str()},  //
                      Fault{kMachineSet, "/spec/deletion/order", "\"Alphabetical\""},          //
                      Fault{kMachineSet, "/status/versions", kVersions101.c_str()},            //
                      Fault{kMachineSet, "/status/versions/0/replicas", "0"},                  //
                      Fault{kDeployment, "/spec/rollout/strategy/type", "\"Recreate\""},       //
                      Fault{kDeployment, "/spec/deletion/order", "\"Alphabetical\""},          //
                      Fault{kDeployment, "/status/phase", "\"Pending\""},                      //
                      Fault{kPool, "/status/phase", "\"Updating\""},                           //
                      Fault{kPool, "/spec/failureDomains/0", kQuoted257.c_str()},              //
                      Fault{kPool, "/spec/providerIDList/0", kQuoted513.c_str()}));

INSTANTIATE_TEST_SUITE_P(
    OfHealthChecksAndDrainRules, Constraint,
    ::testing::Values(
        Fault{kHealthCheck, "/spec/checks/nodeStartupTimeoutSeconds", "-1"},                    //
        Fault{kHealthCheck, "/spec/checks/unhealthyNodeConditions", kChecks101.c_str()},        //
        Fault{kHealthCheck, "/spec/checks/unhealthyNodeConditions/0/status", "\"\""},           //
        Fault{kHealthCheck, "/spec/checks/unhealthyMachineConditions/0/status", "\"Maybe\""},   //
        Fault{kHealthCheck, "/spec/checks/unhealthyMachineConditions/0/timeoutSeconds", "-1"},  //
        Fault{kHealthCheck, "/spec/remediation/triggerIf/unhealthyInRange", "\"3-5\""},         //
        Fault{kHealthCheck, "/spec/remediation/templateRef/apiVersion", "\"v1\""},              //
        Fault{kHealthCheck, "/status/expectedMachines", "-1"},                                  //
        Fault{kHealthCheck, "/status/targets/0", kQuoted257.c_str()},                           //
        Fault{kDrainRule, "/spec/drain/behavior", "\"Ignore\""},                                //
        Fault{kDrainRule, "/spec/drain/behavior", ""},                                          //
        Fault{kDrainRule, "/spec/machines", kRules33.c_str()},                                  //
        Fault{kDrainRule, "/spec/pods", kRules33.c_str()}));

// ---- what must not be written

TEST(Encoding, LeavesOutEmptyObjectsBecauseTheSchemaRefusesThem) {
  Machine machine;
  machine.spec.cluster_name = "c1"_text;

  const auto document = to_json(machine);

  EXPECT_FALSE(document.as_object().contains("status"));
  EXPECT_FALSE(document.at("spec").as_object().contains("deletion"));
  EXPECT_FALSE(document.at("spec").as_object().contains("taints"));
}

TEST(Encoding, LeavesOutNodeInfoThatIsNotKnown) {
  Machine machine;
  machine.status.phase = "Pending"_text;

  EXPECT_EQ(to_json(machine).at("status"), json::parse(R"({"phase":"Pending"})"));
}

TEST(RoundTrip, KeepsOfMetadataWhatNobodyReads) {
  constexpr std::string_view kText = R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{
      "name":"m","generateName":"m-","deletionGracePeriodSeconds":0},"spec":{}})";

  const auto machine = decode<Machine>(kText);

  ASSERT_TRUE(machine);
  EXPECT_EQ(to_json(*machine).at("metadata"), json::parse(kText).at("metadata"));
}

// There are ten thousand of them: what is added here is paid for each. glibc's blocks grow by 16 bytes.
TEST(Machine, FitsIntoABlockOf448Bytes) {
  constexpr std::size_t kCounts = 16;  // of std::make_shared
  constexpr std::size_t kGlibc = 8;    // before each block

  EXPECT_LE(sizeof(ObjectMeta), 104U);
  EXPECT_LE(sizeof(Machine) + kCounts + kGlibc, 448U);
}

TEST(Encoding, KeepsAnEmptyBootstrapAndTheEmptySecretNameOfPoolMachines) {
  Machine machine;
  machine.spec.bootstrap.data_secret_name = Text();

  EXPECT_EQ(to_json(machine).at("spec").at("bootstrap"), json::parse(R"({"dataSecretName":""})"));
  EXPECT_EQ(to_json(Machine{}).at("spec").at("bootstrap"), json::parse("{}"));
}

TEST(Encoding, WritesZeroCountersOfSetsAndDeploymentsButNotOfPools) {
  EXPECT_EQ(to_json(V1Beta1MachineSetStatus{}),
            json::parse(R"({"fullyLabeledReplicas":0,"readyReplicas":0,"availableReplicas":0})"));
  EXPECT_EQ(to_json(V1Beta1MachinePoolStatus{}), json::parse("{}"));
}

TEST(Encoding, TellsZeroReplicasFromNoneGiven) {
  MachineSet set;
  EXPECT_FALSE(to_json(set).at("spec").as_object().contains("replicas"));

  set.spec.replicas = 0;
  EXPECT_EQ(to_json(set).at("spec").at("replicas"), 0);
}

}  // namespace
}  // namespace capstan::api
