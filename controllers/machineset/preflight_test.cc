#include "controllers/machineset/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::controllers::machineset {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string> kAll = {"All"};

// A cluster whose control plane runs v1.30.0, and a set that wants the same.
PreflightQuestion stable() {
  return {.control_plane = {.referenced = true,
                            .described = "KubeadmControlPlane default/cp",
                            .version = "v1.30.0"},
          .machine_version = "v1.30.0",
          .kubeadm = true,
          .enabled = kAll};
}

TEST(Preflight, PassesWhenEverythingFits) { EXPECT_TRUE(preflight(stable()).passed()); }

TEST(Preflight, NothingIsCheckedWithoutControlPlaneObject) {
  auto question = stable();
  question.control_plane = {.problem = "never asked for", .version = "v1.0.0"};

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, NothingIsCheckedWhenTheControlPlaneHasNoVersion) {
  auto question = stable();
  question.control_plane.version.reset();
  question.control_plane.provisioning = true;

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, NothingIsCheckedWithAnEmptyFlag) {
  auto question = stable();
  question.enabled = {};
  question.control_plane.provisioning = true;

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, AControlPlaneThatCantBeReadIsAnError) {
  auto question = stable();
  question.control_plane.problem = "failed to get KubeadmControlPlane default/cp: it does not exist";

  EXPECT_EQ(preflight(question).error, "failed to get KubeadmControlPlane default/cp: it does not exist");
}

TEST(Preflight, WaitsForAControlPlaneThatIsProvisioning) {
  auto question = stable();
  question.control_plane.provisioning = true;

  EXPECT_THAT(
      preflight(question).failed,
      ElementsAre("KubeadmControlPlane default/cp is provisioning (\"ControlPlaneIsStable\" preflight "
                  "check failed)"));
}

TEST(Preflight, WaitsForAControlPlaneThatIsUpgrading) {
  auto question = stable();
  question.control_plane.upgrading = true;

  EXPECT_THAT(
      preflight(question).failed,
      ElementsAre("KubeadmControlPlane default/cp is upgrading (\"ControlPlaneIsStable\" preflight check "
                  "failed)"));
}

TEST(Preflight, WaitsForAnUpgradeTheTopologyHasAskedFor) {
  auto question = stable();
  question.topology_version = "v1.31.0";

  EXPECT_THAT(preflight(question).failed,
              ElementsAre("KubeadmControlPlane default/cp has a pending version upgrade to v1.31.0 "
                          "(\"ControlPlaneIsStable\" preflight check failed)"));
}

TEST(Preflight, AnUpgradeInStepsIsNotPendingAtItsPresentStep) {
  auto question = stable();
  question.topology_version = "v1.31.0";
  question.upgrade_step = "v1.30.0";

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, AKubeletIsNeverNewerThanItsApiServer) {
  auto question = stable();
  question.machine_version = "v1.31.0";
  question.kubeadm = false;

  EXPECT_THAT(
      preflight(question).failed,
      ElementsAre("MachineSet version (1.31.0) and ControlPlane version (1.30.0) do not conform to the "
                  "kubernetes version skew policy as MachineSet version is higher than ControlPlane "
                  "version (\"KubernetesVersionSkew\" preflight check failed)"));
}

TEST(Preflight, AKubeletMayBeThreeMinorsBehindButNotFour) {
  auto question = stable();
  question.kubeadm = false;
  question.machine_version = "v1.27.9";
  EXPECT_TRUE(preflight(question).passed());

  question.machine_version = "v1.26.0";
  EXPECT_THAT(
      preflight(question).failed,
      ElementsAre("MachineSet version (1.26.0) and ControlPlane version (1.30.0) do not conform to the "
                  "kubernetes version skew policy as MachineSet version is more than 3 minor versions "
                  "older than the ControlPlane version (\"KubernetesVersionSkew\" preflight check "
                  "failed)"));
}

TEST(Preflight, AVeryOldControlPlaneDoesNotWrapAround) {
  auto question = stable();
  question.kubeadm = false;
  question.control_plane.version = "v1.2.0";
  question.machine_version = "v1.1.0";

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, KubeadmJoinsWithTheSameMinorOnly) {
  auto question = stable();
  question.machine_version = "v1.29.4";

  EXPECT_THAT(preflight(question).failed,
              ElementsAre("MachineSet version (1.29.4) and ControlPlane version (1.30.0) do not conform to "
                          "kubeadm version skew policy as kubeadm only supports joining with the same "
                          "major+minor version as the control plane (\"KubeadmVersionSkew\" preflight check "
                          "failed)"));
}

TEST(Preflight, OtherBootstrapProvidersMayLagBehind) {
  auto question = stable();
  question.machine_version = "v1.29.4";
  question.kubeadm = false;

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, OfATopologyTheVersionHasToHaveArrived) {
  auto question = stable();
  question.machine_version = "v1.29.4";
  question.kubeadm = false;
  question.topology_version = "v1.30.0";

  EXPECT_THAT(
      preflight(question).failed,
      ElementsAre("MachineSet version (1.29.4) is not yet the same as the ControlPlane version (1.30.0), "
                  "waiting for version to be propagated to the MachineSet (\"ControlPlaneVersionSkew\" "
                  "preflight check failed)"));
}

TEST(Preflight, SetsWithoutVersionSkipWhatComparesVersions) {
  auto question = stable();
  question.machine_version = {};

  EXPECT_TRUE(preflight(question).passed());
}

TEST(Preflight, AVersionThatIsNoneIsAnErrorThatNamesTheField) {
  auto question = stable();
  question.machine_version = "latest";

  EXPECT_THAT(preflight(question).error, testing::StartsWith("spec.template.spec.version: "));
}

TEST(Preflight, ChecksAreSkippedByName) {
  auto question = stable();
  question.control_plane.upgrading = true;
  question.machine_version = "v1.31.0";
  ASSERT_THAT(preflight(question).failed, SizeIs(3));

  question.skipped = " KubernetesVersionSkew , KubeadmVersionSkew";
  EXPECT_THAT(preflight(question).failed, ElementsAre(testing::HasSubstr("is upgrading")));

  question.skipped = "All";
  EXPECT_THAT(preflight(question).failed, IsEmpty());
}

TEST(Preflight, TheFlagMayNameSingleChecks) {
  auto question = stable();
  const std::vector<std::string> one = {"KubeadmVersionSkew"};
  question.enabled = one;
  question.control_plane.upgrading = true;
  question.machine_version = "v1.29.0";

  EXPECT_THAT(preflight(question).failed, ElementsAre(testing::HasSubstr("KubeadmVersionSkew")));
}

}  // namespace
}  // namespace capstan::controllers::machineset
