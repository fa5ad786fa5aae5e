// A fleet under what clusterctl installed: the Deployment's own command runs as a process, as the
// ServiceAccount and with the roles of the packages.
#include <httplib.h>

#include <regex>
#include <set>

#include "test/envtest/audit.h"
#include "test/envtest/installed_manager_fixture.h"
#include "test/envtest/role_usage.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

constexpr std::string_view kManagerUser = "system:serviceaccount:capi-system:capi-manager";
constexpr std::string_view kProviderUser = "capstan-providers";
constexpr int kForbidden = 403;
// A health check, a drain rule and a policy, so that their rules are used too.
constexpr std::string_view kMoreKinds = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: demo, namespace: default}
spec:
  clusterName: demo
  selector: {matchLabels: {cluster.x-k8s.io/deployment-name: demo-workers}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: "False", timeoutSeconds: 300}]}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: {name: demo, namespace: default}
spec:
  drain: {behavior: Skip}
  machines: [{selector: {matchLabels: {batch: "true"}}}]
---
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {name: demo, namespace: default}
spec: {selector: {matchLabels: {cluster.x-k8s.io/cluster-name: demo}}}
)";

// The fleet of the demo under what was installed.
class InstalledFleet : public InstalledManager {
 protected:
  static void SetUpTestSuite() {
    Package::SetUpTestSuite();
    if (why_not() || HasFatalFailure()) return;
    start_installed_manager();
    if (HasFatalFailure()) return;
    start_providers();
  }
  static void TearDownTestSuite() {
    providers_.kill();
    InstalledManager::TearDownTestSuite();
  }

  static void start_providers() {
    for (const char* part : {"infrastructure", "bootstrap"}) {
      const std::string role = std::string("capstan-") + part + "-manager-role";
      kubectl({"create", "clusterrolebinding", role + "-test", "--clusterrole=" + role,
               "--user=" + std::string(kProviderUser)});
    }
    const auto kubeconfig = servers_->kubeconfig_for(kProviderUser, "");
    ASSERT_TRUE(kubeconfig);
    auto started =
        ChildProcess::start({.argv = {program("capstan-dev"), "provider", "--kubeconfig", *kubeconfig}},
                            in_folder("provider.log"));
    ASSERT_TRUE(started) << started.error().describe();
    providers_ = std::move(*started);
  }

  // With everything in it named after the cluster.
  static void apply_fleet(const std::string& cluster) {
    const auto sample = output_of({.argv = {program("capstan-dev"), "up", "--print-sample", "--machines=3",
                                            "--pool=2", "--pool-machines=2"}},
                                  seconds(30));
    ASSERT_TRUE(sample) << sample.error().describe();
    for (const std::string& manifests : {*sample, std::string(kMoreKinds)})
      kubectl({"apply", "-f=-"}, std::regex_replace(manifests, std::regex("demo"), cluster));
    kubectl(
        {"wait", "--for=condition=Available", "--timeout=50s", "machinedeployment/" + cluster + "-workers"});
  }
  // As the scraper of config/prometheus: the manager asks the API server about its token and its right.
  static std::string scraped() {
    kubectl({"create", "namespace", "monitoring"});
    kubectl({"create", "serviceaccount", "prometheus", "--namespace=monitoring"});
    kubectl({"apply", "-f=config/prometheus/reader.yaml"});
    httplib::SSLClient diagnostics("127.0.0.1", 8443);
    diagnostics.enable_server_certificate_verification(false);  // it signs its own
    diagnostics.set_bearer_token_auth(token_of("prometheus", "monitoring"));
    const auto answer = diagnostics.Get("/metrics");
    return answer ? answer->body : httplib::to_string(answer.error());
  }
  // Of those that alerts and dashboard ask for.
  static std::set<std::string> metrics_missing_in(const std::string& scrape) {
    static const std::regex name("(capi|capstan|controller_runtime|workqueue|process)_[a-z_]+");
    std::set<std::string> missing;
    for (const char* file : {"config/prometheus/alerts.yaml", "config/prometheus/dashboard.json"}) {
      const std::string text = content_of(file);
      for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found) {
        const std::string metric = std::regex_replace(found->str(), std::regex("_bucket$"), "");
        if (scrape.find("# TYPE " + metric + " ") == std::string::npos) missing.insert(metric);
      }
    }
    return missing;
  }
  static std::vector<AuditEntry> requests_of(std::string_view user) {
    auto all = AuditReader(servers_->audit_log()).more().value_or(std::vector<AuditEntry>());
    std::erase_if(all, [&](const AuditEntry& entry) { return entry.user != user; });
    return all;
  }
  static std::vector<std::string> forbidden_to(std::string_view user) {
    std::vector<std::string> lines;
    for (const auto& entry : requests_of(user))
      if (entry.code == kForbidden) lines.push_back(entry.verb + " " + entry.resource + " " + entry.uri);
    return lines;
  }
  static void print_unused(std::string_view user, const std::string& kind, const std::string& role,
                           const std::string& ns = {}) {
    const auto unused = unused_permissions(object(kind, role, ns).at("rules"), requests_of(user));
    for (const auto& permission : unused)
      std::printf("nothing used %s: %s\n", role.c_str(), permission.c_str());
  }

  static inline ChildProcess providers_;
};

TEST_F(InstalledFleet, ComesUpAndGoesWithExactlyTheRolesOfThePackages) {
  apply_fleet("short");
  kubectl({"scale", "machinedeployment/short-workers", "--replicas=1"});
  kubectl(
      {"wait", "--for=jsonpath={.status.replicas}=1", "--timeout=50s", "machinedeployment/short-workers"});
  EXPECT_THAT(metrics_missing_in(scraped()), UnorderedElementsAreArray(kMetricsOfProviders));
  kubectl({"delete", "cluster", "short", "--timeout=50s"});

  EXPECT_THAT(forbidden_to(kManagerUser), IsEmpty());
  EXPECT_THAT(forbidden_to(kProviderUser), IsEmpty());
  EXPECT_THAT(requests_of(kManagerUser), Not(IsEmpty()));
  print_unused(kManagerUser, "clusterrole", "capi-aggregated-manager-role");
  print_unused(kManagerUser, "role", "capi-leader-election-role", "capi-system");
  print_unused(kProviderUser, "clusterrole", "capstan-infrastructure-manager-role");
  print_unused(kProviderUser, "clusterrole", "capstan-bootstrap-manager-role");
}

TEST_F(InstalledFleet, IsTakenAlongByClusterctlMoveWithItsPolicyAndCredentials) {
  // No garbage collector runs here: what a Cluster of another test owned would be found by clusterctl, too.
  const std::string kinds =
      "secrets,drivermachinetemplates,cloudconfigtemplates,drivermachinepools,cloudconfigs,"
      "machinehealthchecks,machinedrainrules,machinelifecyclepolicies";
  kubectl({"delete", kinds, "--all", "--namespace=default", "--timeout=50s"});
  apply_fleet("moving");
  kubectl({"create", "secret", "generic", "cloud", "--namespace=default", "--from-literal=key=value"});
  kubectl({"label", "secret", "cloud", "--namespace=default", "clusterctl.cluster.x-k8s.io/move="});
  kubectl({"wait", "--for=condition=Available", "--timeout=50s", "cluster/moving"});

  fs::create_directories(in_folder("moved"));
  ASSERT_THAT(clusterctl({"move", "--namespace=default", "--to-directory=" + in_folder("moved").string()}),
              Not(StartsWith("failed")));

  std::vector<std::string> moved;
  for (const auto& file : fs::directory_iterator(in_folder("moved"))) moved.push_back(file.path().filename());
  EXPECT_THAT(moved, IsSupersetOf({HasSubstr("MachineLifecyclePolicy"), HasSubstr("MachineDrainRule"),
                                   HasSubstr("DriverMachine_"), HasSubstr("DriverMachineTemplate_"),
                                   HasSubstr("CloudConfigTemplate_"), HasSubstr("DriverMachinePool_"),
                                   HasSubstr("Secret_default_cloud"), HasSubstr("moving-kubeconfig")}));
}

}  // namespace
}  // namespace capstan::envtest
