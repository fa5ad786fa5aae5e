#include "webhooks/admission_kinds.h"

#include "webhooks/review_fixture.h"

namespace capstan::webhooks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

json::value a_cluster() {
  return json::parse(R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster",
    "metadata":{"name":"c1","namespace":"default"},
    "spec":{"infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DockerCluster","name":"c1"}}})");
}
json::value a_machine() {
  return json::parse(R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine",
    "metadata":{"name":"m1","namespace":"default"},
    "spec":{"clusterName":"c1","version":"v1.36.0","bootstrap":{"dataSecretName":"d"},
      "infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DockerMachine","name":"m1"}}})");
}
json::value a_deployment() {
  return json::parse(R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDeployment",
    "metadata":{"name":"md1","namespace":"default"},
    "spec":{"clusterName":"c1","template":{"spec":{"clusterName":"c1","bootstrap":{"dataSecretName":"d"},
      "infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DockerMachineTemplate","name":"t"}}}}})");
}
json::value a_pool() {
  auto pool = a_deployment();
  pool.at("kind") = "MachinePool";
  pool.at("metadata").as_object()["name"] = "mp1";
  return pool;
}
json::value a_policy() {
  return json::parse(R"({"apiVersion":"policy.capstan.dev/v1alpha1","kind":"MachineLifecyclePolicy",
    "metadata":{"name":"p1","namespace":"default"},"spec":{"selector":{"matchLabels":{"a":"b"}}}})");
}
json::value with(json::value object, std::string_view pointer, json::value value) {
  const json::array add{json::object{{"op", "add"}, {"path", pointer}, {"value", std::move(value)}}};
  return patched(std::move(object), json::serialize(add));
}
json::value stored(const json::value& object, std::string_view kind) {
  return patched(object, ask(mutating(kind), {.object = object}).patch);
}

TEST(AdmissionPaths, AreUpstreamsForItsKindsAndTheSamePatternForOurs) {
  std::vector<std::string> paths;
  for (const auto& hook : admission_hooks()) paths.push_back(hook.path);

  EXPECT_THAT(
      paths, UnorderedElementsAre(
                 mutating("cluster"), mutating("machine"), mutating("machineset"),
                 mutating("machinedeployment"), mutating("machinepool"), mutating("machinehealthcheck"),
                 validating("cluster"), validating("machine"), validating("machineset"),
                 validating("machinedeployment"), validating("machinepool"), validating("machinehealthcheck"),
                 validating("machinedrainrule"), "/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddress",
                 "/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddressclaim",
                 "/validate-policy-capstan-dev-v1alpha1-machinelifecyclepolicy",
                 "/validate-policy-capstan-dev-v1alpha1-fleetpolicy",
                 "/validate-infrastructure-cluster-x-k8s-io-v1beta2-drivercluster",
                 "/validate-infrastructure-cluster-x-k8s-io-v1beta2-drivermachine",
                 "/validate-infrastructure-cluster-x-k8s-io-v1beta2-drivermachinetemplate",
                 "/validate-infrastructure-cluster-x-k8s-io-v1beta2-drivermachinepool",
                 "/validate-bootstrap-cluster-x-k8s-io-v1beta2-cloudconfig",
                 "/validate-bootstrap-cluster-x-k8s-io-v1beta2-cloudconfigtemplate",
                 "/validate-bootstrap-cluster-x-k8s-io-v1beta2-nodeconfig"));
}

// ---- defaulting

TEST(Defaulting, PatchesWhatDefaultsChangedAndNothingElse) {
  auto machine = a_machine();
  machine.at("spec").as_object()["version"] = "1.36.0";
  machine.at("spec").as_object()["fromTheFuture"] = {{"kept", 2.5}};

  const auto answered = ask(mutating("machine"), {.object = machine});

  EXPECT_TRUE(answered.allowed);
  EXPECT_EQ(json::parse(answered.patch), json::parse(R"([
              {"op":"add","path":"/metadata/labels","value":{"cluster.x-k8s.io/cluster-name":"c1"}},
              {"op":"replace","path":"/spec/version","value":"v1.36.0"},
              {"op":"add","path":"/spec/deletion","value":{"nodeDeletionTimeoutSeconds":10}}])"));
}

TEST(Defaulting, HasNoPatchForAnObjectThatHasItsDefaults) {
  for (const std::string kind : {"machine", "machinedeployment", "machinepool", "cluster"}) {
    const auto object = kind == "machine"             ? a_machine()
                        : kind == "machinedeployment" ? a_deployment()
                        : kind == "machinepool"       ? a_pool()
                                                      : a_cluster();
    const auto complete = stored(object, kind);

    const auto answered =
        ask(mutating(kind), {.operation = operation::kUpdate, .object = complete, .old_object = complete});

    EXPECT_TRUE(answered.allowed) << kind;
    EXPECT_EQ(answered.patch, "") << kind;
  }
}

TEST(Defaulting, KeepsTheStoredReplicasOfAnUpdateThatLeavesThemOut) {
  for (const std::string kind : {"machinedeployment", "machinepool"}) {
    const auto object = kind == "machinepool" ? a_pool() : a_deployment();
    const auto before = with(stored(object, kind), "/spec/replicas", 7);
    auto now = before;
    now.at("spec").as_object().erase("replicas");

    const auto answered =
        ask(mutating(kind), {.operation = operation::kUpdate, .object = now, .old_object = before});

    EXPECT_EQ(answered.patch, R"([{"op":"add","path":"/spec/replicas","value":7}])") << kind;
  }
}

TEST(Defaulting, RefusesWith403WhatItCanNotReckon) {
  auto deployment = with(a_deployment(), "/metadata/annotations",
                         {{"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size", "x"},
                          {"cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size", "5"}});

  const auto answered = ask(mutating("machinedeployment"), {.object = deployment});

  EXPECT_FALSE(answered.allowed);
  EXPECT_EQ(answered.code, 403);
  EXPECT_EQ(answered.reason, "Forbidden");
  EXPECT_EQ(answered.message,
            "failed to caculate MachineDeployment replicas value: could not parse the value of the "
            "\"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size\" annotation: strconv.ParseInt: "
            "parsing \"x\": invalid syntax");
}

// ---- validation

TEST(Validation, RefusesWith422AndNamesTheField) {
  const auto answered = ask(validating("machine"), {.object = with(a_machine(), "/spec/version", "v1.x")});

  EXPECT_FALSE(answered.allowed);
  EXPECT_EQ(answered.code, 422);
  EXPECT_EQ(answered.reason, "Invalid");
  EXPECT_EQ(
      answered.message,
      "Machine.cluster.x-k8s.io \"m1\" is invalid: spec.version: Invalid value: \"v1.x\": must be a valid "
      "semantic version");
  EXPECT_THAT(answered.causes,
              ElementsAre("spec.version: Invalid value: \"v1.x\": must be a valid semantic version"));
}

TEST(Validation, AcceptsWhatIsRight) {
  EXPECT_TRUE(ask(validating("machine"), {.object = a_machine()}).allowed);
  EXPECT_TRUE(ask(validating("cluster"), {.object = a_cluster()}).allowed);
  EXPECT_TRUE(
      ask(validating("machinedeployment"), {.object = stored(a_deployment(), "machinedeployment")}).allowed);
}

TEST(Validation, ComparesAnUpdateWithWhatIsStored) {
  auto bare = a_cluster();
  bare.at("spec").as_object().erase("infrastructureRef");

  const auto moved = ask(validating("machine"), {.operation = operation::kUpdate,
                                                 .object = with(a_machine(), "/spec/clusterName", "c2"),
                                                 .old_object = a_machine()});
  const auto removed = ask(validating("cluster"),
                           {.operation = operation::kUpdate, .object = bare, .old_object = a_cluster()});

  EXPECT_THAT(moved.causes, ElementsAre("spec.clusterName: Forbidden: field is immutable"));
  EXPECT_THAT(removed.causes,
              ElementsAre("spec.infrastructureRef: Forbidden: cannot be removed",
                          "spec: Forbidden: one of spec.controlPlaneRef, spec.infrastructureRef or "
                          "spec.topology must be set"));
}

TEST(Validation, AsksTheGates) {
  auto machine = a_machine();
  machine.at("spec").as_object()["taints"] = {
      {{"key", "a.com/b"}, {"effect", "NoSchedule"}, {"propagation", "Always"}}};

  const auto off = ask(validating("machine"), {.object = machine});
  const auto on =
      ask(validating("machine"), {.object = machine}, {.gates = {.machine_taint_propagation = true}});

  EXPECT_THAT(off.causes,
              ElementsAre("spec.taints: Forbidden: taints are not allowed to be set when the feature gate "
                          "MachineTaintPropagation is disabled"));
  EXPECT_TRUE(on.allowed);
}

TEST(Validation, RefusesPoolsWith403WithoutTheirGate) {
  const AdmissionContext off{.gates = {.machine_pool = false}};
  const auto pool = stored(a_pool(), "machinepool");
  const auto labelled = with(pool, "/metadata/labels/a", "b");

  const auto made = ask(validating("machinepool"), {.object = pool}, off);
  const auto touched = ask(validating("machinepool"),
                           {.operation = operation::kUpdate, .object = labelled, .old_object = pool}, off);

  EXPECT_EQ(made.code, 403);
  EXPECT_EQ(made.message, "spec: Forbidden: can be set only if the MachinePool feature flag is enabled");
  EXPECT_TRUE(touched.allowed) << touched.message;
}

TEST(Validation, LetsAClusterWithATopologyBeTouchedButNotMadeWithoutItsGate) {
  const auto cluster =
      with(a_cluster(), "/spec/topology", {{"classRef", {{"name", "quick-start"}}}, {"version", "v1.36.0"}});
  const auto update = [&](const json::value& now) {
    return ask(validating("cluster"),
               {.operation = operation::kUpdate, .object = now, .old_object = cluster});
  };

  EXPECT_THAT(
      ask(validating("cluster"), {.object = cluster}).causes,
      ElementsAre(
          "spec.topology: Forbidden: can be set only if the ClusterTopology feature flag is enabled"));
  EXPECT_THAT(
      update(with(cluster, "/spec/topology/version", "v1.37.0")).causes,
      ElementsAre(
          "spec.topology: Forbidden: can be set only if the ClusterTopology feature flag is enabled"));
  EXPECT_TRUE(update(with(cluster, "/metadata/labels", {{"a", "b"}})).allowed);
  EXPECT_TRUE(update(with(cluster, "/spec/paused", true)).allowed);
}

TEST(Validation, LetsFinalizersComeOffWhateverTheSpec) {
  auto leaving =
      with(with(a_machine(), "/spec/version", "v1.x"), "/metadata/deletionTimestamp", "2026-01-02T12:00:00Z");
  const auto before = with(leaving, "/metadata/finalizers", {"machine.cluster.x-k8s.io"});

  EXPECT_TRUE(
      ask(validating("machine"), {.operation = operation::kUpdate, .object = leaving, .old_object = before})
          .allowed);
  EXPECT_EQ(
      ask(mutating("machine"), {.operation = operation::kUpdate, .object = leaving, .old_object = before})
          .patch,
      "");
  EXPECT_FALSE(ask(validating("machine"), {.operation = operation::kUpdate,
                                           .object = with(leaving, "/spec/version", "v1.y"),
                                           .old_object = before})
                   .allowed);
}

TEST(EveryHook, LetsDeletionsPassWithoutAPatch) {
  for (const auto& hook : admission_hooks()) {
    const auto answered =
        ask(hook.path, {.operation = operation::kDelete, .old_object = {{"spec", "anything"}}});

    EXPECT_TRUE(answered.allowed) << hook.path;
    EXPECT_EQ(answered.patch, "") << hook.path;
  }
}

// ---- our own kinds

constexpr std::string_view kInfrastructure = "/validate-infrastructure-cluster-x-k8s-io-v1beta2-";
constexpr std::string_view kBootstrap = "/validate-bootstrap-cluster-x-k8s-io-v1beta2-";
constexpr std::string_view kPolicy = "/validate-policy-capstan-dev-v1alpha1-machinelifecyclepolicy";
constexpr std::string_view kFleetPolicy = "/validate-policy-capstan-dev-v1alpha1-fleetpolicy";

struct OwnKind {
  std::string path;
  std::string now;
  std::string before;
  std::string says;  // empty: allowed
};

class OwnKinds : public ::testing::TestWithParam<OwnKind> {};

TEST_P(OwnKinds, AreRefusedWithTheField) {
  const auto& [path, now, before, says] = GetParam();
  const bool update = !before.empty();

  const auto answered = ask(path, {.operation = update ? operation::kUpdate : operation::kCreate,
                                   .object = json::parse(now),
                                   .old_object = update ? json::parse(before) : json::value()});

  if (says.empty()) {
    EXPECT_TRUE(answered.allowed) << answered.message;
  } else {
    EXPECT_THAT(answered.causes, ElementsAre(says));
  }
}

std::string driver(std::string_view kind) { return std::string(kInfrastructure) + std::string(kind); }
std::string config(std::string_view kind) { return std::string(kBootstrap) + std::string(kind); }

INSTANTIATE_TEST_SUITE_P(
    Table, OwnKinds,
    ::testing::Values(
        OwnKind{driver("drivercluster"), R"({"spec":{"controlPlaneEndpoint":{"host":"a","port":6443}}})", "",
                ""},
        OwnKind{driver("drivercluster"), R"({"spec":{"controlPlaneEndpoint":{"host":"a"}}})", "",
                "spec.controlPlaneEndpoint.port: Required value: host and port are given together, or left "
                "to the "
                "provider"},
        OwnKind{driver("drivercluster"), R"({"spec":{"controlPlaneEndpoint":{"port":6443}}})", "",
                "spec.controlPlaneEndpoint.host: Required value: host and port are given together, or left "
                "to the "
                "provider"},
        OwnKind{driver("drivercluster"),
                R"({"metadata":{"labels":{"a":"b"}},"spec":{"controlPlaneEndpoint":{"host":"a"}}})",
                R"({"spec":{"controlPlaneEndpoint":{"host":"a"}}})", ""},
        OwnKind{driver("drivermachine"), R"({"spec":{"instanceKey":"k2"}})",
                R"({"spec":{"instanceKey":"k1"}})", "spec.instanceKey: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachine"), R"({"spec":{}})", R"({"spec":{"providerID":"sim://1"}})",
                "spec.providerID: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachine"), R"({"spec":{"providerID":"sim://1"}})", R"({"spec":{}})", ""},
        OwnKind{driver("drivermachine"), R"({"spec":{"account":"b"}})", R"({"spec":{"account":"a"}})",
                "spec.account: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachine"), R"({"spec":{"account":"a"}})", R"({"spec":{}})", ""},
        OwnKind{driver("drivercluster"), R"({"spec":{}})", R"({"spec":{"clusterKey":"k"}})",
                "spec.clusterKey: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachinetemplate"), R"({"spec":{"template":{"spec":{"account":"a"}}}})", "",
                "spec.template.spec.account: Forbidden: a template names no VM"},
        OwnKind{driver("drivermachinetemplate"), R"({"spec":{"template":{"spec":{"instanceKey":"k1"}}}})", "",
                "spec.template.spec.instanceKey: Forbidden: a template names no VM"},
        OwnKind{driver("drivermachinetemplate"), R"({"spec":{"template":{"spec":{"providerID":"sim://1"}}}})",
                "", "spec.template.spec.providerID: Forbidden: a template names no VM"},
        OwnKind{driver("drivermachinetemplate"),
                R"({"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"class":"m5"}}}})", "", ""},
        OwnKind{driver("drivermachinepool"), R"({"spec":{"groupKey":"g2"}})", R"({"spec":{"groupKey":"g1"}})",
                "spec.groupKey: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachinepool"), R"({"spec":{}})", R"({"spec":{"account":"a"}})",
                "spec.account: Forbidden: can't be changed once set"},
        OwnKind{driver("drivermachinepool"), R"({"spec":{"withMachines":true}})", R"({"spec":{}})",
                "spec.withMachines: Forbidden: can't be changed: make another pool and move the work there"},
        OwnKind{
            driver("drivermachinepool"), R"({"metadata":{"annotations":{"capstan.dev/autoscaled-to":"-1"}}})",
            "",
            "metadata.annotations.capstan.dev/autoscaled-to: Invalid value: \"-1\": must be a number between "
            "0 and 10000"},
        OwnKind{driver("drivermachinepool"),
                R"({"metadata":{"annotations":{"capstan.dev/autoscaled-to":"12"}}})", "", ""},
        OwnKind{config("cloudconfig"), R"({"spec":{"files":[{"path":"/a"},{"path":"/b"},{"path":"/a"}]}})",
                "", "spec.files[2].path: Duplicate value: \"/a\""},
        OwnKind{config("cloudconfig"), R"({"spec":{"files":[{"path":"/etc/capstan/machine.json"}]}})", "",
                "spec.files[0].path: Forbidden: /etc/capstan/machine.json is written by the provider"},
        OwnKind{config("cloudconfig"), R"({"spec":{"files":[{"path":"/a"},{"path":"/b"}]}})", "", ""},
        OwnKind{config("cloudconfig"), R"({"spec":{"format":"ignition","files":[{"path":"/etc/hostname"}]}})",
                "", "spec.files[0].path: Forbidden: /etc/hostname is written by the provider"},
        OwnKind{config("cloudconfig"),
                R"({"spec":{"join":{},"files":[{"path":"/etc/kubernetes/pki/ca.crt"}]}})", "",
                "spec.files[0].path: Forbidden: /etc/kubernetes/pki/ca.crt is written by the provider"},
        OwnKind{config("cloudconfig"),
                R"({"spec":{"join":{"bootstrapKubeconfigPath":"/etc/capstan/machine.json"}}})", "",
                "spec.join.bootstrapKubeconfigPath: Duplicate value: \"/etc/capstan/machine.json\""},
        OwnKind{config("cloudconfig"), R"({"spec":{"join":{},"files":[{"path":"/etc/hostname"}]}})", "", ""},
        OwnKind{config("cloudconfigtemplate"),
                R"({"spec":{"template":{"spec":{"files":[{"path":"/a"},{"path":"/a"}]}}}})", "",
                "spec.template.spec.files[1].path: Duplicate value: \"/a\""},
        OwnKind{config("cloudconfig"), R"({"spec":{"nodeConfigRef":{"name":"workers"}}})", "",
                "spec.join: Required value: nodeConfigRef is for machines that join"},
        OwnKind{
            config("cloudconfig"),
            R"({"spec":{"join":{},"nodeConfigRef":{"name":"a"},"files":[{"path":"/etc/capstan/agent.json"}]}})",
            "", "spec.files[0].path: Forbidden: /etc/capstan/agent.json is written by the provider"},
        OwnKind{config("nodeconfig"), R"({"spec":{"clusterName":"c2"}})", R"({"spec":{"clusterName":"c1"}})",
                "spec.clusterName: Forbidden: field is immutable"},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","files":[{"path":"/etc/a"},{"path":"/etc/..b"}]}})", "", ""},
        OwnKind{config("nodeconfig"), R"({"spec":{"clusterName":"c1","files":[{"path":"/etc/../opt/a"}]}})",
                "", "spec.files[0].path: Invalid value: \"/etc/../opt/a\": must be without //, /./ and /../"},
        OwnKind{config("nodeconfig"), R"({"spec":{"clusterName":"c1","files":[{"path":"/etc/.."}]}})", "",
                "spec.files[0].path: Invalid value: \"/etc/..\": must be without //, /./ and /../"},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","files":[{"path":"/etc/a"},{"path":"/etc/a"}]}})", "",
                "spec.files[1].path: Duplicate value: \"/etc/a\""},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","files":[{"path":"/var/lib/capstan-agent/state.json"}]}})", "",
                "spec.files[0].path: Forbidden: /var/lib/capstan-agent/state.json belongs to capstan-agent"},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","kubelet":{"configuration":{},"configurationPath":"/etc/k"},
                    "files":[{"path":"/etc/k"}]}})",
                "", "spec.files[0].path: Duplicate value: \"/etc/k\""},
        OwnKind{
            config("nodeconfig"),
            R"({"spec":{"clusterName":"c1","files":[{"path":"/etc/kubernetes/bootstrap-kubelet.conf"}]}})",
            "", "spec.files[0].path: Duplicate value: \"/etc/kubernetes/bootstrap-kubelet.conf\""},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","units":[{"name":"a.service","content":"x"}],
                    "files":[{"path":"/etc/systemd/system/a.service"}]}})",
                "", "spec.files[0].path: Duplicate value: \"/etc/systemd/system/a.service\""},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","units":[{"name":"capstan-agent.service"}]}})", "",
                "spec.units[0].name: Forbidden: capstan-agent.service belongs to capstan-agent"},
        OwnKind{config("nodeconfig"),
                R"({"spec":{"clusterName":"c1","units":[{"name":"a.service","filePaths":["/a/./b"]}]}})", "",
                "spec.units[0].filePaths[0]: Invalid value: \"/a/./b\": must be without //, /./ and /../"},
        OwnKind{config("nodeconfig"), R"({"spec":{"clusterName":"c1","kubelet":{"unit":"kubelet"}}})", "",
                "spec.kubelet.unit: Invalid value: \"kubelet\": must be the name of a service"},
        OwnKind{std::string(kFleetPolicy), R"({"spec":{"limits":[{"max":0},{"max":"100%"}]}})", "", ""},
        OwnKind{std::string(kFleetPolicy), R"({"spec":{"limits":[{"max":1},{"max":"101%"}]}})", "",
                "spec.limits[1].max: Invalid value: \"101%\": must be a number from 0 on, or a percentage "
                "from 0% to 100%"},
        OwnKind{std::string(kPolicy), R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})", "", ""},
        OwnKind{
            std::string(kPolicy),
            R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Foo"}]}}})", "",
            "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Foo\"}]}: "
            "\"Foo\" is not a valid label selector operator"}));

class OtherPolicies : public Lookups {
 public:
  std::vector<ContestedObject> contested_by(const api::MachineLifecyclePolicy& policy) const override {
    EXPECT_EQ(policy.metadata.name, "p1");
    return {{.object = "MachineDeployment md1", .policies = {"p2", "p3"}}};
  }
  Result<std::optional<api::ContractRef>> pool_asked_by(const api::ObjectKey& /*claim*/) const override {
    return std::nullopt;
  }
};

TEST(Validation, WarnsOfAPolicyThatSelectsWhatAnotherOneSelects) {
  const OtherPolicies lookups;

  const auto answered = ask(kPolicy, {.object = a_policy()}, {.lookups = &lookups});

  EXPECT_TRUE(answered.allowed);
  EXPECT_THAT(
      answered.warnings,
      ElementsAre(
          "MachineDeployment md1 is also selected by MachineLifecyclePolicy p2, p3: no policy applies "
          "there; narrow spec.selector until each object is selected once"));
}

json::value a_fleet_policy(std::string_view name) {
  return {{"apiVersion", "policy.capstan.dev/v1alpha1"},
          {"kind", "FleetPolicy"},
          {"metadata", {{"name", name}}},
          {"spec", {{"limits", json::array{{{"max", 1}}}}}}};
}

TEST(Validation, WarnsOfAFleetPolicyThatDoesNotCount) {
  const OtherPolicies lookups;

  EXPECT_THAT(ask(kFleetPolicy, {.object = a_fleet_policy("fleet")}, {.lookups = &lookups}).warnings,
              IsEmpty());
  EXPECT_THAT(ask(kFleetPolicy, {.object = a_fleet_policy("other")}, {.lookups = &lookups}).warnings,
              ElementsAre("only the FleetPolicy that is called fleet counts: this one is ignored"));
}

// ---- addresses

constexpr std::string_view kAddresses = "/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddress";
constexpr std::string_view kClaims = "/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddressclaim";

json::value an_address() {
  return json::parse(R"({"metadata":{"name":"a1","namespace":"default"},
    "spec":{"claimRef":{"name":"c1"},"poolRef":{"apiGroup":"ipam.example.com","kind":"Pool","name":"p1"},
            "address":"10.0.0.7","prefix":24,"gateway":"10.0.0.1"}})");
}

// What stands in the server about the claim of `an_address`.
struct Claims final : OtherPolicies {
  Result<std::optional<api::ContractRef>> asked = std::nullopt;
  explicit Claims(Result<std::optional<api::ContractRef>> answer) : asked(std::move(answer)) {}
  Result<std::optional<api::ContractRef>> pool_asked_by(const api::ObjectKey& claim) const override {
    EXPECT_EQ(claim, (api::ObjectKey{.namespace_ = "default", .name = "c1"}));
    return asked;
  }
};
std::optional<api::ContractRef> pool(std::string_view name) {
  return api::ContractRef{
      .api_group = Text("ipam.example.com"), .kind = Text("Pool"), .name = Text(std::string(name))};
}

TEST(Addresses, AreRefusedWith403WhereTheyAreNone) {
  const auto odd = with(with(an_address(), "/spec/address", "10.0.0.x"), "/spec/gateway", "::g");

  const auto answered = ask(kAddresses, {.object = odd});

  EXPECT_EQ(answered.code, 403);
  EXPECT_EQ(answered.reason, "Forbidden");
  EXPECT_EQ(answered.message,
            "[spec.address: Invalid value: \"10.0.0.x\": not a valid IP address, "
            "spec.gateway: Invalid value: \"::g\": not a valid IP address]");
}

TEST(Addresses, HaveAPrefixThatTheirFamilyKnows) {
  const auto says = [](const char* address, int prefix) {
    return ask(kAddresses,
               {.object = with(with(an_address(), "/spec/address", address), "/spec/prefix", prefix)})
        .message;
  };

  EXPECT_EQ(says("10.0.0.7", 33), "spec.prefix: Invalid value: 33: prefix is too large for an IPv4 address");
  EXPECT_EQ(says("fd00::7", 129), "spec.prefix: Invalid value: 129: prefix is too large for an IPv6 address");
  EXPECT_EQ(says("fd00::7", 128), "");
  EXPECT_EQ(says("fe80::1%eth0", 64), "");
}

TEST(Addresses, ComeFromThePoolThatTheirClaimAsks) {
  const auto says = [](const Claims& claims) {
    return ask(kAddresses, {.object = an_address()}, {.lookups = &claims}).message;
  };

  EXPECT_EQ(says(Claims(pool("p1"))), "");
  EXPECT_EQ(says(Claims(std::nullopt)), "") << "there is no such claim, or not yet";
  EXPECT_THAT(says(Claims(pool("p2"))), HasSubstr("spec.poolRef: Invalid value: {"));
  EXPECT_THAT(says(Claims(fail(Code::Unavailable, "down"))),
              HasSubstr("spec.claimRef: Internal error: read the claim: "));
}

TEST(Addresses, AndTheirClaimsStayAsTheyAre) {
  const auto claim = json::parse(
      R"({"spec":{"clusterName":"c1","poolRef":{"apiGroup":"ipam.example.com","kind":"Pool","name":"p1"}}})");
  const auto changed = [](std::string_view path, const json::value& now, const json::value& before) {
    return ask(path, {.operation = operation::kUpdate, .object = now, .old_object = before}).message;
  };

  EXPECT_EQ(changed(kAddresses, with(an_address(), "/spec/prefix", 25), an_address()),
            "spec: Forbidden: IPAddress spec is immutable");
  EXPECT_EQ(changed(kClaims, with(claim, "/spec/poolRef/name", "p2"), claim),
            "spec: Forbidden: IPAddressClaim spec is immutable");
  EXPECT_EQ(changed(kAddresses, with(an_address(), "/metadata/labels", {{"a", "b"}}), an_address()), "");
  EXPECT_EQ(ask(kClaims, {.object = claim}).message, "");
}

}  // namespace
}  // namespace capstan::webhooks
