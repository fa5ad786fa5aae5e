// The packages of scripts/package on a real kube-apiserver: a real clusterctl installs them, then the
// Deployment's own command runs as a process, as the ServiceAccount and with the roles that were installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "test/envtest/audit.h"
#include "test/envtest/own_network.h"
#include "test/envtest/pod_process.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/role_usage.h"
#include "test/envtest/scratch_folder.h"
#include "test/envtest/webhook_urls.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kVersion = "v1.14.200";
constexpr std::string_view kManagerUser = "system:serviceaccount:capi-system:capi-manager";
constexpr std::string_view kProviderUser = "capstan-providers";
constexpr auto kPatience = seconds(120);
constexpr int kForbidden = 403;
constexpr std::string_view kAudit = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, verbs: [watch]}
- {level: Metadata, omitStages: [ResponseStarted]}
)";
// A health check, a drain rule and a policy, so that their rules are used too.
constexpr std::string_view kMoreKinds = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: workers, namespace: default}
spec:
  clusterName: demo
  selector: {matchLabels: {cluster.x-k8s.io/deployment-name: demo-workers}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: "False", timeoutSeconds: 300}]}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: {name: batch, namespace: default}
spec:
  drain: {behavior: Skip}
  machines: [{selector: {matchLabels: {batch: "true"}}}]
---
apiVersion: policy.capstan.dev/v1alpha1
kind: MachineLifecyclePolicy
metadata: {name: workers, namespace: default}
spec: {selector: {matchLabels: {cluster.x-k8s.io/cluster-name: demo}}}
)";

std::string printed(const Result<CommandOutcome>& outcome) {
  if (!outcome) return "failed: " + outcome.error().describe();
  return outcome->exit_code == 0 ? outcome->out : "failed: " + outcome->out + outcome->err;
}

template <typename Condition>
bool waited(Condition&& condition) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, kPatience);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(100)));
  }
  return true;
}

class Package : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (why_not()) return;
    start_servers();
    if (HasFatalFailure()) return;
    const auto packaged = package_into(in_folder("repository"));
    ASSERT_TRUE(packaged) << packaged.error().describe();
    installed_ = clusterctl({"init", "--core=cluster-api:" + std::string(kVersion),
                             "--infrastructure=capstan:" + std::string(kVersion),
                             "--bootstrap=capstan:" + std::string(kVersion), "--control-plane=-"});
  }
  static void start_servers() {
    ASSERT_TRUE(enter_own_network());
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    auto started = RealServers::start(
        {.controller_manager = true,
         .controllers = {"garbage-collector-controller", "namespace-controller",
                         "clusterrole-aggregation-controller"},
         .audit_policy = std::string(kAudit),
         .apiserver_flags = {"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    kubectl({"apply", "-f", "test/envtest/cert_manager_stub.yaml"});
    kubectl({"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"});
  }
  static void TearDownTestSuite() {
    servers_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (const char* reason = why_not()) GTEST_SKIP() << reason;
    ASSERT_NE(servers_, nullptr);
  }

  static const char* why_not() {
    if (std::getenv("CAPSTAN_CLUSTERCTL") == nullptr)
      return "CAPSTAN_CLUSTERCTL is not set: run this suite through scripts/envtest";
    return ::geteuid() == 0 ? nullptr : "root is needed for a network and a file system of its own";
  }

  static std::string clusterctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::getenv("CAPSTAN_CLUSTERCTL"));
    arguments.push_back("--kubeconfig=" + servers_->kubeconfig_path().string());
    arguments.push_back("--config=" + in_folder("repository/clusterctl.yaml").string());
    return printed(run({.argv = std::move(arguments),
                        .environment = {"CLUSTERCTL_DISABLE_VERSIONCHECK=true",
                                        "XDG_CONFIG_HOME=" + in_folder("config").string()}},
                       kPatience));
  }
  static Result<std::string> package_into(const fs::path& folder) {
    return output_of({.argv = {"scripts/package", std::string(kVersion), folder}}, kPatience);
  }

  static fs::path in_folder(std::string_view name) { return folder_->path() / name; }
  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    const std::string command = arguments.empty() ? std::string() : arguments.front();
    std::string text = printed(servers_->run_kubectl(std::move(arguments), std::move(input)));
    if (text.starts_with("failed: ")) ADD_FAILURE() << "kubectl " << command << ": " << text;
    return text;
  }
  static json::value object(const std::string& kind, const std::string& name, const std::string& ns = {}) {
    std::vector<std::string> get = {"get", kind, name, "-o=json"};
    if (!ns.empty()) get.push_back("--namespace=" + ns);
    return json::parse(kubectl(std::move(get)));
  }

  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline std::unique_ptr<RealServers> servers_;
  static inline std::string installed_;
};

TEST_F(Package, IsTheSameBytesEachTime) {
  ASSERT_TRUE(package_into(in_folder("again")));

  for (const char* provider : {"cluster-api", "infrastructure-capstan", "bootstrap-capstan"}) {
    const auto differences =
        run({.argv = {"diff", "-r", in_folder("repository") / provider, in_folder("again") / provider}},
            seconds(10));
    EXPECT_EQ(printed(differences), "") << provider;
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
  EXPECT_THAT(taken_along, HasSubstr("/machinelifecyclepolicies.policy.capstan.dev\n"));
}

// What docs/install.md says for those without clusterctl.
TEST_F(Package, ItsVariablesCanBeFilledInBySed) {
  const fs::path components = in_folder("repository") / "cluster-api" / kVersion / "core-components.yaml";
  const auto filled =
      printed(run({.argv = {"sed", R"(s/\${[A-Z_]*:=\([^}]*\)}/\1/g)", components}}, seconds(10)));

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
    fs::copy(upstream(), in_folder("repository") / "cluster-api" / kUpstream);
    installed_ = clusterctl({"init", "--core=cluster-api:" + std::string(kUpstream), "--bootstrap=-",
                             "--control-plane=-", "--infrastructure=-"});
  }
  void SetUp() override {
    if (why_not() || fs::exists(upstream())) return Package::SetUp();
    GTEST_SKIP() << "upstream's package is not beside " << std::getenv("CAPSTAN_CLUSTERCTL");
  }
  static fs::path upstream() {
    return fs::path(std::getenv("CAPSTAN_CLUSTERCTL")).parent_path() / "upstream";
  }
  static constexpr std::string_view kUpstream = "v1.14.2";
};

TEST_F(Upgrade, LeavesNoPermissionAndNoArgumentOfUpstreams) {
  ASSERT_THAT(installed_, Not(StartsWith("failed")));
  ASSERT_THAT(clusterctl({"upgrade", "apply", "--core=capi-system/cluster-api:" + std::string(kVersion)}),
              Not(StartsWith("failed")));

  const auto packaged = object("clusterrole", "capi-manager-role");
  EXPECT_THAT(json::serialize(packaged.at("rules")), Not(HasSubstr("clusterresourcesets")));
  const auto deployment = object("deployment", "capi-controller-manager", "capi-system");
  const auto& container = deployment.at_pointer("/spec/template/spec/containers/0");
  EXPECT_EQ(container.at("command"), json::array{"/capstan"});
  EXPECT_EQ(container.at("image"), json::string("localhost/capstan:" + std::string(kVersion)));
  EXPECT_EQ(kubectl({"get", "providers.clusterctl.cluster.x-k8s.io", "-n=capi-system", "--no-headers",
                     "-o=custom-columns=NAME:.metadata.name,VERSION:.version"}),
            "cluster-api   v1.14.200\n");
}

// The fleet of the demo under what was installed.
class InstalledFleet : public Package {
 protected:
  void SetUp() override {
    Package::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    point_webhooks_at_the_process();
    start_manager();
    if (HasFatalFailure()) return;
    do_without_webhooks_that_are_not_there();
    start_providers();
  }
  void TearDown() override {
    if (HasFailure())
      std::fputs(printed(run({.argv = {"tail", "-n", "60", manager_.log()}}, seconds(5))).c_str(), stderr);
  }

  void point_webhooks_at_the_process() {
    const std::string ca = servers_->ca_pem();
    auto callers =
        json::parse(kubectl({"get", "crds,mutatingwebhookconfigurations,validatingwebhookconfigurations",
                             "-l=cluster.x-k8s.io/provider=cluster-api", "-o=json"}));
    call_urls(callers, {.base_url = "https://127.0.0.1:9443", .ca_pem = ca});
    kubectl({"replace", "-f=-"}, json::serialize(callers));
  }
  void start_manager() {
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

  void do_without_webhooks_that_are_not_there() {
    if (admission_is_answered()) return;
    std::puts("the manager does not answer admission reviews yet: the fleet comes up without its webhooks");
    kubectl({"delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations",
             "-l=cluster.x-k8s.io/provider=cluster-api"});
  }
  static bool admission_is_answered() {
    httplib::SSLClient manager("127.0.0.1", 9443);
    manager.set_ca_cert_path((servers_->certificates() / "ca.crt").c_str());
    const auto answer = manager.Post("/validate-cluster-x-k8s-io-v1beta2-machine", "{}", "application/json");
    return answer && answer->status != 404;
  }

  void start_providers() {
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
  // As a scraper that may: the manager asks the API server about the token and about the right.
  static std::string scraped() {
    kubectl({"create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics"});
    kubectl({"create", "clusterrolebinding", "scraper", "--clusterrole=scraper",
             "--serviceaccount=default:scraper"});
    kubectl({"create", "serviceaccount", "scraper", "--namespace=default"});
    httplib::SSLClient diagnostics("127.0.0.1", 8443);
    diagnostics.enable_server_certificate_verification(false);  // it signs its own
    diagnostics.set_bearer_token_auth(token_of("scraper", "default"));
    const auto answer = diagnostics.Get("/metrics");
    return answer ? answer->body : httplib::to_string(answer.error());
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

  ChildProcess manager_;
  ChildProcess providers_;
};

TEST_F(InstalledFleet, ComesUpAndGoesWithExactlyTheRolesOfThePackages) {
  const auto sample = output_of({.argv = {program("capstan-dev"), "up", "--print-sample", "--machines=3",
                                          "--pool=2", "--pool-machines=2"}},
                                seconds(30));
  ASSERT_TRUE(sample) << sample.error().describe();
  kubectl({"apply", "-f=-"}, *sample);
  kubectl({"apply", "-f=-"}, std::string(kMoreKinds));

  kubectl({"wait", "--for=condition=Available", "--timeout=50s", "machinedeployment/demo-workers"});
  kubectl({"scale", "machinedeployment/demo-workers", "--replicas=1"});
  kubectl({"wait", "--for=jsonpath={.status.replicas}=1", "--timeout=50s", "machinedeployment/demo-workers"});
  EXPECT_THAT(scraped(), HasSubstr("controller_runtime_reconcile_total"));
  kubectl({"delete", "cluster", "demo", "--timeout=50s"});

  EXPECT_THAT(forbidden_to(kManagerUser), IsEmpty());
  EXPECT_THAT(forbidden_to(kProviderUser), IsEmpty());
  EXPECT_THAT(requests_of(kManagerUser), Not(IsEmpty()));
  print_unused(kManagerUser, "clusterrole", "capi-aggregated-manager-role");
  print_unused(kManagerUser, "role", "capi-leader-election-role", "capi-system");
  print_unused(kProviderUser, "clusterrole", "capstan-infrastructure-manager-role");
  print_unused(kProviderUser, "clusterrole", "capstan-bootstrap-manager-role");
}

}  // namespace
}  // namespace capstan::envtest
