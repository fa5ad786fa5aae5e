// The life of Machines under a MachineLifecyclePolicy on real servers, driven by real kubectl: replaced,
// preserved, rolled back, drained by force. The Nodes, the Pods and their budgets stand on a real workload
// server.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/envtest/lifecycle_suite_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(Lifecycle, KubectlExplainsThePolicyAndShowsItInColumns) {
  govern_running("  health: {nodeChecks: {}}");
  if (HasFatalFailure()) return;

  const auto timeout = kubectl({"explain", "mlp.spec.health.nodeChecks.timeoutSeconds"});
  const auto drain = kubectl({"explain", "mlp.spec.drain"});
  const auto running =
      until("jsonpath={.status.lifecycle.machines.running}=3", "machinelifecyclepolicy/" + cluster_);
  const Lines rows = lines_of(kubectl({"get", "mlp", cluster_}));

  EXPECT_THAT(timeout, HasSubstr("How long a Machine may be Unhealthy"));
  EXPECT_THAT(drain, AllOf(HasSubstr("onTimeout"), HasSubstr("evictionRetries"), HasSubstr("volumesInTurn")));
  EXPECT_THAT(running, EndsWith(kMet));
  ASSERT_THAT(rows, SizeIs(2));
  for (const char* column :
       {"DEPLOYMENTS", "SETS", "POOLS", "RUNNING", "UNHEALTHY", "IN-FLIGHT", "FROZEN", "CONFLICTING", "AGE"})
    EXPECT_THAT(rows[0], HasSubstr(column));
  EXPECT_THAT(rows[1], ::testing::ContainsRegex("^" + cluster_ + " +1 +1 +0 +3 +0 +0 "));
}

TEST_F(Lifecycle, AConditionOfChoiceMakesAMachineUnhealthyAndALateTaintDoesNot) {
  govern_running(
      "  health: {nodeChecks: {timeoutSeconds: 3600, unhealthyNodeConditions: [{type: Fan, badStatuses: "
      "[\"False\"]}], requireTaintsGone: [{key: example.com/agent, effect: NoSchedule}]}}");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  const std::string old_node = node_of(before[0]);

  workload({"taint", "node", old_node, "example.com/agent=:NoSchedule"});
  set_condition(node_of(before[1]), "Fan", "False");
  set_condition(node_of(before[2]), "DiskPressure", "True");
  const auto sick = becomes(before[1], "Unhealthy");
  const std::string why = message("machine/" + before[1], "capstan.dev/Lifecycle");
  set_condition(node_of(before[1]), "Fan", "True");
  const auto well = becomes(before[1], "Running");

  EXPECT_THAT(sick, EndsWith(kMet));
  EXPECT_THAT(why, HasSubstr("Fan is False"));
  EXPECT_THAT(well, EndsWith(kMet));
  EXPECT_THAT(becomes(before[0], "Running"), EndsWith(kMet)) << "a taint is nothing to one that was Running";
  EXPECT_THAT(becomes(before[2], "Running"), EndsWith(kMet)) << "the policy does not name DiskPressure";
}

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
  const bool capacity_taken_back = eventually([&] { return on_node(gpus).empty(); });

  EXPECT_THAT(labelled, EndsWith(kMet));
  EXPECT_THAT(changed, EndsWith(kMet));
  EXPECT_THAT(has_capacity, EndsWith(kMet));
  EXPECT_TRUE(capacity_taken_back) << on_node(gpus);
  EXPECT_EQ(tainted, "PreferNoSchedule");
  EXPECT_EQ(on_node(".spec.taints[?(@.key==\"example.com/slow\")].effect"), "");
}

TEST_F(Lifecycle, ANodesWishKeepsItsMachineAndWinsOverTheMachines) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3}}\n  preservation: {}");
  if (HasFatalFailure()) return;
  const std::string kept = machines().front();
  const std::string node = node_of(kept);
  annotate("machine/" + kept, "capstan.dev/preserve=false");
  workload({"annotate", "node", node, "capstan.dev/preserve=when-failed"});
  const auto noted = until("jsonpath={.metadata.annotations.capstan\\.dev/preserve-from-node}=when-failed",
                           "machine/" + kept);

  set_ready(node, "False");
  const auto preserved = until("condition=capstan.dev/Preserved", "machine/" + kept);
  const auto on_node =
      workload({"wait", "--for=condition=capstan.dev/Preserved", "--timeout=50s", "node/" + node});
  workload({"annotate", "--overwrite", "node", node, "capstan.dev/preserve=perhaps"});
  const bool named = eventually([&] {
    return message("machine/" + kept, "capstan.dev/Preserved").find("now, when-failed or false is meant") !=
           std::string::npos;
  });
  const std::string deleted = field("machine/" + kept, ".metadata.deletionTimestamp");
  workload({"annotate", "node", node, "capstan.dev/preserve-"});
  const auto gone = until("delete", "machine/" + kept);

  EXPECT_THAT(noted, EndsWith(kMet));
  EXPECT_THAT(preserved, EndsWith(kMet));
  EXPECT_THAT(on_node, EndsWith(kMet));
  EXPECT_TRUE(named);
  EXPECT_EQ(deleted, "");
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
}

TEST_F(Lifecycle, TheNodeOfAPreservedMachineIsTaintedDrainedAndSaysUntilWhen) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3}}\n  preservation: {drain: {}}");
  if (HasFatalFailure()) return;
  const std::string kept = machines().front();
  const std::string node = node_of(kept);
  annotate("machine/" + kept, "capstan.dev/preserve=when-failed");
  workload({"apply", "-f", "-"}, pod("works", node, "app: " + cluster_));
  workload({"cordon", node});

  set_ready(node, "False");
  const auto failed = becomes(kept, "Failed");
  const auto evicted = workload({"wait", "--for=delete", "--timeout=50s", "pod/" + cluster_ + "-works"});
  const auto drained =
      until("jsonpath={.metadata.annotations.capstan\\.dev/preservation-drain}=done", "machine/" + kept);
  const auto on_node =
      workload({"wait", "--for=condition=capstan.dev/Preserved", "--timeout=50s", "node/" + node});
  const std::string taint = workload(
      {"get", "node", node, "-o=jsonpath={.spec.taints[?(@.key==\"capstan.dev/preserved\")].effect}"});
  set_ready(node, "True");
  const auto well = becomes(kept, "Running");
  const bool untainted = eventually([&] {
    return workload({"get", "node", node,
                     "-o=jsonpath={.spec.taints[?(@.key==\"capstan.dev/preserved\")].effect}"})
        .empty();
  });
  const std::string cordoned = workload({"get", "node", node, "-o=jsonpath={.spec.unschedulable}"});

  EXPECT_THAT(failed, EndsWith(kMet));
  EXPECT_THAT(evicted, Not(HasSubstr("timed out")));
  EXPECT_THAT(drained, EndsWith(kMet));
  EXPECT_THAT(well, EndsWith(kMet));
  EXPECT_TRUE(untainted);
  EXPECT_EQ(cordoned, "true") << "a user's";
  EXPECT_THAT(on_node, EndsWith(kMet));
  EXPECT_EQ(taint, "NoSchedule");
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

// OnDelete, so that Nodes stay: one Machine moves to the new template and back again.
TEST_F(Lifecycle, TheAutoscalerIsKeptOffNodesOfAllSetsDuringARolloutAndOffAUsersOwnAfterIt) {
  govern("  rollout: {}");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  const auto roll_to = [&](const std::string& version) {
    kubectl({"patch", deployment(), "--type=merge",
             R"(-p={"spec":{"rollout":{"strategy":{"type":"OnDelete","rollingUpdate":null}},)"
             R"("template":{"spec":{"version":")" +
                 version + R"("}}}})"});
  };
  const auto exchange = [&](const std::string& machine) {
    kubectl({"delete", "machine", machine});
    Lines young;
    const bool came = eventually([&] {
      young = machines();
      std::erase_if(young,
                    [&](const std::string& name) { return std::ranges::find(before, name) != before.end(); });
      return young.size() == 1;
    });
    if (!came) return std::string("none");
    EXPECT_THAT(until("condition=Available", "machine/" + young.front()), EndsWith(kMet));
    return young.front();
  };
  const auto marks_of = [](const std::string& node) {
    return workload({"get", "node", node,
                     "-o=jsonpath={.metadata.annotations.cluster-autoscaler\\.kubernetes\\.io/"
                     "scale-down-disabled} {.metadata.annotations.capstan\\.dev/scale-down-disabled}"});
  };
  const std::string users = node_of(before[0]);
  workload({"annotate", "node", users, "cluster-autoscaler.kubernetes.io/scale-down-disabled=true"});

  roll_to("v1.36.0");
  const std::string young = exchange(before[2]);
  const bool all_marked = eventually(
      [&] { return marks_of(node_of(before[1])) == "true true" && marks_of(node_of(young)) == "true true"; });
  const std::string users_meanwhile = marks_of(users);
  roll_to("v1.35.0");
  const std::string last = exchange(young);
  const bool all_free =
      eventually([&] { return marks_of(node_of(before[1])) == " " && marks_of(node_of(last)) == " "; });

  EXPECT_TRUE(all_marked) << marks_of(node_of(before[1])) << ", " << marks_of(node_of(young));
  EXPECT_EQ(users_meanwhile, "true ") << "no proof that it is ours";
  EXPECT_TRUE(all_free);
  EXPECT_EQ(marks_of(users), "true ");
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
  hold_pods(before);

  kubectl({"delete", "machine", before[0], "--wait=false"});
  const auto held = until(reason_is("Deleting", "DrainingNode"), "machine/" + before[0]);
  const bool named = eventually([&] {
    return message("machine/" + before[0], "Deleting").find("budget " + cluster_ + " needs 2") !=
           std::string::npos;
  });
  annotate("machine/" + before[0], "capstan.dev/force-deletion=true");
  const auto gone = until("delete", "machine/" + before[0]);

  EXPECT_THAT(held, EndsWith(kMet));
  EXPECT_TRUE(named) << "the budget";
  EXPECT_THAT(gone, Not(HasSubstr("timed out")));
  expect_only_elsewhere_is_left();
}

}  // namespace
}  // namespace capstan::envtest
