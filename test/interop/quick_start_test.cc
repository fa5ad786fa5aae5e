// The walk of docs/quick-start.md beside upstream's own providers, by the page's own commands: what is
// generated is applied, every Machine gets its Node, and the Cluster goes again. And the same by manifests of
// v1beta1.
#include <fstream>

#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::minutes;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kFirstLease,
    kControlPlaneIsGone,
    kNodeIsGone,
};

// The programs of the page: those of this test, with its repository.
constexpr std::string_view kPrograms = R"(
kubectl() { "$KUBECTL" "$@"; }
clusterctl() { "$CAPSTAN_CLUSTERCTL" "$@" --config="$REPOSITORY/clusterctl.yaml"; }
)";

class QuickStart : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    Neighbours::SetUpTestSuite();
    explain(kExplained);
  }
  // What stands in code blocks below the headings with these numbers.
  static std::string commands_of(std::string_view sections) {
    std::string commands;
    bool is_wanted = false;
    bool is_code = false;
    std::ifstream page("docs/quick-start.md");
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with("## ")) is_wanted = sections.contains(line[3]);
      if (line == "```") is_code = false;
      if (is_wanted && is_code) commands += line + "\n";
      if (line == "```sh") is_code = true;
    }
    return commands;
  }
  // What they print, up to the first that fails.
  static std::string take(const std::string& commands) {
    return text_of(run({.argv = {"bash", "-euo", "pipefail", "-c", std::string(kPrograms) + commands},
                        .environment = {"KUBECTL=" + servers_->kubectl().string(),
                                        "KUBECONFIG=" + servers_->kubeconfig_path().string(),
                                        "REPOSITORY=" + in_folder("repository").string(),
                                        "CLUSTERCTL_DISABLE_VERSIONCHECK=true",
                                        "XDG_CONFIG_HOME=" + in_folder("config").string()}},
                       minutes(8)));
  }
};

TEST_F(QuickStart, TheCommandsOfThePageMakeMachinesAndTakeThemAwayAgain) {
  const std::string said = take(commands_of("234"));
  EXPECT_THAT(said, Not(StartsWith("failed: ")));
  EXPECT_THAT(said, HasSubstr("MachineDeployment default/quick-md-0"));
  const FleetWalk fleet = walk("quick");
  fleet.is_up(8);
  EXPECT_THAT(lines_of(kubectl({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=quick-md-0",
                                "-o=jsonpath={range .items[*]}{.spec.version}{\"\\n\"}{end}"})),
              Each("v1.36.1"));

  EXPECT_THAT(take(commands_of("5")), HasSubstr("cluster.cluster.x-k8s.io \"quick\" deleted"));
  fleet.is_gone();
}

// As a tool does that was never moved to v1beta2: it applies its manifest again.
TEST_F(QuickStart, AFleetOfAManifestOfV1beta1GrowsAndRollsByItAndGoesAgain) {
  comes_up({.name = "older", .api_version = "v1beta1", .control_planes = 1, .workers = 2});
  std::string changed =
      generated({.name = "older", .api_version = "v1beta1", .control_planes = 1, .workers = 3});
  const auto of_the_workers = changed.rfind("v1.36.0");
  ASSERT_NE(of_the_workers, std::string::npos);
  walk("older").kubectl({"apply", "-f=-"}, changed.replace(of_the_workers, 7, "v1.36.1"));
  eventually({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=older-md-0",
              "-o=jsonpath={.items[*].spec.version}"},
             "v1.36.1 v1.36.1 v1.36.1");
  eventually(condition_of("machinedeployment/older-md-0", "RollingOut"), "False");
  EXPECT_THAT(machines_with_node("older"), SizeIs(4));
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
