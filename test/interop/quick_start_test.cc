// The walk of docs/quick-start.md beside upstream's own providers: what is generated is applied, every
// Machine gets its Node, and the Cluster goes again.
#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kFirstLease,
    kControlPlaneIsGone,
    kNodeIsGone,
};

class QuickStart : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    Neighbours::SetUpTestSuite();
    explain(kExplained);
  }
};

TEST_F(QuickStart, AManifestOfV1beta2BecomesMachinesAndGoesAgain) {
  comes_up({.name = "quick", .api_version = "v1beta2", .control_planes = 3, .workers = 3});
  EXPECT_THAT(clusterctl({"describe", "cluster", "quick"}),
              HasSubstr("MachineDeployment default/quick-md-0"));
  goes("quick");
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
