// The walk of docs/quick-start.md beside upstream's own providers: what is generated is applied, every
// Machine gets its Node, and the Cluster goes again.
#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QuickStart : public Neighbours {
 protected:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  // A line for each Machine of the Cluster that has its Node.
  static std::vector<std::string> machines_with_node(const std::string& cluster) {
    return lines_of(
        kubectl({"get", "machines", "-l=cluster.x-k8s.io/cluster-name=" + cluster,
                 "-o=jsonpath={range .items[?(@.status.nodeRef.name)]}{.metadata.name}{\"\\n\"}{end}"}));
  }
  // Asks until that is what kubectl prints.
  static void eventually(const std::vector<std::string>& get, const std::string& wanted) {
    std::string printed;
    EXPECT_TRUE(waited([&] { return (printed = kubectl(get)) == wanted; }))
        << get.back() << ": " << printed << ", not " << wanted;
  }
  static std::vector<std::string> condition_of(const std::string& object, const std::string& type) {
    return {"get", object, "-o=jsonpath={.status.conditions[?(@.type==\"" + type + "\")].status}"};
  }
  static void comes_up(const FleetWish& wish) {
    kubectl({"apply", "-f=-"}, generated(wish));
    eventually(condition_of("cluster/" + wish.name, "Available"), "True");
    // The control plane grows by one Machine at a time, and the Cluster is Available before it is complete.
    const auto wanted = static_cast<std::size_t>(wish.control_planes + wish.workers);
    EXPECT_TRUE(waited([&] { return machines_with_node(wish.name).size() == wanted; }));
  }
  static void goes(const std::string& cluster) {
    kubectl({"delete", "cluster", cluster, "--wait=false"});
    eventually(
        {"get", "clusters", "--ignore-not-found", "-o=name", "--field-selector=metadata.name=" + cluster},
        "");
    EXPECT_THAT(kubectl({"get", "machines,devmachines,kubeadmconfigs,machinesets,machinedeployments",
                         "-l=cluster.x-k8s.io/cluster-name=" + cluster, "-o=name"}),
                IsEmpty());
  }
};

TEST_F(QuickStart, AManifestOfV1beta2BecomesMachinesAndGoesAgain) {
  comes_up({.name = "quick", .api_version = "v1beta2", .control_planes = 3, .workers = 3});
  EXPECT_THAT(clusterctl({"describe", "cluster", "quick"}),
              HasSubstr("MachineDeployment default/quick-md-0"));
  goes("quick");
}

TEST_F(QuickStart, AManifestOfV1beta1BecomesMachinesAndGoesAgain) {
  comes_up({.name = "older", .api_version = "v1beta1", .control_planes = 1, .workers = 2});
  goes("older");
}

TEST_F(QuickStart, AFleetScalesAndRollsToAnotherVersion) {
  comes_up({.name = "rolling", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  kubectl({"scale", "machinedeployment/rolling-md-0", "--replicas=3"});
  eventually({"get", "machinedeployment/rolling-md-0", "-o=jsonpath={.status.availableReplicas}"}, "3");
  kubectl({"patch", "machinedeployment", "rolling-md-0", "--type=merge",
           R"(-p={"spec":{"template":{"spec":{"version":"v1.36.1"}}}})"});
  eventually(condition_of("machinedeployment/rolling-md-0", "RollingOut"), "True");
  eventually(condition_of("machinedeployment/rolling-md-0", "RollingOut"), "False");
  EXPECT_THAT(kubectl({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=rolling-md-0",
                       "-o=jsonpath={.items[*].spec.version}"}),
              "v1.36.1 v1.36.1 v1.36.1");
  EXPECT_THAT(machines_with_node("rolling"), SizeIs(4));
  goes("rolling");
}

}  // namespace
}  // namespace capstan::envtest
