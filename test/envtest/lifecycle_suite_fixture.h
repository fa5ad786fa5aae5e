// What the tests of Machines under a MachineLifecyclePolicy share: a cluster of its own with three workers
// for each test, a policy for them, and Pods that a budget holds on their Nodes. For gtest; one thread.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>

#include "base/threads.h"
#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {

// What a test says of a Node's health stays: its kubelet is silent.
inline constexpr std::string_view kSilentKubelets = "heartbeat: {lease: 0s, status: 0s}\n";
inline constexpr const char* kMet = "condition met\n";

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
    ASSERT_THAT(until("condition=Available", deployment()), ::testing::EndsWith(kMet));
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

  // For what `kubectl wait` can't ask.
  template <typename Condition>
  static bool eventually(Condition&& condition) {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, std::chrono::seconds(50));
    while (!condition()) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(250)));
    }
    return true;
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
                ::testing::EndsWith("created\n"));
    ASSERT_THAT(
        until("jsonpath={.status.selected.machineDeployments}=1", "machinelifecyclepolicy/" + cluster_),
        ::testing::EndsWith(kMet));
  }
  // ... and it has said so of every Machine.
  void govern_running(const std::string& groups) {
    govern(groups);
    for (const auto& machine : machines())
      ASSERT_THAT(becomes(machine, "Running"), ::testing::EndsWith(kMet));
  }

  static void set_ready(const std::string& node, const std::string& status) {
    set_condition(node, "Ready", status);
  }
  static void set_condition(const std::string& node, const std::string& type, const std::string& status) {
    const auto patch =
        fmt::format(R"({{"status":{{"conditions":[{{"type":"{}","status":"{}","reason":"Test",)"
                    R"("lastTransitionTime":"{:%FT%TZ}"}}]}}}})",
                    type, status, fmt::gmtime(std::time(nullptr)));
    workload({"patch", "--subresource=status", "-p=" + patch, "node", node});
  }
  static std::string node_of(const std::string& machine) {
    return field("machine/" + machine, ".status.nodeRef.name");
  }
  void expect_three_anew(const std::string& lost) const {
    EXPECT_THAT(until("jsonpath={.status.availableReplicas}=3", deployment()), ::testing::EndsWith(kMet));
    EXPECT_THAT(machines(),
                ::testing::AllOf(::testing::SizeIs(3), ::testing::Not(::testing::Contains(lost))));
  }

  // Pod here on the Node of the first Machine and Pod elsewhere on that of the second, each with the
  // cluster's name before its own, under a budget that allows no eviction. Both run: a budget holds no other
  // Pods.
  void hold_pods(const Lines& machines) const {
    workload({"apply", "-f", "-"},
             fmt::format(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {0}, namespace: default}}
spec: {{maxUnavailable: 0, selector: {{matchLabels: {{rock: {0}}}}}}}
{1}{2})",
                         cluster_, pod("here", node_of(machines[0]), "rock: " + cluster_),
                         pod("elsewhere", node_of(machines[1]), "rock: " + cluster_)));
    for (const char* name : {"-here", "-elsewhere"})
      set_status("pod/" + cluster_ + name,
                 R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
    set_status("poddisruptionbudget/" + cluster_,
               R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":2,)"
               R"("expectedPods":2})");
  }
  static void set_status(const std::string& object, const std::string& status) {
    workload({"patch", "--subresource=status", "--type=merge", "-p={\"status\":" + status + "}", object});
  }
  // An eviction ends it at once, for there is no kubelet that would.
  std::string pod(const std::string& name, const std::string& node, const std::string& label,
                  const std::string& more = {}) const {
    return fmt::format(R"(
---
apiVersion: v1
kind: Pod
metadata: {{name: {0}-{1}, namespace: default, labels: {{{3}}}}}
spec:
  nodeName: {2}
  terminationGracePeriodSeconds: 0
  tolerations: [{{operator: Exists}}]
  containers: [{{name: c, image: i}}]
{4})",
                       cluster_, name, node, label, more);
  }
  Lines held_pods(const std::string& field = ".metadata.name") const {
    return lines_of(workload({"get", "pods", "-l", "rock=" + cluster_,
                              "-o=jsonpath={range .items[*]}{" + field + "}{\"\\n\"}{end}"}));
  }
  void expect_only_elsewhere_is_left() const {
    EXPECT_THAT(held_pods(".metadata.name} {.metadata.deletionTimestamp"),
                ::testing::ElementsAre(cluster_ + "-elsewhere "));
  }

  static inline int clusters_ = 0;
  std::string cluster_;
};

}  // namespace capstan::envtest
