// The rules of all kinds: what the webhooks of Cluster API add and refuse, with their words.
#include <gmock/gmock.h>

#include "api/v1beta2/cluster_rules.h"
#include "api/v1beta2/machine_deployment_rules.h"
#include "api/v1beta2/machine_drain_rule_rules.h"
#include "api/v1beta2/machine_health_check_rules.h"
#include "api/v1beta2/machine_pool_rules.h"
#include "api/v1beta2/machine_rules.h"
#include "api/v1beta2/machine_set_rules.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::api {
namespace {

using builders::a_cluster;
using builders::a_machine;
using builders::a_machine_deployment;
using builders::a_machine_set;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Gates kTaintsAllowed = {.machine_taint_propagation = true};

std::vector<std::string> words(const Causes& causes) {
  std::vector<std::string> lines;
  for (const auto& cause : causes) lines.push_back(cause.field + ": " + cause.message);
  return lines;
}

template <typename T>
std::vector<std::string> complaints(const T& now, const T* before = nullptr, const Gates& gates = {}) {
  return words(validate(now, before, gates));
}

template <typename T>
T defaulted(T object, const T* before = nullptr) {
  EXPECT_TRUE(apply_defaults(object, before));
  return object;
}

MachineTaint taint_of(std::string_view key) {
  return {.key = Text(key), .effect = "NoSchedule"_text, .propagation = "Always"_text};
}

// ---- defaults

TEST(Defaults, LabelEveryObjectWithItsCluster) {
  auto machine = a_machine().labelled(label::kClusterName, "other").build();

  EXPECT_EQ(defaulted(machine).metadata.labels.value_or_empty(label::kClusterName), "c1");
}

TEST(Defaults, GiveMachinesTenSecondsToDeleteTheirNode) {
  EXPECT_EQ(defaulted(a_machine().build()).spec.deletion.node_deletion_timeout_seconds, 10);

  auto patient = a_machine().build();
  patient.spec.deletion.node_deletion_timeout_seconds = 0;
  EXPECT_EQ(defaulted(patient).spec.deletion.node_deletion_timeout_seconds, 0);
}

TEST(Defaults, PutAVBeforeTheVersion) {
  EXPECT_EQ(defaulted(a_machine().version("1.36.3").build()).spec.version, "v1.36.3");
  EXPECT_EQ(defaulted(a_machine().version("v1.36.3").build()).spec.version, "v1.36.3");
  EXPECT_EQ(defaulted(a_machine().build()).spec.version, "");
}

TEST(Defaults, SelectBySetNameWhenASetSelectsNothing) {
  auto set = a_machine_set("ms1").build();
  set.spec.selector = {};
  set.spec.machine_template.metadata = {};

  set = defaulted(set);

  EXPECT_EQ(set.spec.selector.match_labels, (TextMap{{label::kSetName, "ms1"}}));
  EXPECT_EQ(set.spec.machine_template.metadata.labels, (TextMap{{label::kSetName, "ms1"}}));
}

TEST(Defaults, HashASetNameThatIsNoLabelValue) {
  auto set = a_machine_set(std::string(70, 's')).build();
  set.spec.selector = {};

  EXPECT_EQ(defaulted(set).spec.selector.match_labels.value_or_empty(label::kSetName), "hash_hY_ydw_z");
}

TEST(Defaults, LeaveAnExpressionAloneAsSelector) {
  auto set = a_machine_set().build();
  set.spec.selector = {.match_expressions = {{.key = "a"_text, .operator_ = "Exists"_text}}};

  EXPECT_TRUE(defaulted(set).spec.selector.match_labels.empty());
}

TEST(Defaults, RollDeploymentsWithSurgeOneAndNothingUnavailable) {
  auto deployment = a_machine_deployment().build();
  deployment.spec.rollout = {};

  const auto strategy = defaulted(deployment).spec.rollout.strategy;

  ASSERT_TRUE(strategy);
  EXPECT_EQ(strategy->type, "RollingUpdate");
  EXPECT_EQ(strategy->rolling_update.max_surge, IntOrString(1));
  EXPECT_EQ(strategy->rolling_update.max_unavailable, IntOrString(0));
}

TEST(Defaults, GiveOnDeleteNoLimits) {
  const auto strategy = defaulted(a_machine_deployment().on_delete().build()).spec.rollout.strategy;

  EXPECT_FALSE(strategy->rolling_update.max_surge);
}

TEST(Defaults, AlwaysSelectByClusterInDeployments) {
  auto deployment = a_machine_deployment("md1").build();
  deployment.spec.selector.match_labels = TextMap{{"a", "b"}};
  deployment.spec.machine_template.metadata.labels = TextMap{{"a", "b"}};

  deployment = defaulted(deployment);

  EXPECT_EQ(deployment.spec.selector.match_labels, (TextMap{{"a", "b"}, {label::kClusterName, "c1"}}));
  EXPECT_EQ(deployment.spec.machine_template.metadata.labels,
            (TextMap{{"a", "b"}, {label::kClusterName, "c1"}}));
}

TEST(Defaults, GiveHealthChecksTenMinutesForANodeToAppear) {
  MachineHealthCheck check;
  check.spec.cluster_name = "c1"_text;

  EXPECT_EQ(defaulted(check).spec.checks.node_startup_timeout_seconds, 600);
}

struct Replicas {
  const char* story;
  std::optional<std::int32_t> given;
  bool update;
  std::optional<std::int32_t> before;
  bool annotated;  // min 2, max 5
  std::int32_t result;
};

class DefaultReplicas : public ::testing::TestWithParam<Replicas> {};

TEST_P(DefaultReplicas, FollowTheAutoscalersLimits) {
  const auto& [story, given, update, before, annotated, result] = GetParam();
  auto builder = a_machine_deployment();
  if (annotated)
    builder.annotated(annotation::kAutoscalerMinSize, "2").annotated(annotation::kAutoscalerMaxSize, "5");
  auto now = builder.build();
  auto stored = now;
  now.spec.replicas = given;
  stored.spec.replicas = before;

  EXPECT_EQ(defaulted(now, update ? &stored : nullptr).spec.replicas, result) << story;
}

INSTANTIATE_TEST_SUITE_P(Table, DefaultReplicas,
                         ::testing::Values(Replicas{"given", 9, true, 3, true, 9},                         //
                                           Replicas{"given as zero", 0, false, {}, true, 0},               //
                                           Replicas{"new", {}, false, {}, true, 2},                        //
                                           Replicas{"stored without", {}, true, {}, true, 2},              //
                                           Replicas{"stored below", {}, true, 1, true, 2},                 //
                                           Replicas{"stored above", {}, true, 6, true, 5},                 //
                                           Replicas{"stored between", {}, true, 3, true, 3},               //
                                           Replicas{"new without annotations", {}, false, {}, false, 1},   //
                                           Replicas{"stored without annotations", {}, true, 7, false, 7},  //
                                           Replicas{
                                               "never stored without annotations", {}, true, {}, false, 1}));

TEST(DefaultReplicas, AreOneWhenOnlyOneLimitIsGiven) {
  auto set = a_machine_set().annotated(annotation::kAutoscalerMinSize, "3").build();
  set.spec.replicas.reset();

  EXPECT_EQ(defaulted(set).spec.replicas, 1);
}

TEST(DefaultReplicas, RefuseALimitThatIsNoNumber) {
  auto set = a_machine_set()
                 .annotated(annotation::kAutoscalerMinSize, "x")
                 .annotated(annotation::kAutoscalerMaxSize, "5")
                 .build();
  set.spec.replicas.reset();

  const auto refused = apply_defaults(set, nullptr);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "failed to caculate MachineSet replicas value: could not parse the value of the "
            "\"cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size\" annotation: strconv.ParseInt: "
            "parsing \"x\": "
            "invalid syntax");
}

TEST(DefaultReplicas, RefuseALimitBeyond32Bits) {
  auto set = a_machine_set()
                 .annotated(annotation::kAutoscalerMinSize, "1")
                 .annotated(annotation::kAutoscalerMaxSize, "4294967296")
                 .build();
  set.spec.replicas.reset();

  EXPECT_THAT(apply_defaults(set, nullptr).error().message, ::testing::EndsWith("value out of range"));
}

// ---- what all kinds refuse

TEST(Rules, AcceptWhatTheBuildersBuild) {
  EXPECT_THAT(complaints(a_machine().build()), IsEmpty());
  EXPECT_THAT(complaints(a_machine_set().build()), IsEmpty());
  EXPECT_THAT(complaints(a_machine_deployment().build()), IsEmpty());
  EXPECT_THAT(complaints(a_cluster().build()), IsEmpty());
}

TEST(Rules, RefuseAnotherClusterName) {
  const auto before = a_machine().in_cluster("c0").build();

  EXPECT_THAT(complaints(a_machine().build(), &before),
              ElementsAre("spec.clusterName: Forbidden: field is immutable"));
  EXPECT_THAT(complaints(before, &before), IsEmpty());
}

TEST(Rules, RefuseATemplateForAnotherCluster) {
  auto set = a_machine_set().build();
  set.spec.machine_template.spec.cluster_name = "c2"_text;

  EXPECT_THAT(complaints(set), ElementsAre("spec.clusterName: Invalid value: \"c1\": spec.clusterName and "
                                           "spec.template.spec.clusterName must be set to the same value"));
}

TEST(Rules, RefuseAVersionThatIsNone) {
  EXPECT_THAT(complaints(a_machine().version("v1.x").build()),
              ElementsAre("spec.version: Invalid value: \"v1.x\": must be a valid semantic version"));
  EXPECT_THAT(complaints(a_machine().version("1.36.3").build()),
              ElementsAre("spec.version: Invalid value: \"1.36.3\": must start with v"));
  EXPECT_THAT(complaints(a_machine().version("vv1.36.3").build()),
              ElementsAre("spec.version: Invalid value: \"vv1.36.3\": must be a valid semantic version"));
  EXPECT_THAT(complaints(a_machine().version("v1.36.3+k3s1").build()), IsEmpty());
}

TEST(Rules, RefuseToDoWithoutBootstrapData) {
  auto machine = a_machine().build();
  machine.spec.bootstrap = {};
  auto set = a_machine_set().build();
  set.spec.machine_template.spec.bootstrap = {};

  EXPECT_THAT(complaints(machine),
              ElementsAre("spec.bootstrap: Required value: expected either "
                          "spec.bootstrap.dataSecretName or spec.bootstrap.configRef to be populated"));
  EXPECT_THAT(complaints(set), ElementsAre("spec.template.spec.bootstrap: Required value: expected either "
                                           "spec.template.spec.bootstrap.dataSecretName or "
                                           "spec.template.spec.bootstrap.configRef to be populated"));
}

TEST(Rules, LetMachinesOfAPoolDoWithoutBootstrapData) {
  auto labelled = a_machine().labelled(label::kPoolName, "mp1").build();
  labelled.spec.bootstrap = {};
  auto owned = a_machine().owned_by(builders::controller_of(kind::kMachinePool, "mp1")).build();
  owned.spec.bootstrap = {};

  EXPECT_THAT(complaints(labelled), IsEmpty());
  EXPECT_THAT(complaints(owned), IsEmpty());
}

// ---- taints

TEST(TaintRules, RefuseAnyTaintWithoutTheGate) {
  auto machine = a_machine().build();
  machine.spec.taints = {taint_of("example.com/a")};

  EXPECT_THAT(complaints(machine),
              ElementsAre("spec.taints: Forbidden: taints are not allowed to be set when the feature "
                          "gate MachineTaintPropagation is disabled"));
  EXPECT_THAT(complaints(machine, {}, kTaintsAllowed), IsEmpty());
}

class ForbiddenTaint : public ::testing::TestWithParam<const char*> {};

TEST_P(ForbiddenTaint, IsRefused) {
  auto set = a_machine_set().build();
  set.spec.machine_template.spec.taints = {taint_of(GetParam())};

  EXPECT_THAT(complaints(set, {}, kTaintsAllowed),
              Contains(::testing::StartsWith("spec.template.spec.taints[0].key: ")));
}

INSTANTIATE_TEST_SUITE_P(Keys, ForbiddenTaint,
                         ::testing::Values("node.cluster.x-k8s.io/uninitialized",
                                           "node.cluster.x-k8s.io/outdated-revision",
                                           "node.kubernetes.io/not-ready",
                                           "node.cloudprovider.kubernetes.io/uninitialized",
                                           "node-role.kubernetes.io/master",
                                           "node-role.kubernetes.io/control-plane", "no blanks"));

TEST(TaintRules, AllowOutOfService) {
  auto machine = a_machine().build();
  machine.spec.taints = {taint_of("node.kubernetes.io/out-of-service")};

  EXPECT_THAT(complaints(machine, {}, kTaintsAllowed), IsEmpty());
}

TEST(TaintRules, AllowTheControlPlaneTaintOnControlPlanes) {
  auto machine = a_machine().control_plane().build();
  machine.spec.taints = {taint_of("node-role.kubernetes.io/control-plane")};

  EXPECT_THAT(complaints(machine, {}, kTaintsAllowed), IsEmpty());
}

// ---- MachineSet and MachineDeployment

TEST(SelectorRules, RefuseATemplateThatIsNotSelected) {
  auto set = a_machine_set().build();
  set.spec.selector.match_labels = TextMap{{"a", "c"}};
  set.spec.machine_template.metadata.labels = TextMap{{"a", "b"}};
  auto deployment = a_machine_deployment().build();
  deployment.spec.selector.match_labels = TextMap{{"a", "b"}, {label::kClusterName, "c1"}};
  deployment.spec.machine_template.metadata.labels = {};

  EXPECT_THAT(complaints(set),
              ElementsAre("spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: must match "
                          "spec.selector \"a=c\""));
  EXPECT_THAT(complaints(deployment),
              ElementsAre("spec.template.metadata.labels: Forbidden: must match spec.selector "
                          "\"a=b,cluster.x-k8s.io/cluster-name=c1\""));
}

TEST(SelectorRules, RefuseAnOperatorThatIsNone) {
  auto set = a_machine_set().build();
  set.spec.selector.match_expressions = {{.key = "a"_text, .operator_ = "Foo"_text}};

  EXPECT_THAT(complaints(set), ElementsAre(::testing::StartsWith("spec.selector: Invalid value: {")));
}

TEST(PreflightRules, RefuseChecksThatDoNotExist) {
  auto set = a_machine_set().annotated(annotation::kSkipPreflightChecks, "All, Foo").build();

  EXPECT_THAT(
      complaints(set),
      ElementsAre(
          "metadata.annotations.machineset.cluster.x-k8s.io/skip-preflight-checks: Invalid value: [\"Foo\"]: "
          "skipped preflight check(s) must be among: [All ControlPlaneIsStable ControlPlaneVersionSkew "
          "KubeadmVersionSkew KubernetesVersionSkew]"));
  EXPECT_THAT(complaints(set, {}, {.machine_set_preflight_checks = false}), IsEmpty());
}

TEST(NamingRules, RequireTheRandomPartLiterally) {
  auto set = a_machine_set().build();
  set.spec.machine_naming.name_template = "a"_text;

  EXPECT_THAT(complaints(set),
              ElementsAre("spec.machineNaming.template: Invalid value: \"a\": invalid template, "
                          "{{ .random }} is missing"));
}

TEST(NamingRules, RefuseNamesThatNoObjectCanHave) {
  auto set = a_machine_set().build();
  set.spec.machine_naming.name_template = "UPPER-{{ .random }}"_text;

  EXPECT_THAT(
      complaints(set),
      ElementsAre(::testing::HasSubstr("generated names would not be valid Kubernetes object names")));
}

TEST(NamingRules, RefuseWhatTheyDoNotUnderstand) {
  auto deployment = a_machine_deployment().build();
  deployment.spec.machine_naming.name_template = "{{ .machineSet.foo }}-{{ .random }}"_text;

  EXPECT_THAT(complaints(deployment),
              ElementsAre(::testing::HasSubstr("invalid template: {{ .machineSet.foo }} is none of")));
}

TEST(NamingRules, RefuseConditionsAndFunctionsOfGosTemplates) {
  auto deployment = a_machine_deployment().build();
  deployment.spec.machine_naming.name_template = "{{ if true }}{{ .random }}{{ end }}"_text;

  EXPECT_THAT(complaints(deployment),
              ElementsAre(::testing::StartsWith("spec.machineNaming.template: Invalid value: ")));
}

TEST(NamingRules, AcceptEveryVariable) {
  auto deployment = a_machine_deployment().build();
  deployment.spec.machine_naming.name_template =
      "{{.cluster.name}}-{{ .machineSet.name }}-{{ .random }}"_text;

  EXPECT_THAT(complaints(deployment), IsEmpty());
}

TEST(TemplateRules, RefuseLabelsAndAnnotationsThatAreNone) {
  auto set = a_machine_set().template_label("bad key", "ok").template_label("ok", "bad value").build();
  set.spec.machine_template.metadata.annotations =
      TextMap{{"UPPER/is fine not", "x"}, {"UPPER.example.com/fine", "y"}};

  EXPECT_THAT(
      complaints(set),
      ElementsAre(
          ::testing::StartsWith("spec.template.metadata.labels: Invalid value: \"bad key\""),
          ::testing::StartsWith("spec.template.metadata.labels: Invalid value: \"bad value\""),
          ::testing::StartsWith("spec.template.metadata.annotations: Invalid value: \"UPPER/is fine not\"")));
}

TEST(DeploymentRules, RefuseANameThatIsNoLabelValue) {
  const auto deployment = a_machine_deployment(std::string(64, 'd')).build();

  EXPECT_THAT(complaints(deployment),
              Contains("metadata.name: Invalid value: \"" + std::string(64, 'd') +
                       "\": must be a valid label value: must be no more than 63 bytes"));
}

TEST(DeploymentRules, RefuseSurgeAndUnavailableBothZero) {
  const IntOrString none(0);
  const IntOrString no_percent("0%"_text);

  EXPECT_THAT(complaints(a_machine_deployment().rolling(none, none).build()),
              ElementsAre("spec.rollout.strategy.rollingUpdate: Invalid value: \"0\": maxUnavailable and "
                          "maxSurge cannot both "
                          "be 0"));
  EXPECT_THAT(complaints(a_machine_deployment().rolling(no_percent, no_percent).build()), IsEmpty());
}

TEST(DeploymentRules, RefuseWhatIsNeitherNumberNorPercentage) {
  EXPECT_THAT(
      complaints(a_machine_deployment().rolling(IntOrString("x"_text), IntOrString(1)).build()),
      ElementsAre(
          "spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": must be either an int or a "
          "percentage: invalid value for IntOrString: invalid type: string is not a percentage"));
  EXPECT_THAT(complaints(a_machine_deployment().rolling(IntOrString(1), IntOrString("x%"_text)).build()),
              ElementsAre(::testing::HasSubstr("invalid value \"x%\"")));
  EXPECT_THAT(complaints(a_machine_deployment().max_in_flight(IntOrString("many"_text)).build()),
              ElementsAre(::testing::StartsWith("spec.remediation.maxInFlight: ")));
}

// ---- MachinePool

MachinePool a_pool() {
  MachinePool pool;
  pool.spec.cluster_name = "c1"_text;
  pool.spec.machine_template = builders::machine_template_of("mp1");
  return pool;
}

TEST(PoolRules, AreDefaultedLikeMachines) {
  const auto pool = defaulted(a_pool());

  EXPECT_EQ(pool.spec.replicas, 1);
  EXPECT_EQ(pool.spec.machine_template.spec.deletion.node_deletion_timeout_seconds, 10);
  EXPECT_EQ(pool.metadata.labels.value_or_empty(label::kClusterName), "c1");
}

TEST(PoolRules, RefuseTaintsOfAnyKind) {
  auto pool = a_pool();
  pool.spec.machine_template.spec.taints = {taint_of("example.com/a")};

  EXPECT_THAT(complaints(pool, {}, kTaintsAllowed),
              ElementsAre("spec.taints: Forbidden: taints feature for MachinePools is not yet implemented"));
  EXPECT_EQ(complaints(pool).size(), 2U);
  EXPECT_THAT(complaints(a_pool()), IsEmpty());
}

TEST(PoolRules, LetAStoredPoolBeTouchedWithoutTheGateUnlessItsSpecChanges) {
  const auto stored = a_pool();
  auto relabelled = stored;
  relabelled.metadata.labels.set("a"_text, "b"_text);
  auto scaled = stored;
  scaled.spec.replicas = 7;

  EXPECT_THAT(complaints(relabelled, &stored, {.machine_pool = false}), IsEmpty());
  EXPECT_THAT(complaints(scaled, &stored, {.machine_pool = false}),
              ElementsAre("spec: Forbidden: can be set only if the MachinePool feature flag is enabled"));
}

TEST(PoolRules, RefusePoolsWithoutTheGate) {
  EXPECT_THAT(complaints(a_pool(), {}, {.machine_pool = false}),
              ElementsAre("spec: Forbidden: can be set only if the MachinePool feature flag is enabled"));
}

// ---- selectors and references

TEST(SelectorRules, RefuseKeysAndValuesThatNoLabelHas) {
  const auto complaint = [](LabelSelector selector) {
    MachineDrainRule rule;
    rule.spec.pods = {{.selector = std::move(selector)}};
    return complaints(rule);
  };
  const auto says = [](std::string_view what) {
    return ElementsAre(::testing::AllOf(::testing::StartsWith("spec.pods[0].selector: Invalid value: {"),
                                        ::testing::HasSubstr(what)));
  };

  EXPECT_THAT(complaint({.match_labels = {{"a b", "c"}}}), says("}: key: Invalid value: \"a b\": "));
  EXPECT_THAT(complaint({.match_labels = {{"a", "b!"}}}), says("}: values[0][a]: Invalid value: \"b!\": "));
  EXPECT_THAT(complaint({.match_expressions = {{.key = "a b"_text, .operator_ = "Exists"_text}}}),
              says("}: key: Invalid value: \"a b\": "));
  EXPECT_THAT(complaint({.match_expressions = {{.key = "a"_text,
                                                .operator_ = "NotIn"_text,
                                                .values = {"b"_text, "c!"_text}}}}),
              says("}: values[1][a]: Invalid value: \"c!\": "));
  EXPECT_THAT(complaint({.match_labels = {{"a.com/b", ""}, {"c", "d.e"}}}), IsEmpty());
}

TEST(ReferenceRules, TakeAnEmptyReferenceForNone) {
  Cluster stored = a_cluster().build();
  stored.spec.infrastructure_ref = ContractRef{.api_group = "i"_text, .kind = "K"_text, .name = "n"_text};
  stored.spec.control_plane_ref.reset();
  Cluster emptied = stored;
  emptied.spec.infrastructure_ref = ContractRef{};
  auto machine = a_machine().build();
  machine.spec.bootstrap = {.config_ref = ContractRef{}};

  EXPECT_THAT(complaints(emptied, &stored), Contains("spec.infrastructureRef: Forbidden: cannot be removed"));
  EXPECT_THAT(complaints(machine), ElementsAre(::testing::StartsWith("spec.bootstrap: Required value")));
}

// ---- MachineHealthCheck

MachineHealthCheck a_health_check() {
  MachineHealthCheck check;
  check.spec.cluster_name = "c1"_text;
  check.spec.selector.match_labels = TextMap{{"a", "b"}};
  return check;
}

TEST(HealthCheckRules, RefuseToCheckEverything) {
  auto check = a_health_check();
  check.spec.selector = {};

  EXPECT_THAT(complaints(check), ElementsAre("spec.selector: Required value: selector must not be empty"));
  EXPECT_THAT(complaints(a_health_check()), IsEmpty());
}

TEST(HealthCheckRules, RefuseMachinesOfAnotherCluster) {
  auto check = a_health_check();
  check.spec.selector.match_labels = TextMap{{label::kClusterName, "c2"}};

  EXPECT_THAT(complaints(check),
              ElementsAre(::testing::EndsWith(
                  "cannot specify a cluster selector other than the one specified by ClusterName")));
}

TEST(HealthCheckRules, RefuseToGiveUpOnNodesTooEarly) {
  auto check = a_health_check();

  check.spec.checks.node_startup_timeout_seconds = 10;
  EXPECT_THAT(complaints(check),
              ElementsAre("spec.checks.nodeStartupTimeoutSeconds: Invalid value: 10: must be at least 30s"));

  check.spec.checks.node_startup_timeout_seconds = 0;
  EXPECT_THAT(complaints(check), IsEmpty());
}

TEST(HealthCheckRules, RefuseALimitThatIsNeitherNumberNorPercentage) {
  auto check = a_health_check();
  check.spec.remediation.trigger_if.unhealthy_less_than_or_equal_to = IntOrString("half"_text);

  EXPECT_THAT(complaints(check),
              ElementsAre(::testing::StartsWith("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: ")));
}

// ---- MachineDrainRule

TEST(DrainRuleRules, AllowAnOrderOnlyForDrain) {
  MachineDrainRule rule;
  rule.spec.drain = {.behavior = "Skip"_text, .order = 1};

  EXPECT_THAT(complaints(rule),
              ElementsAre("spec.drain.order: Invalid value: 1: order must not be set if drain behavior is "
                          "\"Skip\" or \"WaitCompleted\""));

  rule.spec.drain.behavior = "Drain"_text;
  EXPECT_THAT(complaints(rule), IsEmpty());
}

TEST(DrainRuleRules, RefuseSelectorsTheyDoNotUnderstand) {
  MachineDrainRule rule;
  rule.spec.drain.behavior = "Skip"_text;
  const LabelSelector broken = {.match_expressions = {{.key = "a"_text, .operator_ = "Foo"_text}}};
  rule.spec.machines = {{.selector = LabelSelector{}, .cluster_selector = broken}};
  rule.spec.pods = {{.selector = broken}, {.namespace_selector = broken}};

  EXPECT_THAT(complaints(rule), ElementsAre(::testing::StartsWith("spec.machines[0].clusterSelector: "),
                                            ::testing::StartsWith("spec.pods[0].selector: "),
                                            ::testing::StartsWith("spec.pods[1].namespaceSelector: ")));
}

// ---- Cluster

TEST(ClusterRules, RequireSomethingToManage) {
  const auto empty = a_cluster().without_control_plane_ref().without_infrastructure_ref().build();

  EXPECT_THAT(complaints(empty), ElementsAre("spec: Forbidden: one of spec.controlPlaneRef, "
                                             "spec.infrastructureRef or spec.topology must be set"));
  EXPECT_THAT(complaints(a_cluster().without_control_plane_ref().build()), IsEmpty());
}

TEST(ClusterRules, LetReferencesChangeButNotVanish) {
  const auto before = a_cluster().build();
  auto other = before;
  other.spec.infrastructure_ref->name = "other"_text;

  EXPECT_THAT(complaints(other, &before), IsEmpty());
  EXPECT_THAT(complaints(a_cluster().without_infrastructure_ref().build(), &before),
              ElementsAre("spec.infrastructureRef: Forbidden: cannot be removed"));
  EXPECT_THAT(complaints(a_cluster().without_control_plane_ref().build(), &before),
              ElementsAre("spec.controlPlaneRef: Forbidden: cannot be removed"));
}

TEST(ClusterRules, RefuseAnotherInfrastructureOnceItIsProvisioned) {
  const auto before = a_cluster().infrastructure_provisioned().build();
  auto other_name = before;
  other_name.spec.infrastructure_ref->name = "other"_text;
  auto other_kind = before;
  other_kind.spec.infrastructure_ref->kind = "OtherCluster"_text;
  auto other_group = before;
  other_group.spec.infrastructure_ref->api_group = "infrastructure.example.com"_text;

  for (const auto& now : {other_name, other_kind, other_group}) {
    EXPECT_THAT(complaints(now, &before),
                ElementsAre("spec.infrastructureRef: Forbidden: cannot be changed once the infrastructure is "
                            "provisioned, unless spec.paused is true"));
  }
  EXPECT_THAT(complaints(before, &before), IsEmpty());
}

TEST(ClusterRules, RefuseAnotherControlPlaneOnceItIsInitialized) {
  const auto before = a_cluster().control_plane_initialized().build();
  auto other = before;
  other.spec.control_plane_ref->name = "other"_text;

  EXPECT_THAT(complaints(other, &before),
              ElementsAre("spec.controlPlaneRef: Forbidden: cannot be changed once the control plane is "
                          "initialized, unless spec.paused is true"));
}

TEST(ClusterRules, LetReferencesOfAPausedClusterChange) {
  const auto before = a_cluster().running().held().build();
  auto other = before;
  other.spec.infrastructure_ref->name = "other"_text;
  other.spec.control_plane_ref->name = "other"_text;

  EXPECT_THAT(complaints(other, &before), IsEmpty());
}

TEST(ClusterRules, RefuseRangesThatAreNone) {
  auto cluster = a_cluster().build();
  cluster.spec.cluster_network.pods = NetworkRanges{.cidr_blocks = {"x"_text, "10.0.0.0/16"_text}};
  cluster.spec.cluster_network.services =
      NetworkRanges{.cidr_blocks = {"fd00::/108"_text, "10.0.0.0/33"_text}};

  EXPECT_THAT(
      complaints(cluster),
      ElementsAre(
          "spec.clusterNetwork.pods.cidrBlocks[0]: Invalid value: \"x\": invalid CIDR address: x",
          "spec.clusterNetwork.services.cidrBlocks[1]: Invalid value: \"10.0.0.0/33\": invalid CIDR address: "
          "10.0.0.0/33"));
}

TEST(ClusterRules, RefuseANameThatIsNoLabelValue) {
  EXPECT_THAT(complaints(a_cluster(std::string(64, 'c')).build()),
              ElementsAre(::testing::EndsWith("must be a valid label value must be no more than 63 bytes")));
}

TEST(ClusterRules, LetAStoredTopologyStayWithoutTheGate) {
  Cluster stored = a_cluster().build();
  stored.spec.topology = RawJson::from_compact(R"({"version":"v1.36.0"})");
  Cluster paused = stored;
  paused.spec.paused = true;
  Cluster upgraded = stored;
  upgraded.spec.topology = RawJson::from_compact(R"({"version":"v1.37.0"})");

  EXPECT_THAT(complaints(paused, &stored), IsEmpty());
  EXPECT_THAT(
      complaints(upgraded, &stored),
      ElementsAre(
          "spec.topology: Forbidden: can be set only if the ClusterTopology feature flag is enabled"));
}

TEST(ClusterRules, RefuseATopologyWithoutTheGate) {
  auto cluster = a_cluster().build();
  cluster.spec.topology = RawJson::from_compact("{}");

  EXPECT_THAT(
      complaints(cluster),
      ElementsAre(
          "spec.topology: Forbidden: can be set only if the ClusterTopology feature flag is enabled"));
  EXPECT_THAT(complaints(cluster, {}, {.cluster_topology = true}), IsEmpty());
  EXPECT_THAT(complaints(a_cluster().build(), &cluster),
              ElementsAre("spec.topology: Forbidden: cannot be removed from an existing Cluster"));
}

}  // namespace
}  // namespace capstan::api
