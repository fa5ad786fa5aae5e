// MachineHealthChecks on real servers, driven by real kubectl: a Machine whose Node is sick is replaced, a
// whole fleet that falls silent under a policy is not, and another controller is asked where the check says
// so.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ctime>
#include <string>
#include <string_view>

#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// What a test says of a Node's health stays: its kubelet is silent.
constexpr std::string_view kSilentKubelets = "heartbeat: {lease: 0s, status: 0s}\n";
constexpr const char* kMet = "condition met\n";

constexpr std::string_view kRemediationKinds = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: rebootremediationtemplates.infrastructure.cluster.x-k8s.io
  labels: {cluster.x-k8s.io/v1beta2: v1}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: RebootRemediationTemplate, plural: rebootremediationtemplates}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: rebootremediations.infrastructure.cluster.x-k8s.io
  labels: {cluster.x-k8s.io/v1beta2: v1}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: RebootRemediation, plural: rebootremediations}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
constexpr std::string_view kTemplate = R"(
apiVersion: infrastructure.cluster.x-k8s.io/v1
kind: RebootRemediationTemplate
metadata: {name: reboot, namespace: default}
spec: {template: {spec: {strategy: reboot}}}
)";

// One bed for all tests; each has a cluster of its own, Available when it starts, and the audit of what was
// sent meanwhile.
class Health : public FleetSuite {
 protected:
  static void SetUpTestSuite() {
    make_bed({.cloud = std::string(kSilentKubelets), .audit = FleetBedOptions::Audit::Requests});
  }
  void SetUp() override {
    cluster_ = fmt::format("h{}", ++clusters_);
    ASSERT_NE(bed_, nullptr);
    apply_sample(cluster_, {"--machines=5"});
    if (HasFatalFailure()) return;
    ASSERT_THAT(until("condition=Available", deployment()), EndsWith(kMet));
    log_ = AuditReader(bed_->management().audit_log());
    ASSERT_TRUE(log_.more());
    workload_log_ = AuditReader(bed_->workload().audit_log());
    ASSERT_TRUE(workload_log_.more());
  }

  std::string workers() const { return cluster_ + "-workers"; }
  std::string deployment() const { return "machinedeployment/" + workers(); }
  std::string check() const { return "machinehealthcheck/" + cluster_; }
  // Sorted "name uid deletionTimestamp".
  Lines machines(const std::string& field = ".metadata.name") const {
    Lines mine = field_of_machines("pool=" + workers(), field);
    std::ranges::sort(mine);
    return mine;
  }
  static constexpr const char* kIdentity = ".metadata.name} {.metadata.uid} {.metadata.deletionTimestamp";

  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  // "False SharedCause", "" when there is none
  static std::string shown(const std::string& object, const std::string& type) {
    const std::string path = ".status.conditions[?(@.type==\"" + type + "\")]";
    return kubectl({"get", object, "-o=jsonpath={" + path + ".status} {" + path + ".reason}"});
  }
  static std::string message(const std::string& object, const std::string& type) {
    return field(object, ".status.conditions[?(@.type==\"" + type + "\")].message");
  }

  // A check of the workers for Nodes that are not ready for 20 seconds; `remediation` goes below its spec.
  void make_check(const std::string& remediation = {}) {
    const auto made = kubectl({"apply", "-f", "-"}, fmt::format(R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {{name: {0}, namespace: default}}
spec:
  clusterName: {0}
  selector: {{matchLabels: {{pool: {0}-workers}}}}
  checks:
    unhealthyNodeConditions:
    - {{type: Ready, status: "False", timeoutSeconds: 20}}
    - {{type: Ready, status: Unknown, timeoutSeconds: 20}}
{1}
)",
                                                                cluster_, remediation));
    ASSERT_THAT(made, EndsWith("created\n"));
    ASSERT_THAT(until("jsonpath={.status.currentHealthy}=5", check()), EndsWith(kMet));
    ASSERT_THAT(until("condition=RemediationAllowed", check()), EndsWith(kMet));
  }

  // In one command, so that they turn at about the same time.
  static void set_ready(Lines nodes, const std::string& status, std::time_t since = std::time(nullptr)) {
    const auto patch =
        fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"{}","reason":"Test",)"
                    R"("lastTransitionTime":"{:%FT%TZ}"}}]}}}})",
                    status, fmt::gmtime(since));
    Lines command = {"patch", "--subresource=status", "-p=" + patch, "node"};
    command.insert(command.end(), nodes.begin(), nodes.end());
    ASSERT_THAT(workload(command), AllOf(EndsWith("patched\n"), Not(StartsWith("failed"))));
  }
  static std::time_t a_minute_ago() { return std::time(nullptr) - 60; }

  // What the manager sent since the test began or this was called. Refused is what a server would not have,
  // as "verb resource object code"; to look for what is not there, or a Retry-After, is none, nor is a patch
  // of a Machine that went after the manager had it deleted.
  struct Sent {
    Lines refused = {};
    Lines removed = {};       // Machines that were deleted
    std::size_t reports = 0;  // what MachineHealthChecks were answered
  };
  Sent sent() {
    Sent sent;
    for (AuditReader* log : {&log_, &workload_log_}) {
      const auto entries = log->more();
      EXPECT_TRUE(entries);
      if (!entries) continue;
      for (const AuditEntry& entry : *entries) {
        if (entry.agent != "capstan") continue;
        if (is_refused(entry) && !is_harmless(entry, sent.removed))
          sent.refused.push_back(
              fmt::format("{} {} {} {}", entry.verb, entry.resource, entry.object, entry.code));
        if (entry.resource == "machines" && entry.verb == "delete") sent.removed.push_back(entry.object);
        sent.reports += entry.resource == "machinehealthchecks/status" && entry.code == 200;
      }
    }
    return sent;
  }
  static bool is_harmless(const AuditEntry& entry, const Lines& removed) {
    if (entry.code != 404) return entry.code == 429;
    return entry.verb == "get" || (entry.verb == "patch" && std::ranges::count(removed, entry.object) > 0);
  }
  void expect_nothing_refused(const Sent& sent) const {
    EXPECT_THAT(sent.refused, IsEmpty());
    EXPECT_GT(sent.reports, 0U) << "this audit log does not tell what the manager sends";
  }

  static inline int clusters_ = 0;
  std::string cluster_;
  AuditReader log_{{}};
  AuditReader workload_log_{{}};
};

TEST_F(Health, OnlyTheMachineOfASickNodeIsReplaced) {
  make_check("  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 2}}");
  if (HasFatalFailure()) return;
  const Lines before = machines(kIdentity);
  const std::string sick = machines().front();
  const std::string allowed_before = field(check(), ".status.remediationsAllowed");
  // It stays to be looked at.
  kubectl({"annotate", "machine", sick, "pre-drain.delete.hook.machine.cluster.x-k8s.io/look=test"});

  set_ready({sick}, "False", a_minute_ago());
  const auto marked = until("condition=HealthCheckSucceeded=false", "machine/" + sick);
  const auto handed = until("condition=Deleting", "machine/" + sick);
  const auto fewer = until("jsonpath={.status.remediationsAllowed}=1", check());
  const std::string health = shown("machine/" + sick, "HealthCheckSucceeded");
  const std::string owner = shown("machine/" + sick, "OwnerRemediated");
  const std::string verdict = shown(check(), "RemediationAllowed");
  kubectl({"annotate", "machine", sick, "pre-drain.delete.hook.machine.cluster.x-k8s.io/look-"});
  const auto gone = until("delete", "machine/" + sick);
  const auto replaced = until("jsonpath={.status.currentHealthy}=5", check());
  const auto as_many = until("jsonpath={.status.remediationsAllowed}=2", check());

  EXPECT_EQ(allowed_before, "2");
  EXPECT_THAT(marked, EndsWith(kMet));
  EXPECT_THAT(handed, EndsWith(kMet));
  EXPECT_THAT(fewer, EndsWith(kMet));
  EXPECT_EQ(health, "False UnhealthyNode");
  EXPECT_THAT(owner, StartsWith("False "));
  EXPECT_EQ(verdict, "True RemediationAllowed");
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  EXPECT_THAT(replaced, EndsWith(kMet));
  EXPECT_THAT(as_many, EndsWith(kMet));
  EXPECT_THAT(until("jsonpath={.status.expectedMachines}=5", check()), EndsWith(kMet));
  const Lines after = machines(kIdentity);
  EXPECT_THAT(after, SizeIs(5));
  for (const auto& line : before) {
    if (line.starts_with(sick + " "))
      EXPECT_THAT(after, Not(Contains(line)));
    else
      EXPECT_THAT(after, Contains(line));
  }
  const Sent traffic = sent();
  EXPECT_THAT(traffic.removed, AllOf(Not(IsEmpty()), Each(EndsWith(sick))));
  expect_nothing_refused(traffic);
}

TEST_F(Health, AFleetThatFallsSilentTogetherIsLeftAloneUntilItIsBackAgain) {
  make_check();
  if (HasFatalFailure()) return;
  kubectl({"label", deployment(), "care=" + cluster_});
  const auto policy = kubectl({"apply", "-f", "-"}, fmt::format(R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {{name: {0}, namespace: default}}
spec:
  selector: {{matchLabels: {{care: {0}}}}}
  health: {{sharedCause: {{}}}}
)",
                                                                cluster_));
  ASSERT_THAT(policy, EndsWith("created\n"));
  const std::string mine = "machinelifecyclepolicy/" + cluster_;
  ASSERT_THAT(until("jsonpath={.status.selected.machineDeployments}=1", mine), EndsWith(kMet));
  const Lines before = machines(kIdentity);
  ASSERT_THAT(before, SizeIs(5));

  set_ready(machines(), "Unknown");
  const auto marked = kubectl({"wait", "--for=condition=HealthCheckSucceeded=false", "--timeout=50s",
                               "machines", "-l", "pool=" + workers()});
  const auto held = until("condition=RemediationAllowed=false", check());
  const std::string verdict = shown(check(), "RemediationAllowed");
  const std::string why = message(check(), "RemediationAllowed");
  const std::string allowed = field(check(), ".status.remediationsAllowed");
  const Lines handed = machines(".metadata.name}{.status.conditions[?(@.type==\"OwnerRemediated\")].status");
  set_ready(machines(), "True");
  const auto back = until("condition=RemediationAllowed", check());
  const auto well = until("jsonpath={.status.currentHealthy}=5", check());
  const auto unmarked = kubectl({"wait", "--for=condition=HealthCheckSucceeded", "--timeout=50s", "machines",
                                 "-l", "pool=" + workers()});

  EXPECT_EQ(lines_of(marked).size(), 5U) << marked;
  EXPECT_THAT(lines_of(marked), Each(EndsWith("condition met")));
  EXPECT_THAT(held, EndsWith(kMet));
  EXPECT_EQ(verdict, "False SharedCause");
  EXPECT_THAT(why, HasSubstr("Remediation is on hold, this looks like what the machines share"));
  EXPECT_THAT(why,
              HasSubstr(fmt::format("5 of 5 targets of Cluster {} turned unhealthy within 5m", cluster_)));
  EXPECT_THAT(why, HasSubstr(fmt::format("(MachineLifecyclePolicy {}: 50%)", cluster_)));
  EXPECT_THAT(allowed, ::testing::AnyOf("", "0"));
  EXPECT_EQ(handed, machines()) << "handed to their owner";
  EXPECT_THAT(back, EndsWith(kMet));
  EXPECT_THAT(well, EndsWith(kMet));
  EXPECT_THAT(lines_of(unmarked), Each(EndsWith("condition met")));
  EXPECT_EQ(shown(check(), "RemediationAllowed"), "True RemediationAllowed");
  EXPECT_EQ(machines(kIdentity), before);
  const Sent traffic = sent();
  EXPECT_THAT(traffic.removed, IsEmpty());
  expect_nothing_refused(traffic);
}

TEST_F(Health, SomebodyElseIsAskedWhereTheCheckNamesATemplate) {
  ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kRemediationKinds)), EndsWith("created\n"));
  for (const auto* kind : {"rebootremediationtemplates", "rebootremediations"})
    ASSERT_THAT(until("condition=Established", fmt::format("crd/{}.infrastructure.cluster.x-k8s.io", kind)),
                EndsWith(kMet));
  ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kTemplate)), EndsWith("created\n"));
  make_check(R"(
  remediation:
    templateRef:
      apiVersion: infrastructure.cluster.x-k8s.io/v1
      kind: RebootRemediationTemplate
      name: reboot
)");
  if (HasFatalFailure()) return;
  const Lines before = machines(kIdentity);
  const std::string sick = machines().front();
  const std::string request = "rebootremediation/" + sick;

  set_ready({sick}, "False", a_minute_ago());
  const auto asked = until("create", request);
  const auto marked = until("condition=ExternallyRemediated=false", "machine/" + sick);
  const json::value made = json::parse(kubectl({"get", request, "-o=json"}));
  const Lines all = lines_of(kubectl({"get", "rebootremediations", "-o=name"}));
  const std::string mark = shown("machine/" + sick, "ExternallyRemediated");
  const std::string owner = shown("machine/" + sick, "OwnerRemediated");
  set_ready({sick}, "True");
  const auto withdrawn = until("delete", request);
  const auto well = until("condition=HealthCheckSucceeded", "machine/" + sick);

  EXPECT_THAT(asked, EndsWith(kMet));
  EXPECT_THAT(marked, EndsWith(kMet));
  EXPECT_EQ(made.at("spec").at("strategy").as_string(), "reboot");
  const auto& metadata = made.at("metadata");
  EXPECT_EQ(metadata.at("labels").at("cluster.x-k8s.io/cluster-name").as_string(),
            std::string_view(cluster_));
  EXPECT_EQ(metadata.at("ownerReferences").as_array().size(), 1U);
  EXPECT_EQ(metadata.at("ownerReferences").at(0).at("kind").as_string(), "Machine");
  EXPECT_EQ(metadata.at("ownerReferences").at(0).at("name").as_string(), std::string_view(sick));
  EXPECT_THAT(all, SizeIs(1)) << "somebody is asked for Machines that are well";
  EXPECT_EQ(mark, "False WaitingForRemediation");
  EXPECT_EQ(owner, " ") << "its owner was asked as well";
  EXPECT_THAT(withdrawn, EndsWith(kMet));
  EXPECT_THAT(well, EndsWith(kMet));
  EXPECT_EQ(machines(kIdentity), before);
  const Sent traffic = sent();
  EXPECT_THAT(traffic.removed, IsEmpty());
  expect_nothing_refused(traffic);
}

}  // namespace
}  // namespace capstan::envtest
