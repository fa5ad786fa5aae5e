// Twenty Nodes with ten Pods each on a real kube-apiserver, under budgets that a real disruption controller
// keeps: Machines are deleted and rolled, a pool without Machines goes, and a watch outside the manager looks
// on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "test/envtest/drain_history.h"
#include "test/envtest/drain_pods_fixture.h"
#include "test/envtest/fleet_suite_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct App {
  std::string name = {};
  std::size_t pods = 0;
  std::string budget = {};         // of its PodDisruptionBudget's spec
  std::size_t fewest_healthy = 0;  // what that comes to
};
const std::vector<App> kApps = {
    {.name = "single", .pods = 40, .budget = "maxUnavailable: 1", .fewest_healthy = 39},
    {.name = "share", .pods = 158, .budget = "minAvailable: \"90%\"", .fewest_healthy = 143},
    {.name = "rock", .pods = 2, .budget = "maxUnavailable: 0", .fewest_healthy = 2},
};

std::string manifests_of(const App& app) {
  return fmt::format(R"(
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: {0}}}
spec:
  replicas: {1}
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{{name: c, image: i}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {0}}}
spec:
  {2}
  selector: {{matchLabels: {{app: {0}}}}}
)",
                     app.name, app.pods, app.budget);
}

class Drain : public FleetSuite {
 protected:
  static void SetUpTestSuite() {
    make_bed({.audit = FleetBedOptions::Audit::Requests,
              .workload_controllers = {"disruption-controller", "replicaset-controller"}});
  }

  std::string patch_deployment(const std::string& patch) const {
    return kubectl({"patch", kDeployment, "--type=merge", "-p=" + patch});
  }
  // Machines of the deployment, as "name version node".
  Lines machines() const {
    return field_of_machines("pool=demo-workers", ".metadata.name} {.spec.version} {.status.nodeRef.name");
  }
  std::string message_of(const std::string& object, const std::string& condition) const {
    return kubectl(
        {"get", object, "-o=jsonpath={.status.conditions[?(@.type==\"" + condition + "\")].message}"});
  }

  template <typename Condition>
  bool eventually(Nanoseconds within, Condition&& condition) const {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, within);
    while (!condition()) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(250)));
    }
    return true;
  }

  void bring_up_fleet() {
    apply_sample("demo", {"--machines=20"});
    if (HasFatalFailure()) return;
    ASSERT_THAT(patch_deployment(R"({"spec":{"rollout":{"strategy":{"type":"RollingUpdate",
                  "rollingUpdate":{"maxSurge":"50%","maxUnavailable":"25%"}}}}})"),
                Not(StartsWith("failed")));
    ASSERT_THAT(
        kubectl({"wait", "--for=jsonpath={.status.availableReplicas}=20", "--timeout=50s", kDeployment}),
        EndsWith("condition met\n"));
  }

  void bring_up_pods() {
    kubelets_ = std::make_unique<Kubelets>(bed_->workload().kubeconfig_path());
    std::string manifests;
    for (const App& app : kApps) manifests += manifests_of(app);
    ASSERT_THAT(workload({"apply", "-f", "-"}, manifests), Not(StartsWith("failed")));
    for (const App& app : kApps) {
      ASSERT_THAT(workload({"wait", fmt::format("--for=jsonpath={{.status.currentHealthy}}={}", app.pods),
                            "--timeout=50s", "pdb/" + app.name}),
                  EndsWith("condition met\n"));
    }
    EXPECT_THAT(pods_by_node(), AllOf(SizeIs(20), Each(Pair(StartsWith("demo-workers-"), 10))));
    kubelets_->prefer_young_nodes();
  }

  static std::map<std::string, int> pods_by_node() {
    std::map<std::string, int> pods;
    for (const auto& node :
         lines_of(workload({"get", "pods", "-o=jsonpath={range .items[*]}{.spec.nodeName}{\"\\n\"}{end}"})))
      ++pods[node];
    return pods;
  }

  std::set<std::string> nodes_of_rocks() const {
    const auto lines = lines_of(workload(
        {"get", "pods", "-l", "app=rock", "-o=jsonpath={range .items[*]}{.spec.nodeName}{\"\\n\"}{end}"}));
    return {lines.begin(), lines.end()};
  }

  static inline const std::string kDeployment = "machinedeployment/demo-workers";
  std::unique_ptr<Kubelets> kubelets_;
};

TEST_F(Drain, NeverBreaksABudgetAndSaysWhichOneHoldsItUp) {
  bring_up_fleet();
  bring_up_pods();
  if (HasFatalFailure()) return;
  const auto rocks = nodes_of_rocks();
  ASSERT_THAT(rocks, SizeIs(2));

  // Given: one Machine under a rock, and three others, are deleted; then the rest is rolled.
  Lines others;
  Lines under_rocks;
  for (const auto& line : machines()) {
    const bool rock = rocks.contains(line.substr(line.rfind(' ') + 1));
    (rock ? under_rocks : others).push_back(line.substr(0, line.find(' ')));
  }
  ASSERT_THAT(under_rocks, SizeIs(2));
  ASSERT_GE(others.size(), 3U);
  const Lines doomed = {under_rocks[0], others[0], others[1], others[2]};
  std::vector<std::string> removal = {"delete", "machines", "--wait=false"};
  removal.insert(removal.end(), doomed.begin(), doomed.end());
  ASSERT_THAT(kubectl(removal), Not(StartsWith("failed")));
  ASSERT_THAT(patch_deployment(R"({"spec":{"template":{"spec":{"version":"v1.36.0"}}}})"),
              Not(StartsWith("failed")));

  // When: everything that may go has gone.
  const auto old_ones = [&] {
    Lines old;
    for (const auto& line : machines())
      if (line.find(" v1.36.0 ") == std::string::npos) old.push_back(line.substr(0, line.find(' ')));
    std::ranges::sort(old);
    return old;
  };
  std::ranges::sort(under_rocks);
  EXPECT_TRUE(eventually(seconds(90), [&] { return old_ones() == under_rocks; }))
      << fmt::format("{}", fmt::join(old_ones(), ", "));

  // Then: the rest says why, all the way up.
  const std::string held = message_of("machine/" + under_rocks.front(), "Deleting");
  EXPECT_THAT(held,
              HasSubstr("cannot evict pod as it would violate the pod's disruption budget. The disruption "
                        "budget rock needs 2 healthy pods and has 2 currently"));
  EXPECT_TRUE(eventually(seconds(70), [&] {
    return message_of(kDeployment, "ScalingDown").find("budget rock needs 2") != std::string::npos;
  })) << message_of(kDeployment, "ScalingDown");
  const std::string set = under_rocks.front().substr(0, under_rocks.front().rfind('-'));
  EXPECT_THAT(message_of("machineset/" + set, "ScalingDown"), HasSubstr("DrainingNode since "));

  // And when the user gives way, the drain goes on at once.
  const SystemClock clock;
  const std::string opened =
      workload({"patch", "pdb/rock", "--type=merge", R"(-p={"spec":{"maxUnavailable":1}})",
                "-o=jsonpath={.metadata.resourceVersion}"});
  ASSERT_GT(std::strtoull(opened.c_str(), nullptr, 10), 0U) << opened;
  const SteadyTime given_way = clock.steady_now();
  EXPECT_TRUE(eventually(seconds(20), [&] { return old_ones().empty(); }));
  const auto took = std::chrono::duration<double>(clock.steady_now() - given_way).count();

  // The outside watcher's verdict.
  EXPECT_EQ(kubelets_->beginnings(), 1) << "what it saw has a gap";
  std::map<std::string, std::size_t> complete;
  for (const App& app : kApps) complete[app.name] = app.pods;
  const auto events = kubelets_->history();
  const auto histories = history_of(events, complete);
  for (const App& app : kApps) {
    const AppHistory& history = histories.at(app.name);
    const std::size_t least = app.name == "rock" ? 1 : app.fewest_healthy;  // the user has given way
    EXPECT_GE(history.fewest, least) << app.name << ": broken at " << history.fewest_at;
    EXPECT_GE(history.most, app.pods) << app.name << " was never complete";
    fmt::print("{}: {} of {} Pods left, at least {} healthy all the time\n", app.name, history.left, app.pods,
               history.fewest);
  }
  // Until the user gave way, in the server's own order of changes, not one Pod of the rock was deleted.
  const AppHistory shut =
      history_of(events_before(events, std::strtoull(opened.c_str(), nullptr, 10)), complete).at("rock");
  EXPECT_EQ(shut.fewest, 2U) << "broken at " << shut.fewest_at;
  EXPECT_EQ(shut.left, 0U);
  fmt::print("rock, as long as its budget allowed none: {} left, at least {} healthy\n", shut.left,
             shut.fewest);
  EXPECT_THAT(kubelets_->refusals(), IsEmpty());

  std::size_t asked = 0;
  std::size_t accepted = 0;
  AuditReader log(bed_->workload().audit_log());
  const auto entries = log.more();
  ASSERT_TRUE(entries);
  for (const AuditEntry& entry : *entries) {
    if (entry.resource != "pods/eviction") continue;
    ++asked;
    accepted += entry.code == 201;
  }
  fmt::print(
      "{} evictions asked for, {} accepted; the last two Machines went {:.1f} s after the budget opened\n",
      asked, accepted, took);
  EXPECT_LE(asked, 10 * accepted);
}

// A policy that has pools drained, and what it is for: Pod slab of the first Node, which may not be evicted,
// and Pod free of the second, which may.
constexpr std::string_view kDrainsPools = R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {name: gentle, namespace: default}
spec:
  selector: {matchLabels: {care: "yes"}}
  drain: {machinePools: true}
)";
constexpr std::string_view kPodsOfPool = R"(
apiVersion: v1
kind: Pod
metadata: {name: slab, labels: {app: slab}}
spec:
  nodeName: gentle-pool-0
  terminationGracePeriodSeconds: 5
  containers: [{name: c, image: i}]
---
apiVersion: v1
kind: Pod
metadata: {name: free, labels: {app: free}}
spec:
  nodeName: gentle-pool-1
  terminationGracePeriodSeconds: 5
  containers: [{name: c, image: i}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: slab}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: slab}}
)";

TEST_F(Drain, OfAPoolWhosePolicyAsksForItHoldsItsInstancesUntilTheBudgetOpens) {
  apply_sample("gentle", {"--machines=0", "--pool=2"});
  if (HasFatalFailure()) return;
  const std::string pool = "machinepool/gentle-pool";
  const std::string instances = "drivermachinepool/gentle-pool";
  ASSERT_THAT(kubectl({"wait", "--for=jsonpath={.status.availableReplicas}=2", "--timeout=50s", pool}),
              EndsWith("condition met\n"));
  ASSERT_THAT(kubectl({"label", pool, "care=yes"}), EndsWith("labeled\n"));
  ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kDrainsPools)), EndsWith("created\n"));
  ASSERT_THAT(until("jsonpath={.status.selected.machinePools}=1", "machinelifecyclepolicy/gentle"),
              EndsWith("condition met\n"));
  kubelets_ = std::make_unique<Kubelets>(bed_->workload().kubeconfig_path());
  ASSERT_THAT(workload({"apply", "-f", "-"}, std::string(kPodsOfPool)), Not(StartsWith("failed")));
  ASSERT_THAT(workload({"wait", "--for=jsonpath={.status.currentHealthy}=1", "--timeout=50s", "pdb/slab"}),
              EndsWith("condition met\n"));

  ASSERT_THAT(kubectl({"delete", pool, "--wait=false"}), HasSubstr("deleted"));
  const std::string wanted = "1 of 2 Nodes are drained\n* Node gentle-pool-0: ";
  EXPECT_TRUE(eventually(seconds(60), [&] {
    const auto said = message_of(pool, "Deleting");
    return said.find(wanted) != std::string::npos && said.find("budget slab needs 1") != std::string::npos;
  })) << message_of(pool, "Deleting");
  const std::string held = kubectl(
      {"get", "machinepool", "gentle-pool",
       R"(-o=jsonpath={range .status.conditions[?(@.type=="Deleting")]}{.status} {.reason}{"\n"}{.message}{"\n"}{end})"});
  const std::string going = kubectl({"get", instances, "-o=jsonpath={.metadata.deletionTimestamp}"});
  const Lines nodes = field_of_nodes("gentle-pool-", ".metadata.name} {.spec.unschedulable");
  const std::string opened =
      workload({"patch", "pdb/slab", "--type=merge", R"(-p={"spec":{"minAvailable":0}})",
                "-o=jsonpath={.metadata.resourceVersion}"});
  ASSERT_GT(std::strtoull(opened.c_str(), nullptr, 10), 0U) << opened;
  const bool gone = eventually(seconds(60), [&] {
    return kubectl({"get", pool, instances, "--ignore-not-found", "-o=name"}).empty() &&
           field_of_nodes("gentle-pool-", ".metadata.name").empty();
  });

  fmt::print("{}", held);
  EXPECT_THAT(held, AllOf(StartsWith("True DrainingNode\n"), HasSubstr(wanted)));
  EXPECT_EQ(going, "") << "its instances are being deleted";
  EXPECT_THAT(nodes, testing::ElementsAre("gentle-pool-0 true", "gentle-pool-1 true"));
  EXPECT_TRUE(gone) << kubectl({"get", "machinepools,drivermachinepools", "-o=wide"});
  // The outside watcher's verdict.
  EXPECT_EQ(kubelets_->beginnings(), 1) << "what it saw has a gap";
  const auto events = kubelets_->history();
  const std::map<std::string, std::size_t> complete = {{"slab", 1}, {"free", 1}};
  const auto shut = history_of(events_before(events, std::strtoull(opened.c_str(), nullptr, 10)), complete);
  EXPECT_EQ(shut.at("slab").fewest, 1U) << "the budget was broken";
  EXPECT_EQ(shut.at("slab").left, 0U);
  EXPECT_EQ(shut.at("free").left, 1U);
  EXPECT_EQ(history_of(events, complete).at("slab").left, 1U);
  EXPECT_THAT(kubelets_->refusals(), IsEmpty());
}

std::string attachment_to(const std::string& node) {
  return fmt::format(R"(
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {{name: va-{0}}}
spec:
  attacher: disk.example.com
  nodeName: {0}
  source: {{persistentVolumeName: pv-{0}}}
)",
                     node);
}

TEST_F(Drain, ByForceTakesTheVolumeAttachmentsOfItsOwnNodeAlone) {
  apply_sample("forced", {"--machines=2"});
  if (HasFatalFailure()) return;
  ASSERT_THAT(kubectl({"wait", "--for=jsonpath={.status.availableReplicas}=2", "--timeout=50s",
                       "machinedeployment/forced-workers"}),
              EndsWith("condition met\n"));
  const Lines machines = field_of_machines("pool=forced-workers", ".metadata.name} {.status.nodeRef.name");
  ASSERT_THAT(machines, SizeIs(2));
  const auto name_of = [](const std::string& line) { return line.substr(0, line.find(' ')); };
  const auto node_of = [](const std::string& line) { return line.substr(line.find(' ') + 1); };
  for (const auto& line : machines)
    ASSERT_THAT(workload({"apply", "-f", "-"}, attachment_to(node_of(line))), EndsWith("created\n"));

  const std::string doomed = "machine/" + name_of(machines[0]);
  ASSERT_THAT(kubectl({"label", doomed, "capstan.dev/force-deletion=true"}), EndsWith("labeled\n"));
  ASSERT_THAT(kubectl({"delete", doomed, "--wait=false"}), HasSubstr("deleted"));
  const bool gone = eventually(
      seconds(60), [&] { return kubectl({"get", doomed, "--ignore-not-found", "-o=name"}).empty(); });

  EXPECT_TRUE(gone) << kubectl({"get", doomed, "-o=yaml"});
  EXPECT_EQ(workload({"get", "volumeattachments", "-o=name"}),
            "volumeattachment.storage.k8s.io/va-" + node_of(machines[1]) + "\n");
}

}  // namespace
}  // namespace capstan::envtest
