// A fleet under what clusterctl installed: the Deployment's own command runs as a process, as the
// ServiceAccount and with the roles of the packages.
#include <httplib.h>

#include <regex>
#include <set>

#include "test/envtest/audit.h"
#include "test/envtest/package_suite_fixture.h"
#include "test/envtest/pod_process.h"
#include "test/envtest/role_usage.h"
#include "test/envtest/webhook_urls.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

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
class InstalledFleet : public Package {
 protected:
  static void SetUpTestSuite() {
    Package::SetUpTestSuite();
    if (why_not() || HasFatalFailure()) return;
    point_webhooks_at_the_process();
    start_manager();
    if (HasFatalFailure()) return;
    start_providers();
  }
  static void TearDownTestSuite() {
    providers_.kill();
    manager_.kill();
    Package::TearDownTestSuite();
  }
  void TearDown() override {
    if (HasFailure())
      std::fputs(printed(run({.argv = {"tail", "-n", "60", manager_.log()}}, seconds(5))).c_str(), stderr);
  }

  static void point_webhooks_at_the_process() {
    const std::string ca = servers_->ca_pem();
    auto callers =
        json::parse(kubectl({"get", "crds,mutatingwebhookconfigurations,validatingwebhookconfigurations",
                             "-l=cluster.x-k8s.io/provider=cluster-api", "-o=json"}));
    call_urls(callers, {.base_url = "https://127.0.0.1:9443", .ca_pem = ca});
    kubectl({"replace", "-f=-"}, json::serialize(callers));
  }
  static void start_manager() {
    const auto deployment = object("deployment", "capi-controller-manager", "capi-system");
    auto command = command_of(deployment, "manager",
                              {.name = "capi-controller-manager-0", .namespace_ = "capi-system", .uid = "0"});
    ASSERT_TRUE(command) << command.error().describe();
    const std::string url = servers_->url();
    command->environment.push_back("KUBERNETES_SERVICE_HOST=127.0.0.1");
    command->environment.push_back("KUBERNETES_SERVICE_PORT=" + url.substr(url.rfind(':') + 1));
    const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
    const std::string serving = "/tmp/k8s-webhook-server/serving-certs/";
    auto started = start_container(
        *command,
        {.root = in_folder("root"),
         .programs = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan"},
         .files = {{account + "token", token_of("capi-manager", "capi-system")},
                   {account + "ca.crt", servers_->ca_pem()},
                   {serving + "tls.crt", content_of(servers_->certificates() / "apiserver.crt")},
                   {serving + "tls.key", content_of(servers_->certificates() / "apiserver.key")}}},
        in_folder("manager.log"));
    ASSERT_TRUE(started) << started.error().describe();
    manager_ = std::move(*started);
    const bool ready = waited([&] {
      httplib::Client probe("127.0.0.1", 9440);
      const auto answer = probe.Get("/readyz");
      return manager_.has_ended() || (answer && answer->status == 200);
    });
    ASSERT_TRUE(ready && !manager_.has_ended()) << content_of(manager_.log());
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

  static fs::path program(std::string_view name) {
    return fs::read_symlink("/proc/self/exe").parent_path() / name;
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
  static std::string token_of(const std::string& account, const std::string& ns) {
    std::string token = kubectl({"create", "token", account, "--namespace=" + ns});
    while (token.ends_with('\n')) token.pop_back();
    return token;
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

  static inline ChildProcess manager_;
  static inline ChildProcess providers_;
};

TEST_F(InstalledFleet, ComesUpAndGoesWithExactlyTheRolesOfThePackages) {
  apply_fleet("short");
  kubectl({"scale", "machinedeployment/short-workers", "--replicas=1"});
  kubectl(
      {"wait", "--for=jsonpath={.status.replicas}=1", "--timeout=50s", "machinedeployment/short-workers"});
  EXPECT_THAT(metrics_missing_in(scraped()), IsEmpty());
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
