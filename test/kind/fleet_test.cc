// A fleet of containers in the cluster that scripts/kind has made: it comes up, grows, rolls, a pool grows,
// and all goes again, by the steps that the suites of test/interop take, too. scripts/kind names everything
// in the environment.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "test/envtest/child_process.h"
#include "test/interop/fleet_walk.h"

namespace capstan::envtest {
namespace {

using std::chrono::minutes;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto kStep = minutes(15);  // containers are machines that boot
constexpr auto kCommand = minutes(2);
constexpr std::string_view kName = "fleet";
constexpr std::string_view kPodNetwork = "192.168.0.0/16";  // as fleet.yaml says

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) ADD_FAILURE() << name << " is not set: run this suite through scripts/kind";
  return value == nullptr ? std::string() : value;
}

std::string output(std::vector<std::string> command, std::string input = {}) {
  const auto outcome = run({.argv = std::move(command), .input = std::move(input)}, kCommand);
  if (!outcome) return "failed: " + outcome.error().describe();
  return outcome->exit_code == 0 ? outcome->out : "failed: " + outcome->out + outcome->err;
}

class KindFleet : public ::testing::Test {
 protected:
  static std::string kubectl(std::vector<std::string> arguments, std::string input = {},
                             const std::string& kubeconfig = setting("CAPSTAN_KIND_KUBECONFIG")) {
    arguments.insert(arguments.begin(), {setting("CAPSTAN_KIND_KUBECTL"), "--kubeconfig=" + kubeconfig});
    std::string text = output(std::move(arguments), std::move(input));
    if (text.starts_with("failed: ")) ADD_FAILURE() << text;
    return text;
  }
  static std::string clusterctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), setting("CAPSTAN_KIND_CLUSTERCTL"));
    arguments.push_back("--kubeconfig=" + setting("CAPSTAN_KIND_KUBECONFIG"));
    return output(std::move(arguments));
  }
  static std::string manifest() {
    return clusterctl({"generate", "cluster", std::string(kName), "--target-namespace=default",
                       "--from=test/kind/fleet.yaml",
                       "--kubernetes-version=" + setting("CAPSTAN_KIND_VERSION"),
                       "--control-plane-machine-count=1", "--worker-machine-count=2"});
  }
  // Nodes are Ready with a network only. Its manifest is in the image of the Nodes.
  static void install_network(const FleetWalk& fleet) {
    ASSERT_TRUE(fleet.eventually([&] { return !fleet.machines_with_node().empty(); }));
    const std::string node = fleet.machines_with_node().front();
    std::string network = output({"docker", "exec", node, "cat", "/kind/manifests/default-cni.yaml"});
    ASSERT_THAT(network, Not(StartsWith("failed: ")));
    constexpr std::string_view kPlace = "{{ .PodSubnet }}";
    for (std::size_t at = network.find(kPlace); at != std::string::npos; at = network.find(kPlace, at))
      network.replace(at, kPlace.size(), kPodNetwork);
    const std::string workload = setting("CAPSTAN_KIND_KUBECONFIG") + ".workload";
    std::ofstream(workload) << clusterctl({"get", "kubeconfig", std::string(kName)});
    kubectl({"apply", "-f=-"}, network, workload);
  }
};

TEST_F(KindFleet, ComesUpScalesRollsGrowsAPoolAndGoes) {
  const FleetWalk fleet(
      std::string(kName),
      [](std::vector<std::string> arguments, std::string input) {
        return kubectl(std::move(arguments), std::move(input));
      },
      kStep);

  kubectl({"apply", "-f=-"}, manifest());
  install_network(fleet);
  if (HasFatalFailure()) return;
  fleet.prints({"get", "machinepool/fleet-mp-0", "-o=jsonpath={.status.availableReplicas}"}, "1");
  fleet.scales("fleet-md-0", 3);
  fleet.rolls("fleet-md-0", setting("CAPSTAN_KIND_VERSION"));
  fleet.pool_scales("fleet-mp-0", 2);
  fleet.prints(FleetWalk::condition_of("cluster/fleet", "Available"), "True");
  fleet.goes();
}

}  // namespace
}  // namespace capstan::envtest
