// The packages of scripts/package on a real kube-apiserver, installed by a real clusterctl: over nothing,
// over upstream's, and taken away again.
#include "test/envtest/package_suite_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Package, IsTheSameBytesEachTime) {
  ASSERT_TRUE(package_into(in_folder("again")));

  for (const char* provider : {"cluster-api", "infrastructure-capstan", "bootstrap-capstan"}) {
    const auto differences =
        run({.argv = {"diff", "-r", in_folder("repository") / provider, in_folder("again") / provider}},
            seconds(10));
    EXPECT_EQ(text_of(differences), "") << provider;
  }
}

TEST_F(Package, IsInstalledByClusterctlInitAsThreeProviders) {
  EXPECT_THAT(installed_, Not(StartsWith("failed")));
  EXPECT_EQ(kubectl({"get", "providers.clusterctl.cluster.x-k8s.io", "-A", "--no-headers",
                     "-o=custom-columns=NS:.metadata.namespace,NAME:.metadata.name,VERSION:.version"}),
            "capi-system                     cluster-api              v1.14.200\n"
            "capstan-bootstrap-system        bootstrap-capstan        v1.14.200\n"
            "capstan-infrastructure-system   infrastructure-capstan   v1.14.200\n");
}

// With a usual value an upgrade without the variable would put the simulated cloud, whose Machines have no
// VMs, in the place of drivers.
TEST_F(Package, OfInfrastructureIsNotInstalledUntilItsDriversAreNamed) {
  const std::vector<std::string> generate = {"generate", "provider",
                                             "--infrastructure=capstan:" + std::string(kVersion)};

  EXPECT_THAT(clusterctl_with({}, generate), HasSubstr("[CAPSTAN_DRIVERS] is not set"));
  EXPECT_THAT(clusterctl_with({"CAPSTAN_DRIVERS=--drivers=/etc/capstan/drivers/drivers.yaml"}, generate),
              HasSubstr("- --drivers=/etc/capstan/drivers/drivers.yaml\n"));
}

// clusterctl merges what an upgrade brings into what stands: under another name both would stay.
TEST_F(Package, ItsObjectsHaveUpstreamsNames) {
  const auto named = [](const std::vector<std::string>& kinds) {
    std::vector<std::string> get = {"get", "-n=capi-system", "-l=cluster.x-k8s.io/provider=cluster-api",
                                    "-o=name", kinds.front()};
    return kubectl(std::move(get));
  };

  EXPECT_EQ(named({"serviceaccounts,services,deployments,roles,rolebindings,issuers,certificates"}),
            "serviceaccount/capi-manager\n"
            "service/capi-webhook-service\n"
            "deployment.apps/capi-controller-manager\n"
            "role.rbac.authorization.k8s.io/capi-leader-election-role\n"
            "rolebinding.rbac.authorization.k8s.io/capi-leader-election-rolebinding\n"
            "issuer.cert-manager.io/capi-selfsigned-issuer\n"
            "certificate.cert-manager.io/capi-serving-cert\n");
  EXPECT_EQ(
      named({"namespaces,clusterroles,clusterrolebindings,mutatingwebhookconfigurations,"
             "validatingwebhookconfigurations"}),
      "namespace/capi-system\n"
      "clusterrole.rbac.authorization.k8s.io/capi-aggregated-manager-role\n"
      "clusterrole.rbac.authorization.k8s.io/capi-manager-role\n"
      "clusterrolebinding.rbac.authorization.k8s.io/capi-manager-rolebinding\n"
      "mutatingwebhookconfiguration.admissionregistration.k8s.io/capi-mutating-webhook-configuration\n"
      "validatingwebhookconfiguration.admissionregistration.k8s.io/capi-validating-webhook-configuration\n");
}

TEST_F(Package, EveryKindIsFoundByClusterctlMove) {
  const std::string kinds = kubectl({"get", "crds", "-l=clusterctl.cluster.x-k8s.io", "-o=name"});
  const std::string taken_along = kubectl({"get", "crds", "-l=clusterctl.cluster.x-k8s.io/move", "-o=name"});

  EXPECT_THAT(kinds,
              AllOf(HasSubstr("/machines.cluster.x-k8s.io\n"), HasSubstr("/machinedrainrules.cluster."),
                    HasSubstr("/drivermachinetemplates.infrastructure."),
                    HasSubstr("/cloudconfigtemplates.bootstrap.")));
  EXPECT_THAT(taken_along,
              AllOf(HasSubstr("/machinelifecyclepolicies.policy.capstan.dev\n"),
                    HasSubstr("/machinedrainrules.cluster.x-k8s.io\n"),
                    HasSubstr("/nodeconfigs.bootstrap.cluster.x-k8s.io\n"), Not(HasSubstr("fleetpolicies"))))
      << "docs/install.md says which kinds go along, and that the FleetPolicy does not";
}

TEST_F(Package, BringsTheKindsThatIpamProvidersNeed) {
  for (const char* plural : {"ipaddresses", "ipaddressclaims"}) {
    const auto crd = object("crd", std::string(plural) + ".ipam.cluster.x-k8s.io");
    std::vector<std::string> served;
    for (const json::value& version : crd.at_pointer("/spec/versions").as_array())
      if (version.at("served").as_bool()) served.emplace_back(version.at("name").as_string());
    EXPECT_THAT(served, ::testing::ElementsAre("v1beta2", "v1beta1", "v1alpha1")) << plural;
    EXPECT_EQ(crd.at_pointer("/status/storedVersions"), json::array{"v1beta2"}) << plural;
    EXPECT_EQ(crd.at_pointer("/spec/conversion/webhook/clientConfig/service/name"), "capi-webhook-service");
    EXPECT_EQ(crd.at("metadata").at("labels").at("cluster.x-k8s.io/v1beta2"), "v1beta2") << plural;
  }
}

// What docs/install.md says for those without clusterctl.
TEST_F(Package, ItsVariablesCanBeFilledInBySed) {
  const fs::path components = in_folder("repository") / "cluster-api" / kVersion / "core-components.yaml";
  const auto filled =
      text_of(run({.argv = {"sed", R"(s/\${[A-Z_]*:=\([^}]*\)}/\1/g)", components}}, seconds(10)));

  EXPECT_THAT(filled, AllOf(Not(HasSubstr("${")), HasSubstr("--diagnostics-address=:8443\n"),
                            HasSubstr("InPlaceUpdates=false,MachineTaintPropagation=false\n")));
  EXPECT_THAT(kubectl({"apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f=-"}, filled),
              HasSubstr("deployment.apps/capi-controller-manager"));
}

// clusterctl puts our package in the place of upstream's.
class Upgrade : public Package {
 protected:
  static void SetUpTestSuite() {
    if (why_not() || !fs::exists(upstream())) return;
    start_servers();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(package_into(in_folder("repository")));
    for (const auto version : {kUpstream, kWayBack})
      fs::copy(upstream(), in_folder("repository") / "cluster-api" / version);
    installed_ = clusterctl({"init", "--core=cluster-api:" + std::string(kUpstream), "--bootstrap=-",
                             "--control-plane=-", "--infrastructure=-"});
  }
  void SetUp() override {
    Package::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(fs::exists(upstream()))
        << "upstream's package is not beside " << std::getenv("CAPSTAN_CLUSTERCTL");
  }
  static fs::path upstream() {
    return fs::path(std::getenv("CAPSTAN_CLUSTERCTL")).parent_path() / "upstream";
  }
  static void upgrade_to(std::string_view version) {
    ASSERT_THAT(clusterctl({"upgrade", "apply", "--core=capi-system/cluster-api:" + std::string(version)}),
                Not(StartsWith("failed")));
    ASSERT_EQ(kubectl({"get", "providers.clusterctl.cluster.x-k8s.io", "-n=capi-system", "--no-headers",
                       "-o=custom-columns=NAME:.metadata.name,VERSION:.version"}),
              "cluster-api   " + std::string(version) + "\n");
  }
  static json::value container() {
    return object("deployment", "capi-controller-manager", "capi-system")
        .at_pointer("/spec/template/spec/containers/0");
  }
  static std::string rules() {
    return json::serialize(object("clusterrole", "capi-manager-role").at("rules"));
  }
  static constexpr std::string_view kUpstream = "v1.14.2";
  static constexpr std::string_view kWayBack = "v1.14.300";
};

TEST_F(Upgrade, LeavesNothingOfUpstreamsAndCanBeTakenBack) {
  ASSERT_THAT(installed_, Not(StartsWith("failed")));

  upgrade_to(kVersion);
  EXPECT_THAT(rules(), Not(HasSubstr("clusterresourcesets")));
  EXPECT_EQ(container().at("command"), json::array{"/capstan"});
  EXPECT_EQ(container().at("image"), json::string("localhost/capstan:" + std::string(kVersion)));

  upgrade_to(kWayBack);
  EXPECT_THAT(rules(), AllOf(HasSubstr("clusterresourcesets"), Not(HasSubstr("policy.capstan.dev"))));
  EXPECT_EQ(container().at("command"), json::array{"/manager"});
}

// Last of its server: what is deleted is not there for others.
class Removal : public Package {};

TEST_F(Removal, KeepsTheKindsUnlessAsked) {
  EXPECT_THAT(clusterctl({"delete", "--core=cluster-api"}), Not(StartsWith("failed")));
  EXPECT_EQ(kubectl({"get", "deployments,serviceaccounts,rolebindings,validatingwebhookconfigurations", "-A",
                     "-o=name", "-l=cluster.x-k8s.io/provider=cluster-api"}),
            "");
  EXPECT_THAT(kubectl({"get", "crds", "-o=name", "-l=cluster.x-k8s.io/provider=cluster-api"}),
              HasSubstr("/machines.cluster.x-k8s.io\n"));
}

TEST_F(Removal, TakesTheKindsAndTheNamespaceWhenAsked) {
  EXPECT_THAT(clusterctl({"delete", "--infrastructure=capstan", "--include-crd", "--include-namespace"}),
              Not(StartsWith("failed")));
  kubectl({"wait", "--for=delete", "--timeout=50s", "namespace/capstan-infrastructure-system"});
  EXPECT_EQ(kubectl({"get", "crds", "-o=name", "-l=cluster.x-k8s.io/provider=infrastructure-capstan"}), "");
}

}  // namespace
}  // namespace capstan::envtest
