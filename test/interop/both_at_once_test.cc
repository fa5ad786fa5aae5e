// Upstream's core and Capstan on one fleet, by mistake. With an election the Lease that they share keeps the
// later one out; without one both do everything, and the fleet survives that.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "test/envtest/audit.h"
#include "test/interop/neighbours_fixture.h"

namespace capstan::envtest {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kUpstreams = "core";  // the name of its program, and so of its user agent
constexpr std::string_view kOurs = "capstan";
constexpr int kUpstreamsPort = 9543;
constexpr std::string_view kLease = "controller-leader-election-capi";
constexpr std::string_view kWaits = "waiting for the lease, whose holder noted no version";
constexpr std::string_view kServing = "/tmp/k8s-webhook-server/serving-certs/";

constexpr Explained kExplained[] = {
    kForeignCertificate,
    kWebhooksAreAway,
    kFirstLease,
    kControlPlaneIsGone,
    kNodeIsGone,
    {.pattern =
         "^Event of machineset-controller: OverwrittenByAnother .*inmemory.infrastructure.cluster.x-k8s.io/",
     .why = "two cores without an election and the provider write one annotation; ours says so",
     .sometimes = "it needs several such races"},
    {.pattern = "^upstream-[12]: .*no matches for kind .*ClusterResourceSet",
     .why = "our package does not bring these kinds, and upstream's core looks for them"},
    {.pattern =
         "^upstream-2: .*( not found|uid mismatch|by a different process|context canceled|timed out waiting)|"
         "FailedUpdate of MachineDeployment/.*(uid mismatch|context canceled)",
     .why = "two cores without an election take from each other what they have just read, and one is stopped "
            "meanwhile",
     .sometimes = "a race"},
    {.pattern = "^upstream-1: .*Reconciler error.*( not found|context canceled)",
     .why = "an object went while upstream's core had a turn over it, or the core is stopped meanwhile",
     .sometimes = "a race"},
    {.pattern = "^get machines .*/shared-.* 404$",
     .why = "ours makes sure that a Machine is gone which the other core has deleted",
     .sometimes = "a race"},
    {.pattern = "FailedUpdate of MachineDeployment/.*failed calling webhook|^patch machine.* 500$|ERROR "
                ".*failed calling webhook",
     .why = "our webhooks are away while the one manager is stopped and the other starts",
     .sometimes = "only where a write comes just then"}};

class BothAtOnce : public Neighbours {
 protected:
  static void SetUpTestSuite() {
    if (!can_run()) return;
    start_servers();
    if (!HasFatalFailure()) install();
    if (!HasFatalFailure()) start_ours({});
    if (!HasFatalFailure()) start_providers();
    audit_ = std::make_unique<AuditReader>(servers_->audit_log());
    explain(kExplained, {in_folder("upstream-1.log"), in_folder("upstream-2.log")});
  }
  static void TearDownTestSuite() {
    upstream_.kill();
    Neighbours::TearDownTestSuite();
  }
  void SetUp() override {
    Neighbours::SetUp();
    ASSERT_NE(std::getenv("CAPSTAN_UPSTREAM"), nullptr)
        << "CAPSTAN_UPSTREAM is not set: start with scripts/envtest --interop";
  }
  void TearDown() override {
    Neighbours::TearDown();
    if (HasFailure() && upstream_.pid() > 0)
      std::fputs(text_of(run({.argv = {"tail", "-n", "15", upstream_.log()}}, seconds(5))).c_str(), stderr);
  }

  // A manager that is replaced gives its Lease back.
  static void start_ours(const std::vector<std::string>& flags) {
    stop(manager_);
    start_installed_manager({}, flags);
  }
  static void stop(ChildProcess& process) {
    if (process.pid() <= 0) return;
    ::kill(process.pid(), SIGTERM);
    EXPECT_TRUE(process.await_end(seconds(40)));
  }
  // Upstream looks for its namespace where a kubelet would write it, and runs no election without.
  static void start_upstream(std::vector<std::string> flags) {
    const auto kubeconfig = servers_->kubeconfig_for("upstream", "system:masters");
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    const std::string port = fmt::format("--webhook-port={}", kUpstreamsPort);
    const std::string probes = fmt::format("--health-addr=127.0.0.1:{}", kUpstreamsPort + 1);
    ContainerCommand command{
        .argv = {"/core", "--kubeconfig=/kubeconfig", "--diagnostics-address=0", port, probes},
        .user = "65532",
        .group = "65532"};
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    const std::string root = fmt::format("upstream-{}", ++upstreams_);
    auto started =
        start_container(command,
                        {.root = in_folder(root),
                         .programs = {fs::absolute(std::getenv("CAPSTAN_UPSTREAM")) / kUpstreams},
                         .files = {{"/kubeconfig", content_of(*kubeconfig)},
                                   {"/var/run/secrets/kubernetes.io/serviceaccount/namespace", "capi-system"},
                                   {std::string(kServing) + "tls.crt",
                                    content_of(servers_->certificates() / "apiserver.crt")},
                                   {std::string(kServing) + "tls.key",
                                    content_of(servers_->certificates() / "apiserver.key")}}},
                        in_folder(root + ".log"));
    ASSERT_TRUE(started) << started.error().describe();
    upstream_ = std::move(*started);
    EXPECT_TRUE(waited([] { return upstream_.has_ended() || answers(kUpstreamsPort + 1); }));
    ASSERT_FALSE(upstream_.has_ended()) << content_of(upstream_.log());
  }
  static std::string holder() {
    return kubectl({"get", "lease", std::string(kLease), "--namespace=capi-system",
                    "-o=jsonpath={.spec.holderIdentity}"});
  }
  static std::vector<AuditEntry> since_last_look() {
    auto entries = audit_->more();
    EXPECT_TRUE(entries) << entries.error().describe();
    return entries.value_or(std::vector<AuditEntry>());
  }
  // Of Cluster API's objects, by that core.
  static std::vector<std::string> writes_of(std::string_view agent, const std::vector<AuditEntry>& entries) {
    std::vector<std::string> writes;
    for (const AuditEntry& entry : entries)
      if (entry.agent == agent && is_write(entry) && entry.group.ends_with("cluster.x-k8s.io"))
        writes.push_back(entry.verb + " " + entry.uri);
    return writes;
  }
  static void rolls_and_scales(const std::string& cluster, const std::string& version) {
    const FleetWalk fleet = walk(cluster);
    fleet.scales(cluster + "-md-0", 4);
    fleet.rolls(cluster + "-md-0", version);
    fleet.scales(cluster + "-md-0", 2);
    fleet.is_up(3);
  }

  static inline std::unique_ptr<AuditReader> audit_;
  static inline ChildProcess upstream_;
  static inline int upstreams_ = 0;
};

TEST_F(BothAtOnce, TheLeaseKeepsUpstreamsCoreOutAndThenOurs) {
  start_upstream({"--leader-elect"});
  comes_up({.name = "leased", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  EXPECT_THAT(holder(), HasSubstr("capi-controller-manager-0"));
  EXPECT_THAT(content_of(upstream_.log()), Not(HasSubstr("successfully acquired lease")));
  EXPECT_THAT(writes_of(kUpstreams, since_last_look()), IsEmpty());

  stop(manager_);
  EXPECT_TRUE(waited([] { return content_of(upstream_.log()).contains("uccessfully acquired lease"); }));
  since_last_look();
  start_ours({});
  EXPECT_THAT(holder(), Not(HasSubstr("capi-controller-manager-0")));
  EXPECT_TRUE(waited([] { return content_of(manager_.log()).contains(kWaits); }));
  rolls_and_scales("leased", "v1.36.1");
  const auto entries = since_last_look();
  EXPECT_THAT(writes_of(kUpstreams, entries), Not(IsEmpty()));
  EXPECT_THAT(writes_of(kOurs, entries), IsEmpty()) << "it waits for the Lease";

  stop(upstream_);
  EXPECT_TRUE(waited([] { return holder().contains("capi-controller-manager-0"); }));
  goes("leased");
}

TEST_F(BothAtOnce, WithoutAnElectionTheFleetSurvives) {
  start_ours({"--leader-elect=false"});
  start_upstream({"--leader-elect=false"});
  comes_up({.name = "shared", .api_version = "v1beta2", .control_planes = 1, .workers = 2});
  rolls_and_scales("shared", "v1.36.1");
  rolls_and_scales("shared", "v1.36.2");
  EXPECT_FALSE(manager_.has_ended());
  EXPECT_FALSE(upstream_.has_ended()) << content_of(upstream_.log());

  // What the two have made of it is a fleet that one of them keeps.
  stop(upstream_);
  rolls_and_scales("shared", "v1.36.3");
  goes("shared");
}

}  // namespace
}  // namespace capstan::envtest
