// What a supervisor sees of `capstan` beside a real kube-apiserver: how it ends, and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/envtest/kubectl.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/rights_expectation.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::string_view kLease = "controller-leader-election-capi";
class Supervisor : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = RealServers::start({.audit_policy = std::string(kAuditRequests)});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f", "config/crd/bases"}), HasSubstr("machines.cluster"));
    ASSERT_THAT(kubectl({"wait", "--for=condition=Established", "crd", "--all"}), HasSubstr("condition met"));
    const auto kubeconfig = manager_kubeconfig(*servers_);
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    kubeconfig_ = *kubeconfig;
  }
  static void TearDownTestSuite() {
    if (servers_) expect_rights_suffice(*servers_);
    servers_.reset();
  }

  void SetUp() override {
    ASSERT_NE(servers_, nullptr);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
  }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  static std::string holder() {
    return kubectl({"get", "lease", "-n", "capi-system", std::string(kLease), "--ignore-not-found",
                    "-o=jsonpath={.spec.holderIdentity}"});
  }

  void start(const fs::path& kubeconfig) { run(manager_, kubeconfig, {}, "capstan.log"); }
  void start_shard(std::vector<std::string> flags) {
    run(shard_, kubeconfig_, std::move(flags), "shard.log");
  }
  void run(ChildProcess& process, const fs::path& kubeconfig, std::vector<std::string> flags,
           std::string_view log) {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "capstan";
    std::vector<std::string> argv = {program,
                                     "--kubeconfig",
                                     kubeconfig,
                                     "--health-addr=0",
                                     "--diagnostics-address=0",
                                     "--webhook-port=0",
                                     "--leader-elect",
                                     "--leader-elect-lease-duration=6s",
                                     "--leader-elect-renew-deadline=4s",
                                     "--leader-elect-retry-period=500ms"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    auto started = ChildProcess::start({.argv = std::move(argv)}, folder_->path() / log);
    ASSERT_TRUE(started) << started.error().describe();
    process = std::move(*started);
  }
  void start_and_lead() {
    start(kubeconfig_);
    EXPECT_THAT(kubectl({"wait", "-n", "capi-system", "--for=create", "lease/" + std::string(kLease)}),
                HasSubstr("condition met"));
    EXPECT_THAT(kubectl({"wait", "-n", "capi-system", "--for=jsonpath={.spec.holderIdentity}",
                         "lease/" + std::string(kLease)}),
                HasSubstr("condition met"));
  }
  std::string log() const { return log_of(manager_); }
  static std::string log_of(const ChildProcess& process) {
    std::ifstream file(process.log());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // Its exit code; -1 while it runs on.
  int end() { return manager_.await_end(seconds(30)).value_or(-1); }

  static inline std::unique_ptr<RealServers> servers_;
  static inline fs::path kubeconfig_;  // of the manager
  std::unique_ptr<ScratchFolder> folder_;
  ChildProcess manager_;
  ChildProcess shard_;
};

TEST_F(Supervisor, SeesZeroAndAFreeLeaseWhenItAskedForTheEnd) {
  start_and_lead();

  ::kill(manager_.pid(), SIGTERM);

  EXPECT_EQ(end(), 0) << log();
  EXPECT_EQ(holder(), "") << "given back, so that the next one need not wait";
}

TEST_F(Supervisor, SeesFourWhenSomebodyElseHoldsTheLease) {
  start_and_lead();
  const std::string before = holder();

  EXPECT_THAT(kubectl({"patch", "lease", "-n", "capi-system", std::string(kLease), "--type=merge",
                       R"(-p={"spec":{"holderIdentity":"thief","leaseDurationSeconds":3600}})"}),
              HasSubstr("patched"));

  EXPECT_NE(before, "");
  EXPECT_EQ(end(), 4) << log();
  EXPECT_EQ(holder(), "thief") << "what is not ours is not given back";
  EXPECT_THAT(log(), HasSubstr("lease"));
  EXPECT_THAT(kubectl({"delete", "lease", "-n", "capi-system", std::string(kLease)}), HasSubstr("deleted"));
}

TEST_F(Supervisor, SeesFiveOfAShardBesideAnUnfilteredOneAndTwoShardsSideBySide) {
  start_and_lead();

  start_shard({"--watch-filter=blue", "--beside-upstream"});
  EXPECT_EQ(shard_.await_end(seconds(30)).value_or(-1), 5) << log_of(shard_);
  EXPECT_THAT(log_of(shard_), HasSubstr("Lease capi-system/controller-leader-election-capi is held by"));
  EXPECT_THAT(log_of(shard_), HasSubstr("a Capstan that reconciles all objects"));

  ::kill(manager_.pid(), SIGTERM);
  EXPECT_EQ(end(), 0) << log();
  start_shard({"--watch-filter=Blue"});
  const std::string lease = "lease/controller-leader-election-capi-blue-e9dd1fed";
  EXPECT_THAT(kubectl({"wait", "-n", "capi-system", "--for=create", lease}), HasSubstr("condition met"));
  EXPECT_THAT(kubectl({"get", "-n", "capi-system", lease,
                       "-o=jsonpath={.metadata.annotations.capstan\\.dev/election-scope}"}),
              HasSubstr(R"("watchFilter":"Blue")"));
  ::kill(shard_.pid(), SIGTERM);
  EXPECT_EQ(shard_.await_end(seconds(30)).value_or(-1), 0) << log_of(shard_);
}

TEST_F(Supervisor, SeesFiveOfAShardBesideUpstreamUntilItIsAskedFor) {
  kubectl({"delete", "lease", "-n", "capi-system", std::string(kLease), "--ignore-not-found"});
  const auto renew_as_upstream = [&](int microsecond) {
    return kubectl(
        {"apply", "-f", "-"},
        "apiVersion: coordination.k8s.io/v1\nkind: Lease\n"
        "metadata: {name: controller-leader-election-capi, namespace: capi-system}\n"
        "spec: {holderIdentity: upstream_1, leaseDurationSeconds: 60, renewTime: '2026-01-01T00:00:00." +
            std::to_string(microsecond) + "Z'}\n");
  };
  ASSERT_THAT(renew_as_upstream(100000), HasSubstr("created"));

  start_shard({"--watch-filter=blue"});
  // A renewal takes as long as kubectl does: long enough for a shard that starts on a busy machine.
  Result<int> code = shard_.await_end(seconds(0));
  for (int each = 100001; each < 101000 && !code; ++each) {
    ASSERT_THAT(renew_as_upstream(each), HasSubstr("configured"));
    code = shard_.await_end(seconds(0));
  }
  EXPECT_EQ(code.value_or(-1), 5) << log_of(shard_);
  EXPECT_THAT(log_of(shard_), HasSubstr("upstream_1, which noted no scope"));
  EXPECT_THAT(log_of(shard_), HasSubstr("--beside-upstream"));

  start_shard({"--watch-filter=blue", "--beside-upstream"});
  EXPECT_THAT(
      kubectl({"wait", "-n", "capi-system", "--for=create", "lease/controller-leader-election-capi-blue"}),
      HasSubstr("condition met"));
  ::kill(shard_.pid(), SIGTERM);
  EXPECT_EQ(shard_.await_end(seconds(30)).value_or(-1), 0) << log_of(shard_);
}

TEST_F(Supervisor, SeesThreeWhenTheServerRefusesTheCredentials) {
  const fs::path kubeconfig = folder_->path() / "stranger.kubeconfig";
  const fs::path ca = folder_->path() / "ca.crt";
  std::ofstream(ca) << servers_->ca_pem();
  std::ofstream(kubeconfig) << "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                               "clusters: [{name: c, cluster: {server: '"
                            << servers_->url() << "', certificate-authority: " << ca
                            << "}}]\nusers: [{name: u, user: {token: guessed-secret}}]\n"
                               "contexts: [{name: c, context: {cluster: c, user: u}}]\n";

  start(kubeconfig);

  EXPECT_EQ(end(), 3) << log();
  EXPECT_THAT(log(), HasSubstr("Unauthorized"));
  EXPECT_THAT(log(), ::testing::Not(HasSubstr("guessed-secret")));
}

}  // namespace
}  // namespace capstan::envtest
