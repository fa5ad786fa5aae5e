// A fleet of upstream's kubeadm control plane and bootstrap providers through everything that users do to it
// after the quick start: its control plane scales and rolls, Machines are remediated, the Cluster is paused,
// rollouts are steered by clusterctl. At the end every Warning, every error in the log and every refused
// request is one of those that are explained below.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "test/envtest/audit.h"
#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// What may go wrong in such a life, and why that is right.
struct Explained {
  std::string_view pattern;
  std::string_view why;
};
constexpr Explained kExplained[] = {
    {"webhook certificate why=\"it is not for capi-webhook-service",
     "the test serves that of the API server"},
    {"deletion is held up .*get Node .*: http 404 without a Status",
     "so upstream's in-memory API server says that a Node is gone; nodeDeletionTimeoutSeconds ends it"},
    {"informer: watch failed, will be tried again .*kind=Node .*Unavailable: ",
     "upstream's in-memory API server goes before its Cluster's last Machine"},
    {"^watch .* 429$", "a busy API server that builds its watch cache asks to come again"},
    {"^get leases .*/controller-leader-election-capi 404$", "the first manager makes the Lease"},
    {"^get secrets .*-kubeconfig 404$", "the control plane provider has not made it yet"},
    {"^get (kubeadmcontrolplanes|devclusters) .* 404$", "a Cluster goes when these are gone, by a live read"},
};

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

  // "Event REASON of KIND/NAME: MESSAGE", of ours alone.
  static std::vector<std::string> warnings() {
    return lines_of(
        kubectl({"get", "events", "-A", "--field-selector=type=Warning",
                 "-o=jsonpath={range .items[?(@.source.component==\"capstan\")]}Event {.reason} of "
                 "{.involvedObject.kind}/{.involvedObject.name}: {.message}{\"\\n\"}{end}"}));
  }
  static std::vector<std::string> errors_logged() {
    auto lines = lines_of(content_of(manager_.log()));
    std::erase_if(lines, [](const std::string& line) { return line.find("ERROR") == std::string::npos; });
    return lines;
  }
  static std::vector<std::string> refused() {
    std::vector<std::string> lines;
    for (const AuditEntry& entry :
         AuditReader(servers_->audit_log()).more().value_or(std::vector<AuditEntry>()))
      if (entry.user == "system:serviceaccount:capi-system:capi-manager" && is_refused(entry))
        lines.push_back(fmt::format("{} {} {} {}", entry.verb, entry.resource, entry.uri, entry.code));
    return lines;
  }
  static std::vector<std::string> unexplained(std::vector<std::string> lines) {
    std::erase_if(lines, [](const std::string& line) {
      return std::ranges::any_of(kExplained, [&](const Explained& one) {
        return std::regex_search(line, std::regex(std::string(one.pattern)));
      });
    });
    return lines;
  }
};

TEST_F(RealFleet, AControlPlaneScalesAndRollsAndItsMachinesAreReplaced) {
  comes_up({.name = "real", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  // Upstream's in-memory API server tells watchers of no Pod that is gone: its drains end by their timeout.
  merge("kubeadmcontrolplane/real-control-plane",
        R"({"spec":{"machineTemplate":{"spec":{"deletion":{"nodeDrainTimeoutSeconds":5}}}}})");
  scale("kubeadmcontrolplane/real-control-plane", 3);
  has_available("kubeadmcontrolplane/real-control-plane", 3);

  kubectl({"apply", "-f=-"}, fmt::format(kCheck, "real"));
  is_remediated(*names(workers_of("real")).begin(), workers_of("real"));
  is_remediated(*names(control_plane_of("real")).begin(), control_plane_of("real"));
  has_available("machinedeployment/real-md-0", 2);
  has_available("kubeadmcontrolplane/real-control-plane", 3);

  merge("kubeadmcontrolplane/real-control-plane", R"({"spec":{"version":"v1.36.1"}})");
  EXPECT_TRUE(waited([] {
    return names(control_plane_of("real")).size() == 3 && versions(control_plane_of("real")) == "v1.36.1";
  }));
  has_available("kubeadmcontrolplane/real-control-plane", 3);
  EXPECT_EQ(versions(workers_of("real")), "v1.36.0");
  goes("real");
}

// The other Cluster is the clock: what it does meanwhile, the paused one could have done.
TEST_F(RealFleet, APausedClusterStandsStillAndGoesOn) {
  comes_up({.name = "paused", .api_version = "v1beta2", .control_planes = 1, .workers = 1});
  comes_up({.name = "clock", .api_version = "v1beta1", .control_planes = 1, .workers = 1});
  merge("cluster/paused", R"({"spec":{"paused":true}})");
  eventually(condition_of("machinedeployment/paused-md-0", "Paused"), "True");
  const auto before = names(workers_of("paused"));

  scale("machinedeployment/paused-md-0", 3);
  scale("machinedeployment/clock-md-0", 3);
  has_available("machinedeployment/clock-md-0", 3);
  EXPECT_EQ(names(workers_of("paused")), before);

  merge("cluster/paused", R"({"spec":{"paused":false}})");
  has_available("machinedeployment/paused-md-0", 3);
  EXPECT_TRUE(std::ranges::includes(names(workers_of("paused")), before));
  goes("paused");
  goes("clock");
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

// Last of its server: what the others left behind in Events, log and audit log.
TEST_F(RealFleet, WhatWasWarnedOfRefusedOrLoggedIsExplained) {
  EXPECT_THAT(unexplained(warnings()), IsEmpty());
  EXPECT_THAT(unexplained(errors_logged()), IsEmpty());
  EXPECT_THAT(unexplained(refused()), IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
