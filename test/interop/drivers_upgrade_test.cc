// A real clusterctl upgrades the infrastructure provider: its drivers are still named afterwards, or the
// upgrade is refused. The package has no usual value for CAPSTAN_DRIVERS, for no value is right for more than
// one fleet.
#include <fstream>

#include "test/envtest/package_suite_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kNext = "v1.14.201";
constexpr std::string_view kArgument = "--drivers=/etc/capstan/drivers/drivers.yaml";
const std::string kNamespace = "capstan-infrastructure-system";

class DriversUpgrade : public Package {
 protected:
  static void SetUpTestSuite() {
    if (why_not()) return;
    start_servers();
    if (HasFatalFailure()) return;
    const auto packaged = package_into(in_folder("repository"));
    ASSERT_TRUE(packaged) << packaged.error().describe();
    const fs::path versions = in_folder("repository/infrastructure-capstan");
    fs::copy(versions / kVersion, versions / kNext);
    kubectl({"create", "namespace", kNamespace});
    kubectl({"-n=" + kNamespace, "create", "configmap", "capstan-drivers",
             "--from-literal=drivers.yaml=drivers: []"});
    const std::string at = ":" + std::string(kVersion);
    installed_ = on_servers({"CAPSTAN_DRIVERS=" + std::string(kArgument)},
                            {"init", "--core=cluster-api" + at, "--infrastructure=capstan" + at,
                             "--bootstrap=-", "--control-plane=-"});
  }
  void SetUp() override {
    Package::SetUp();
    ASSERT_THAT(installed_, Not(StartsWith("failed")));
    ASSERT_THAT(arguments(), HasSubstr(std::string(kArgument)));
  }

  static std::string on_servers(std::vector<std::string> variables, std::vector<std::string> arguments) {
    arguments.push_back("--kubeconfig=" + servers_->kubeconfig_path().string());
    return clusterctl_with(std::move(variables), std::move(arguments));
  }
  static std::string upgrade() {
    return on_servers(
        {}, {"upgrade", "apply", "--infrastructure=" + kNamespace + "/capstan:" + std::string(kNext)});
  }
  static std::string arguments() {
    return kubectl({"-n=" + kNamespace, "get", "deployment", "capstan-infrastructure-controller-manager",
                    "-o=jsonpath={.spec.template.spec.containers[0].args}"});
  }
  static std::string version() {
    return kubectl(
        {"-n=" + kNamespace, "get", "provider", "infrastructure-capstan", "-o=jsonpath={.version}"});
  }
};

// The configuration of clusterctl is where a variable stays from one command to the next.
TEST_F(DriversUpgrade, IsRefusedWithoutTheVariableAndKeepsTheDriversOfTheConfiguration) {
  const std::string before = arguments();
  EXPECT_THAT(upgrade(), HasSubstr("[CAPSTAN_DRIVERS] is not set"));
  EXPECT_EQ(version(), kVersion);
  EXPECT_EQ(arguments(), before);

  std::ofstream(in_folder("repository/clusterctl.yaml"), std::ios::app)
      << "CAPSTAN_DRIVERS: " << kArgument << "\n";
  EXPECT_THAT(upgrade(), Not(StartsWith("failed")));

  EXPECT_EQ(version(), kNext);
  EXPECT_THAT(arguments(), HasSubstr(std::string(kArgument)));
  EXPECT_EQ(kubectl({"-n=" + kNamespace, "get", "configmap", "capstan-drivers",
                     R"(-o=jsonpath={.data.drivers\.yaml})"}),
            "drivers: []")
      << "the file of drivers is the user's, and stays";
}

}  // namespace
}  // namespace capstan::envtest
