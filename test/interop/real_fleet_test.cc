// A fleet of upstream's kubeadm control plane and bootstrap providers through everything that users do to it
// after the quick start: its control plane scales and rolls, Machines are remediated, the Cluster is paused,
// rollouts are steered by clusterctl.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kFirstLease,
    kControlPlaneIsGone,
    kNodeIsGone,
    {.pattern = "HealthCheckMisconfigured of MachineHealthCheck/(older|newer): spec.clusterName: Cluster "
                "(older|newer) does not exist",
     .why = "the garbage collector takes the check after its Cluster",
     .sometimes = "it may come before the check has a turn"}};

constexpr std::string_view kCheck = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {{name: {0}, namespace: default}}
spec:
  clusterName: {0}
  selector: {{matchLabels: {{cluster.x-k8s.io/cluster-name: {0}}}}}
  checks: {{nodeStartupTimeoutSeconds: 0}}
)";

class RealFleet : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    Neighbours::SetUpTestSuite();
    explain(kExplained);
  }
  static std::string workers_of(const std::string& cluster) {
    return "cluster.x-k8s.io/deployment-name=" + cluster + "-md-0";
  }
  static std::string control_plane_of(const std::string& cluster) {
    return "cluster.x-k8s.io/control-plane,cluster.x-k8s.io/cluster-name=" + cluster;
  }
  static std::set<std::string> names(const std::string& selector) {
    const auto lines = lines_of(kubectl({"get", "machines", "-l=" + selector, "-o=name"}));
    return {lines.begin(), lines.end()};
  }
  static std::string versions(const std::string& selector) {
    std::set<std::string> seen;
    std::istringstream words(
        kubectl({"get", "machines", "-l=" + selector, "-o=jsonpath={.items[*].spec.version}"}));
    for (std::string word; words >> word;) seen.insert(word);
    return fmt::format("{}", fmt::join(seen, " "));
  }
  // Asks a health check to replace it, as a user does, and waits until it has gone and the others are as many
  // as before.
  static void is_remediated(const std::string& machine, const std::string& selector) {
    const auto before = names(selector);
    kubectl({"annotate", machine, "cluster.x-k8s.io/remediate-machine="});
    EXPECT_TRUE(waited([&] {
      const auto now = names(selector);
      return now.size() == before.size() && !now.contains(machine);
    })) << machine
        << " is still there:\n"
        << troubles_of(machine);
  }
  // What its conditions say, for a failure's message.
  static std::string troubles_of(const std::string& machine) {
    return kubectl(
        {"get", machine, "--ignore-not-found",
         "-o=jsonpath={range .status.conditions[*]}{.type} {.status} {.reason}: {.message}{\"\\n\"}{end}"});
  }
  static void scale(const std::string& object, int replicas) {
    kubectl({"scale", object, "--replicas=" + std::to_string(replicas)});
  }
  static void has_available(const std::string& object, int replicas) {
    eventually({"get", object, "-o=jsonpath={.status.availableReplicas}"}, std::to_string(replicas));
  }
  static void merge(const std::string& object, const std::string& patch) {
    kubectl({"patch", object, "--type=merge", "-p=" + patch});
  }

  // --- a control plane's life ---

  // Upstream's in-memory API server tells watchers of no Pod that is gone: drains end by their timeout.
  static void has_control_planes(const std::string& cluster) {
    const std::string object = "kubeadmcontrolplane/" + cluster + "-control-plane";
    merge(object, R"({"spec":{"machineTemplate":{"spec":{"deletion":{"nodeDrainTimeoutSeconds":5}}}}})");
    scale(object, 3);
    has_available(object, 3);
  }
  static void replaces_machines(const std::string& cluster) {
    kubectl({"apply", "-f=-"}, fmt::format(kCheck, cluster));
    is_remediated(*names(workers_of(cluster)).begin(), workers_of(cluster));
    is_remediated(*names(control_plane_of(cluster)).begin(), control_plane_of(cluster));
    has_available("machinedeployment/" + cluster + "-md-0", 2);
    has_available("kubeadmcontrolplane/" + cluster + "-control-plane", 3);
  }
  static void rolls_its_control_plane(const std::string& cluster) {
    const std::string object = "kubeadmcontrolplane/" + cluster + "-control-plane";
    merge(object, R"({"spec":{"version":"v1.36.1"}})");
    EXPECT_TRUE(waited([&] {
      return names(control_plane_of(cluster)).size() == 3 && versions(control_plane_of(cluster)) == "v1.36.1";
    }));
    has_available(object, 3);
    EXPECT_EQ(versions(workers_of(cluster)), "v1.36.0");
  }

  // --- a pause ---

  // The other Cluster is the clock: what it does meanwhile, the paused one could have done.
  static void stands_still_while_paused(const std::string& cluster, const std::string& clock, int workers) {
    const std::string deployment = "machinedeployment/" + cluster + "-md-0";
    merge("cluster/" + cluster, R"({"spec":{"paused":true}})");
    eventually(condition_of(deployment, "Paused"), "True");
    const auto before = names(workers_of(cluster));

    scale(deployment, workers);
    scale("machinedeployment/" + clock + "-md-0", workers);
    has_available("machinedeployment/" + clock + "-md-0", workers);
    EXPECT_EQ(names(workers_of(cluster)), before);

    merge("cluster/" + cluster, R"({"spec":{"paused":false}})");
    has_available(deployment, workers);
    EXPECT_TRUE(std::ranges::includes(names(workers_of(cluster)), before));
  }
};

TEST_F(RealFleet, AControlPlaneOfV1beta1ScalesAndRollsAndItsMachinesAreReplaced) {
  comes_up({.name = "older", .api_version = "v1beta1", .control_planes = 1, .workers = 2});
  has_control_planes("older");
  replaces_machines("older");
  rolls_its_control_plane("older");
  goes("older");
}

TEST_F(RealFleet, AControlPlaneOfV1beta2ScalesAndRollsAndItsMachinesAreReplaced) {
  comes_up({.name = "newer", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  has_control_planes("newer");
  replaces_machines("newer");
  rolls_its_control_plane("newer");
  goes("newer");
}

TEST_F(RealFleet, APausedClusterStandsStillAndGoesOn) {
  comes_up({.name = "one", .api_version = "v1beta1", .control_planes = 1, .workers = 1});
  comes_up({.name = "other", .api_version = "v1beta2", .control_planes = 1, .workers = 1});
  stands_still_while_paused("one", "other", 2);
  stands_still_while_paused("other", "one", 3);
  goes("one");
  goes("other");
}

TEST_F(RealFleet, ClusterctlSteersItsRollouts) {
  comes_up({.name = "steered", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  const auto rollout = [](const char* verb) {
    return clusterctl({"alpha", "rollout", verb, "machinedeployment/steered-md-0"});
  };
  const auto before = names(workers_of("steered"));

  EXPECT_THAT(rollout("pause"), Not(StartsWith("failed")));
  merge("machinedeployment/steered-md-0", R"({"spec":{"template":{"spec":{"version":"v1.36.1"}}}})");
  eventually(condition_of("machinedeployment/steered-md-0", "RollingOut"), "True");
  scale("machinedeployment/steered-md-0", 3);
  has_available("machinedeployment/steered-md-0", 3);
  EXPECT_TRUE(std::ranges::includes(names(workers_of("steered")), before)) << "it rolled while paused";

  EXPECT_THAT(rollout("resume"), Not(StartsWith("failed")));
  eventually(condition_of("machinedeployment/steered-md-0", "RollingOut"), "False");
  EXPECT_EQ(versions(workers_of("steered")), "v1.36.1");

  const auto rolled = names(workers_of("steered"));
  EXPECT_THAT(rollout("restart"), Not(StartsWith("failed")));
  EXPECT_TRUE(waited([&] {
    const auto now = names(workers_of("steered"));
    return now.size() == 3 &&
           std::ranges::none_of(now, [&](const auto& name) { return rolled.contains(name); });
  }));
  has_available("machinedeployment/steered-md-0", 3);

  const std::string kubeconfig = clusterctl({"get", "kubeconfig", "steered"});
  EXPECT_THAT(kubeconfig, HasSubstr("name: steered-admin@steered"));
  goes("steered");
}

}  // namespace
}  // namespace capstan::envtest
