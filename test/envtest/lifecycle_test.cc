// The life of Machines under a MachineLifecyclePolicy on real servers, driven by real kubectl: replaced,
// preserved, rolled back, drained by force. The Nodes, the Pods and their budgets stand on a real workload
// server.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>

#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {
namespace {

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

// One bed for all tests; each has a cluster of its own with three workers, under a policy of its own.
class Lifecycle : public FleetSuite {
 protected:
  static void SetUpTestSuite() {
    make_bed({.cloud = std::string(kSilentKubelets), .audit = FleetBedOptions::Audit::Requests});
  }
  void SetUp() override {
    cluster_ = fmt::format("l{}", ++clusters_);
    ASSERT_NE(bed_, nullptr);
    apply_sample(cluster_, {"--machines=3"});
    if (HasFatalFailure()) return;
    ASSERT_THAT(until("condition=Available", deployment()), EndsWith(kMet));
  }

  std::string workers() const { return cluster_ + "-workers"; }
  std::string deployment() const { return "machinedeployment/" + workers(); }
  Lines machines(const std::string& field = ".metadata.name") const {
    Lines mine = field_of_machines("pool=" + workers(), field);
    std::ranges::sort(mine);
    return mine;
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  static std::string message(const std::string& object, const std::string& type) {
    return field(object, ".status.conditions[?(@.type==\"" + type + "\")].message");
  }
  static std::string reason_is(const std::string& type, const std::string& reason) {
    return "jsonpath={.status.conditions[?(@.type==\"" + type + "\")].reason}=" + reason;
  }
  static std::string becomes(const std::string& machine, const std::string& reason) {
    return until(reason_is("capstan.dev/Lifecycle", reason), "machine/" + machine);
  }
  static std::string annotate(const std::string& object, const std::string& annotation) {
    return kubectl({"annotate", "--overwrite", object, annotation});
  }

  // `groups` goes below its spec.
  void govern(const std::string& groups) {
    kubectl({"label", deployment(), "care=" + cluster_});
    ASSERT_THAT(kubectl({"apply", "-f", "-"}, fmt::format(R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {{name: {0}, namespace: default}}
spec:
  selector: {{matchLabels: {{care: {0}}}}}
{1}
)",
                                                          cluster_, groups)),
                EndsWith("created\n"));
    ASSERT_THAT(
        until("jsonpath={.status.selected.machineDeployments}=1", "machinelifecyclepolicy/" + cluster_),
        EndsWith(kMet));
  }
  // ... and it has said so of every Machine.
  void govern_running(const std::string& groups) {
    govern(groups);
    for (const auto& machine : machines()) ASSERT_THAT(becomes(machine, "Running"), EndsWith(kMet));
  }

  static void set_ready(const std::string& node, const std::string& status) {
    const auto patch =
        fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"{}","reason":"Test",)"
                    R"("lastTransitionTime":"{:%FT%TZ}"}}]}}}})",
                    status, fmt::gmtime(std::time(nullptr)));
    workload({"patch", "--subresource=status", "-p=" + patch, "node", node});
  }
  static std::string node_of(const std::string& machine) {
    return field("machine/" + machine, ".status.nodeRef.name");
  }
  void expect_three_anew(const std::string& lost) const {
    EXPECT_THAT(until("jsonpath={.status.availableReplicas}=3", deployment()), EndsWith(kMet));
    EXPECT_THAT(machines(), AllOf(SizeIs(3), Not(Contains(lost))));
  }

  static inline int clusters_ = 0;
  std::string cluster_;
};

TEST_F(Lifecycle, AMachineWhoseNodeStaysSickIsReplacedAndTheNextOneAfterIt) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3}}\n  replacement: {}");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  for (const auto* sick : {&before[0], &before[1]}) {
    // They stay to be looked at.
    annotate("machine/" + *sick, "pre-drain.delete.hook.machine.cluster.x-k8s.io/look=test");
  }

  set_ready(node_of(before[0]), "False");
  const auto first = until("condition=Deleting", "machine/" + before[0]);
  set_ready(node_of(before[1]), "False");
  const auto second = becomes(before[1], "Unhealthy");
  const auto waits = until("jsonpath={.status.lifecycle.inFlight}=1", "machinelifecyclepolicy/" + cluster_);
  const std::string second_deleted = field("machine/" + before[1], ".metadata.deletionTimestamp");
  annotate("machine/" + before[0], "pre-drain.delete.hook.machine.cluster.x-k8s.io/look-");
  const auto gone = until("delete", "machine/" + before[0]);
  const auto follows = until("condition=Deleting", "machine/" + before[1]);
  annotate("machine/" + before[1], "pre-drain.delete.hook.machine.cluster.x-k8s.io/look-");
  const auto second_gone = until("delete", "machine/" + before[1]);

  EXPECT_THAT(first, EndsWith(kMet));
  EXPECT_THAT(second, EndsWith(kMet));
  EXPECT_THAT(waits, EndsWith(kMet));
  EXPECT_EQ(second_deleted, "") << "two at a time";
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  EXPECT_THAT(follows, EndsWith(kMet));
  EXPECT_THAT(second_gone, Not(HasSubstr("timed out")));
  expect_three_anew(before[0]);
  EXPECT_THAT(machines(), Contains(before[2]));
}

TEST_F(Lifecycle, AFailedMachineIsKeptAsAskedAndGoesWhenItIsReleased) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3}}\n  preservation: {}");
  if (HasFatalFailure()) return;
  const std::string kept = machines().front();
  const std::string node = node_of(kept);
  annotate("machine/" + kept, "capstan.dev/preserve=when-failed");

  set_ready(node, "False");
  const auto failed = becomes(kept, "Failed");
  const auto preserved = until("condition=capstan.dev/Preserved", "machine/" + kept);
  const std::string end = field("machine/" + kept, ".metadata.annotations.capstan\\.dev/preserve-until");
  const std::string autoscaler = workload(
      {"get", "node", node,
       "-o=jsonpath={.metadata.annotations.cluster-autoscaler\\.kubernetes\\.io/scale-down-disabled}"});
  const auto named = until("jsonpath={.status.lifecycle.preservedMachines[0]}=" + kept,
                           "machinelifecyclepolicy/" + cluster_);
  const std::string deleted = field("machine/" + kept, ".metadata.deletionTimestamp");
  annotate("machine/" + kept, "capstan.dev/preserve=false");
  const auto gone = until("delete", "machine/" + kept);

  EXPECT_THAT(failed, EndsWith(kMet));
  EXPECT_THAT(preserved, EndsWith(kMet));
  EXPECT_THAT(end, EndsWith("Z"));
  EXPECT_EQ(autoscaler, "true");
  EXPECT_THAT(named, EndsWith(kMet));
  EXPECT_EQ(deleted, "");
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  expect_three_anew(kept);
}

TEST_F(Lifecycle, AMachineIsReplacedWhenAUserAsksForItOnItsNode) {
  govern_running("  health: {nodeChecks: {disableTimeout: true}}");
  if (HasFatalFailure()) return;
  const std::string named = machines().front();

  workload({"annotate", "node", node_of(named), "node.machine.sapcloud.io/trigger-deletion-by-mcm=true"});

  EXPECT_THAT(until("delete", "machine/" + named), Not(HasSubstr("timed out")));
  expect_three_anew(named);
}

TEST_F(Lifecycle, AMachineWhoseNodeWasDeletedIsReplaced) {
  govern_running("  health: {nodeChecks: {}}\n  replacement: {}");
  if (HasFatalFailure()) return;
  const std::string lost = machines().front();

  workload({"delete", "node", node_of(lost)});
  // A Node counts as lost once its cluster has been reached for a minute, which may not be over yet.
  std::string said = "failed: ";
  for (int tries = 0; tries < 3 && said.starts_with("failed: "); ++tries)
    said =
        envtest::attempted(bed_->management(), {"wait", "--for=delete", "--timeout=50s", "machine/" + lost});

  EXPECT_THAT(said, Not(StartsWith("failed: ")));
  expect_three_anew(lost);
}

TEST_F(Lifecycle, NodesGetWhatTheTemplateOfThePolicySaysAndFollowItsChanges) {
  const std::string node = "node/" + node_of(machines().front());
  const auto on_node = [&](const std::string& path) {
    return workload({"get", node, "-o=jsonpath={" + path + "}"});
  };
  const auto until_on_node = [&](const std::string& what) {
    return workload({"wait", "--for=" + what, "--timeout=50s", node});
  };
  const std::string gpus = ".status.capacity.example\\.com/gpus";

  govern(
      "  nodeTemplate: {labels: {team: red}, taints: [{key: example.com/slow, effect: PreferNoSchedule}], "
      "virtualCapacity: {example.com/gpus: \"4\"}}");
  if (HasFatalFailure()) return;
  const auto labelled = until_on_node("jsonpath={.metadata.labels.team}=red");
  const auto has_capacity = until_on_node("jsonpath={" + gpus + "}=4");
  const std::string tainted = on_node(".spec.taints[?(@.key==\"example.com/slow\")].effect");
  kubectl(
      {"patch", "machinelifecyclepolicy", cluster_, "--type=merge",
       R"(-p={"spec":{"nodeTemplate":{"labels":{"team":"blue"},"taints":null,"virtualCapacity":null}}})"});
  const auto changed = until_on_node("jsonpath={.metadata.labels.team}=blue");

  EXPECT_THAT(labelled, EndsWith(kMet));
  EXPECT_THAT(changed, EndsWith(kMet));
  EXPECT_THAT(has_capacity, EndsWith(kMet));
  EXPECT_EQ(tainted, "PreferNoSchedule");
  EXPECT_EQ(on_node(".spec.taints[?(@.key==\"example.com/slow\")].effect"), "");
}

TEST_F(Lifecycle, TheNodeOfAPreservedMachineIsTaintedAndSaysUntilWhen) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3}}\n  preservation: {drain: {}}");
  if (HasFatalFailure()) return;
  const std::string kept = machines().front();
  const std::string node = node_of(kept);
  annotate("machine/" + kept, "capstan.dev/preserve=when-failed");

  set_ready(node, "False");
  const auto failed = becomes(kept, "Failed");
  const auto drained =
      until("jsonpath={.metadata.annotations.capstan\\.dev/preservation-drain}=done", "machine/" + kept);
  const auto on_node =
      workload({"wait", "--for=condition=capstan.dev/Preserved", "--timeout=50s", "node/" + node});
  const std::string taint = workload(
      {"get", "node", node, "-o=jsonpath={.spec.taints[?(@.key==\"capstan.dev/preserved\")].effect}"});
  annotate("machine/" + kept, "capstan.dev/preserve=false");
  const auto gone = until("delete", "machine/" + kept);

  EXPECT_THAT(failed, EndsWith(kMet));
  EXPECT_THAT(drained, EndsWith(kMet));
  EXPECT_THAT(on_node, EndsWith(kMet));
  EXPECT_EQ(taint, "NoSchedule");
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
}

TEST_F(Lifecycle, NamedMachinesGoWithTheReplicasInOneWrite) {
  govern_running("  scaleIn: {}");
  if (HasFatalFailure()) return;
  const Lines before = machines();

  kubectl({"patch", deployment(), "--type=merge",
           fmt::format(R"(-p={{"metadata":{{"annotations":{{"capstan.dev/victims":"{},{}"}}}},)"
                       R"("spec":{{"replicas":1}}}})",
                       before[0], before[2])});
  const auto gone = until("delete", "machine/" + before[0]);
  const auto both_gone = until("delete", "machine/" + before[2]);
  const auto one_left = until("jsonpath={.status.replicas}=1", deployment());

  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  EXPECT_THAT(both_gone, Not(HasSubstr("timed out")));
  EXPECT_THAT(one_left, EndsWith(kMet));
  EXPECT_THAT(machines(), Each(before[1]));
}

TEST_F(Lifecycle, ARollbackBringsBackTheTemplateOfTheLastRevision) {
  govern_running("  creation: {}\n  rollout: {}");
  if (HasFatalFailure()) return;
  const auto roll_to = [&](const std::string& version) {
    kubectl({"patch", deployment(), "--type=merge",
             R"(-p={"spec":{"template":{"spec":{"version":")" + version + R"("}}}})"});
  };
  const auto all_on = [&](const std::string& version) {
    const auto updated = until("jsonpath={.status.upToDateReplicas}=3", deployment());
    const auto old_gone = until("jsonpath={.status.replicas}=3", deployment());
    EXPECT_THAT(machines(".spec.version"), AllOf(SizeIs(3), Each(version)));
    return updated + old_gone;
  };

  roll_to("v1.36.0");
  const auto rolling =
      until("jsonpath={.status.conditions[?(@.type==\"RollingOut\")].status}=True", deployment());
  const auto finished = until(reason_is("capstan.dev/Progressing", "NewMachineSetAvailable"), deployment());
  all_on("v1.36.0");
  annotate(deployment(), "capstan.dev/rollback-to=0");
  const auto back = until("jsonpath={.spec.template.spec.version}=v1.35.0", deployment());
  const auto finished_again =
      until("jsonpath={.status.conditions[?(@.type==\"RollingOut\")].status}=False", deployment());
  all_on("v1.35.0");

  EXPECT_THAT(rolling, EndsWith(kMet));
  EXPECT_THAT(finished, EndsWith(kMet));
  EXPECT_THAT(back, EndsWith(kMet));
  EXPECT_THAT(finished_again, EndsWith(kMet));
  EXPECT_EQ(field(deployment(), ".metadata.annotations.capstan\\.dev/rollback-to"), "");
}

// The FleetPolicy is for all Clusters, and goes with this test.
TEST_F(Lifecycle, ADeletionWaitsForItsPlaceInTheFleetPolicy) {
  const auto allow = [](int max) {
    return kubectl({"apply", "-f", "-"}, fmt::format(R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: FleetPolicy
metadata: {{name: fleet}}
spec: {{limits: [{{max: {}}}]}}
)",
                                                     max));
  };

  allow(0);
  kubectl({"patch", deployment(), "--type=merge", R"(-p={"spec":{"replicas":2}})"});
  const auto waits = until("jsonpath={.status.waiting}=1", "fleetpolicy/fleet");
  const std::size_t meanwhile = machines().size();
  allow(5);
  const auto gone = until("jsonpath={.status.replicas}=2", deployment());
  kubectl({"delete", "fleetpolicy", "fleet"});

  EXPECT_THAT(waits, EndsWith(kMet));
  EXPECT_EQ(meanwhile, 3U);
  EXPECT_THAT(gone, EndsWith(kMet));
}

TEST_F(Lifecycle, AForcedDeletionDeletesAPodThatItsBudgetHoldsAndNoOther) {
  const Lines before = machines();
  const auto pod = [&](const std::string& name, const std::string& node) {
    return fmt::format(R"(
---
apiVersion: v1
kind: Pod
metadata: {{name: {0}-{1}, namespace: default, labels: {{rock: {0}}}}}
spec:
  nodeName: {2}
  tolerations: [{{operator: Exists}}]
  containers: [{{name: c, image: i}}]
)",
                       cluster_, name, node);
  };
  workload({"apply", "-f", "-"},
           fmt::format(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {0}, namespace: default}}
spec: {{maxUnavailable: 0, selector: {{matchLabels: {{rock: {0}}}}}}}
{1}{2})",
                       cluster_, pod("here", node_of(before[0])), pod("elsewhere", node_of(before[1]))));

  kubectl({"delete", "machine", before[0], "--wait=false"});
  const auto held = until(reason_is("Deleting", "DrainingNode"), "machine/" + before[0]);
  const std::string why = message("machine/" + before[0], "Deleting");
  annotate("machine/" + before[0], "capstan.dev/force-deletion=true");
  const auto gone = until("delete", "machine/" + before[0]);

  EXPECT_THAT(held, EndsWith(kMet));
  EXPECT_THAT(why, HasSubstr(cluster_)) << "the budget is named";
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  EXPECT_THAT(lines_of(workload({"get", "pods", "-l", "rock=" + cluster_,
                                 "-o=jsonpath={range .items[*]}{.metadata.name}{\"\\n\"}{end}"})),
              Each(cluster_ + "-elsewhere"));
  EXPECT_EQ(workload({"get", "pods", cluster_ + "-elsewhere", "-o=jsonpath={.metadata.deletionTimestamp}"}),
            "");
}

}  // namespace
}  // namespace capstan::envtest
