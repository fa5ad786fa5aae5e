// Our bootstrap and infrastructure providers as clusterctl installed them, beside the installed manager: the
// commands of their Deployments run as processes, as their ServiceAccounts, with their roles alone.
#include <httplib.h>

#include <array>
#include <csignal>

#include "test/envtest/audit.h"
#include "test/envtest/installed_manager_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kForbidden = 403;
constexpr std::string_view kAccounts = "system:serviceaccount:capstan-";

struct Provider {
  std::string name = {};
  int health_port = 0;
  int diagnostics_port = 0;
  std::string controller = {};  // one of its own
};
const std::array<Provider, 2> kProviders = {
    {{.name = "bootstrap", .health_port = 9441, .diagnostics_port = 8444, .controller = "cloudconfig"},
     {.name = "infrastructure",
      .health_port = 9442,
      .diagnostics_port = 8445,
      .controller = "drivermachine"}}};

// A Cluster whose control plane is run by its user, and one Machine of it.
constexpr std::string_view kMachine = R"(
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DriverCluster
metadata: {name: given, namespace: default}
spec: {controlPlaneEndpoint: {host: 127.0.0.1, port: 6443}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: given, namespace: default}
spec:
  controlPlaneEndpoint: {host: 127.0.0.1, port: 6443}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverCluster, name: given}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: CloudConfig
metadata: {name: given, namespace: default}
spec: {files: [{path: /etc/motd, content: hello}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DriverMachine
metadata: {name: given, namespace: default}
spec: {class: small}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: given, namespace: default}
spec:
  clusterName: given
  version: v1.36.0
  bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: CloudConfig, name: given}}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachine, name: given}
)";

class InstalledProviders : public InstalledManager {
 protected:
  static void SetUpTestSuite() {
    Package::SetUpTestSuite();
    if (why_not() || HasFatalFailure()) return;
    start_installed_manager();
    for (const Provider& provider : kProviders) running_.push_back(start(provider));
  }
  static void TearDownTestSuite() {
    running_.clear();
    InstalledManager::TearDownTestSuite();
  }

  static std::string namespace_of(const Provider& provider) { return "capstan-" + provider.name + "-system"; }
  static ChildProcess start(const Provider& provider) {
    return start_installed(
        {.deployment = "capstan-" + provider.name + "-controller-manager",
         .namespace_ = namespace_of(provider),
         .account = "capstan-" + provider.name + "-manager",
         .program = "capstan-provider",
         .health_port = provider.health_port,
         .flags = {"--health-addr=127.0.0.1:" + std::to_string(provider.health_port),
                   "--diagnostics-address=127.0.0.1:" + std::to_string(provider.diagnostics_port)}});
  }
  static std::string holder(const Provider& provider) {
    return kubectl({"get", "lease", "controller-leader-election-capstan-" + provider.name,
                    "--namespace=" + namespace_of(provider), "-o=jsonpath={.spec.holderIdentity}"});
  }
  // As one who may read diagnostics; the provider asks the API server about the token.
  static std::string diagnosed(const Provider& provider, const std::string& path, const std::string& token) {
    httplib::SSLClient diagnostics("127.0.0.1", provider.diagnostics_port);
    diagnostics.enable_server_certificate_verification(false);  // it signs its own
    diagnostics.set_bearer_token_auth(token);
    const auto answer = diagnostics.Get(path);
    return answer ? answer->body : httplib::to_string(answer.error());
  }
  static std::vector<std::string> refused_to_providers() {
    std::vector<std::string> lines;
    for (const auto& entry : AuditReader(servers_->audit_log()).more().value_or(std::vector<AuditEntry>()))
      if (entry.code == kForbidden && entry.user.starts_with(kAccounts))
        lines.push_back(entry.user + " " + entry.verb + " " + entry.uri);
    return lines;
  }

  static inline std::vector<ChildProcess> running_;
};

TEST_F(InstalledProviders, MakeAMachineBesideTheManagerWithTheirRolesAlone) {
  kubectl({"apply", "-f=-"}, std::string(kMachine));
  kubectl({"wait", "--for=jsonpath={.status.phase}=Provisioned", "--timeout=50s", "machine/given"});

  EXPECT_THAT(kubectl({"get", "machine/given", "-o=jsonpath={.spec.providerID}"}), HasSubstr("://"));
  EXPECT_THAT(kubectl({"get", "cloudconfig/given", "-o=jsonpath={.status.dataSecretName}"}),
              HasSubstr("given"));
  kubectl({"delete", "cluster/given", "--timeout=50s"});
  EXPECT_EQ(kubectl({"get", "machines,driverclusters,drivermachines,cloudconfigs", "-o=name"}), "");
  EXPECT_THAT(refused_to_providers(), IsEmpty());
}

TEST_F(InstalledProviders, ShowTheirQueuesCachesAndMetricsToWhoMayReadThem) {
  kubectl({"create", "serviceaccount", "reader", "--namespace=default"});
  kubectl({"create", "clusterrole", "reader", "--verb=get", "--non-resource-url=/metrics",
           "--non-resource-url=/debug/*"});
  kubectl(
      {"create", "clusterrolebinding", "reader", "--clusterrole=reader", "--serviceaccount=default:reader"});
  const std::string token = token_of("reader", "default");

  for (const Provider& provider : kProviders) {
    EXPECT_THAT(diagnosed(provider, "/debug/controllers", token),
                HasSubstr("\"" + provider.controller + "\""));
    EXPECT_THAT(diagnosed(provider, "/debug/caches", token),
                AllOf(HasSubstr("\"" + provider.name + "\""), HasSubstr("\"synced\":true")));
    EXPECT_THAT(diagnosed(provider, "/metrics", token),
                AllOf(HasSubstr("workqueue_depth{controller=\"" + provider.controller + "\""),
                      HasSubstr("leader_election_master_status{name=\"controller-leader-election-capstan-" +
                                provider.name + "\"} 1")));
    EXPECT_THAT(diagnosed(provider, "/metrics", "no token"), HasSubstr("Unauthorized"));
  }
  for (const std::string_view metric : kMetricsOfProviders)
    EXPECT_THAT(diagnosed(kProviders.back(), "/metrics", token),
                HasSubstr("# TYPE " + std::string(metric) + " "));
}

// By the webhooks of the manager, as an IPAM provider of an earlier release meets them.
TEST_F(InstalledProviders, StandBesideAddressesOfEarlierVersionsThatAreConvertedAndValidated) {
  kubectl({"apply", "-f=-"}, R"(
apiVersion: ipam.cluster.x-k8s.io/v1alpha1
kind: IPAddressClaim
metadata: {name: old, namespace: default, labels: {cluster.x-k8s.io/cluster-name: given}}
spec: {poolRef: {apiGroup: ipam.example.com, kind: Pool, name: p}}
---
apiVersion: ipam.cluster.x-k8s.io/v1beta1
kind: IPAddress
metadata: {name: old, namespace: default}
spec:
  claimRef: {name: old}
  poolRef: {apiGroup: ipam.example.com, kind: Pool, name: p}
  address: 10.0.0.7
  prefix: 24
)");

  EXPECT_EQ(kubectl({"get", "ipaddressclaims.v1beta2.ipam.cluster.x-k8s.io/old",
                     "-o=jsonpath={.apiVersion} {.spec.clusterName}"}),
            "ipam.cluster.x-k8s.io/v1beta2 given");
  const auto changed =
      servers_->run_kubectl({"patch", "ipaddresses.v1beta1.ipam.cluster.x-k8s.io/old", "--namespace=default",
                             "--type=merge", R"(-p={"spec":{"prefix":25}})"});
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->err, HasSubstr("IPAddress spec is immutable"));
}

// A Deployment that is rolled starts the new process first, and waits until it is ready.
TEST_F(InstalledProviders, ASecondReplicaIsReadyWhileItStandsByAndLeadsWhenTheFirstOneEnds) {
  const Provider& first = kProviders.front();
  const std::string before = holder(first);
  ASSERT_NE(before, "");
  Provider second = first;
  second.health_port = 9447;
  second.diagnostics_port = 8446;

  ChildProcess standby =
      start_installed({.deployment = "capstan-" + second.name + "-controller-manager",
                       .namespace_ = namespace_of(second),
                       .account = "capstan-" + second.name + "-manager",
                       .program = "capstan-provider",
                       .health_port = second.health_port,
                       .flags = {"--health-addr=127.0.0.1:" + std::to_string(second.health_port),
                                 "--diagnostics-address=0"}});
  EXPECT_EQ(holder(first), before);
  ::kill(running_.front().pid(), SIGTERM);
  EXPECT_EQ(running_.front().await_end(seconds(20)).value_or(-1), 0);

  EXPECT_TRUE(waited([&] { return !holder(first).empty() && holder(first) != before; }));
}

}  // namespace
}  // namespace capstan::envtest
