// `capstan` on a real kube-apiserver that lacks what it needs: its definitions, one of its rights, a
// certificate that API servers believe. It says what is missing, goes on trying, and needs no restart once it
// is there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/older_storage.h"
#include "test/envtest/pki.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/rights_expectation.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCluster = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: default}
spec:
  controlPlaneEndpoint: {host: 127.0.0.1, port: 6443}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverCluster, name: c1}
)";

json::value without_resource(json::value role, std::string_view resource) {
  for (json::value& rule : role.at("rules").as_array()) {
    json::array kept;
    for (const json::value& one : rule.at("resources").as_array())
      if (std::string(one.as_string()) != resource) kept.push_back(one);
    rule.as_object()["resources"] = std::move(kept);
  }
  return role;
}

class BadSurroundings : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = RealServers::start({.audit_policy = std::string(kAuditRequests)});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    health_port_ = free_port();
    const auto kubeconfig = manager_kubeconfig(*servers_);
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    kubeconfig_ = *kubeconfig;
  }
  void TearDown() override {
    manager_.kill();
    if (servers_ && !right_is_taken_away_) expect_rights_suffice(*servers_);
    if (HasFailure()) std::fputs(log().c_str(), stderr);
  }

  static std::uint16_t free_port() {
    const auto reserved = ReservedPort::reserve();
    EXPECT_TRUE(reserved) << reserved.error().describe();
    return reserved ? reserved->number() : std::uint16_t{0};
  }
  std::string kubectl(std::vector<std::string> arguments, std::string input = {}) const {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  void install_kinds() const {
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f", "config/crd/bases"}), HasSubstr("machines.cluster"));
    ASSERT_THAT(kubectl({"wait", "--for=condition=Established", "crd", "--all"}), HasSubstr("condition met"));
  }
  void start(std::vector<std::string> flags = {"--webhook-port=0"}) {
    std::vector<std::string> argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan",
                                     "--kubeconfig", kubeconfig_, "--diagnostics-address=0",
                                     fmt::format("--health-addr=127.0.0.1:{}", health_port_)};
    argv.insert(argv.end(), flags.begin(), flags.end());
    auto started = ChildProcess::start({.argv = std::move(argv)}, folder_->path() / "capstan.log");
    ASSERT_TRUE(started) << started.error().describe();
    manager_ = std::move(*started);
  }
  // "503 ..." as the kubelet sees it.
  std::string ready() const {
    const auto answer = httplib::Client("127.0.0.1", health_port_).Get("/readyz");
    return answer ? fmt::format("{} {}", answer->status, answer->body) : httplib::to_string(answer.error());
  }
  std::string log() const { return manager_.log().empty() ? std::string() : content_of(manager_.log()); }
  std::size_t times_in_log(std::string_view text) const {
    const std::string all = log();
    std::size_t times = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++times;
    return times;
  }
  template <typename Condition>
  static bool eventually(Condition&& condition) {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, seconds(90));
    while (!condition()) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, milliseconds(100)));
    }
    return true;
  }

  std::unique_ptr<RealServers> servers_;
  std::unique_ptr<ScratchFolder> folder_;
  fs::path kubeconfig_;  // of the manager
  bool right_is_taken_away_ = false;
  std::uint16_t health_port_ = 0;
  ChildProcess manager_;
};

TEST_F(BadSurroundings, WithoutDefinitionsItNamesThemWaitsAndStartsOnceTheyAreThere) {
  start();

  EXPECT_TRUE(eventually([&] { return ready().contains("Machine: not synced: "); })) << ready();
  EXPECT_THAT(ready(), AllOf(HasSubstr("503"), HasSubstr("Cluster: not synced: ")));
  EXPECT_TRUE(eventually([&] { return times_in_log("kind=Machine ") >= 4; })) << "tried again";
  EXPECT_EQ(times_in_log("CustomResourceDefinitions are not installed, waiting for them"), 1U);
  EXPECT_THAT(log(), AllOf(HasSubstr("clusters.cluster.x-k8s.io, "), HasSubstr("machines.cluster.x-k8s.io")));
  EXPECT_LE(times_in_log("kind=Machine "), 10U) << "with pauses";
  EXPECT_FALSE(manager_.has_ended());
  install_kinds();

  EXPECT_TRUE(eventually([&] { return ready() == "200 ok"; })) << ready();
  EXPECT_THAT(log(), AllOf(HasSubstr("controllers run"),
                           Not(HasSubstr("machinelifecyclepolicies.cluster.x-k8s.io"))));
  EXPECT_FALSE(manager_.has_ended());
}

TEST_F(BadSurroundings, ARightThatIsTakenAwayIsNamedOnceWithTheRuleAndTheWorkGoesOnWhenItIsBack) {
  install_kinds();
  json::value role = json::parse(kubectl({"get", "clusterrole", "capi-manager-role", "-o=json"}));
  const json::value lesser = without_resource(role, "clusters/status");
  ASSERT_THAT(kubectl({"replace", "-f", "-"}, json::serialize(lesser)), HasSubstr("replaced"));
  right_is_taken_away_ = true;

  start();
  ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kCluster)), HasSubstr("created"));
  const std::string rule =
      R"({apiGroups: [\"cluster.x-k8s.io\"], resources: [\"clusters/status\"], verbs: [\"patch\"]})";
  EXPECT_TRUE(eventually([&] { return times_in_log(rule) > 0; }));
  // It is tried again with pauses, and not named again.
  EXPECT_TRUE(eventually([&] { return times_in_log("Forbidden") >= 3; }));
  EXPECT_EQ(times_in_log(rule), 1U);
  EXPECT_FALSE(manager_.has_ended());

  role.at("metadata").as_object().erase("resourceVersion");
  ASSERT_THAT(kubectl({"replace", "-f", "-"}, json::serialize(role)), HasSubstr("replaced"));
  EXPECT_THAT(kubectl({"wait", "--for=jsonpath={.status.phase}=Provisioning", "--timeout=80s", "cluster/c1"}),
              HasSubstr("condition met"));
}

// What an API server believes is shown by its calls: a list in v1beta1 goes through /convert.
class BadCertificates : public BadSurroundings {
 protected:
  void SetUp() override {
    BadSurroundings::SetUp();
    install_kinds();
    auto pki = Pki::create(folder_->path() / "pki");
    ASSERT_TRUE(pki) << pki.error().describe();
    pki_ = std::make_unique<Pki>(std::move(*pki));
    const auto good = pki_->issue_server("webhooks");
    const auto nameless = pki_->issue_client("another", "");  // of the same CA, for no server
    ASSERT_TRUE(good && nameless);
    good_ = *good;
    nameless_ = *nameless;
    serving_ = folder_->path() / "serving";
    fs::create_directories(serving_);
    port_ = free_port();
    json::value crd = json::parse(kubectl({"get", "crd/clusters.cluster.x-k8s.io", "-o=json"}));
    crd = converted_by(std::move(crd), {.url = fmt::format("https://127.0.0.1:{}/convert", port_),
                                        .ca_pem = content_of(pki_->ca().certificate)});
    ASSERT_THAT(kubectl({"replace", "-f", "-"}, json::serialize(crd)), HasSubstr("replaced"));
    ASSERT_THAT(kubectl({"create", "-f", "-"}, std::string(kCluster)), HasSubstr("created"));
  }
  void serve(const fs::path& certificate, const fs::path& key) const {
    fs::copy_file(certificate, serving_ / "tls.crt", fs::copy_options::overwrite_existing);
    fs::copy_file(key, serving_ / "tls.key", fs::copy_options::overwrite_existing);
  }
  std::string listed() const {
    return attempted(*servers_,
                     {"get", "--raw", "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters"});
  }
  void start_with_webhooks() {
    start({fmt::format("--webhook-port={}", port_), "--webhook-cert-dir=" + serving_.string()});
  }

  std::unique_ptr<Pki> pki_;
  KeyPair good_;
  KeyPair nameless_;
  fs::path serving_;
  std::uint16_t port_ = 0;
};

TEST_F(BadCertificates, OfAnotherNameIsLoggedAndExchangedWithoutARestart) {
  serve(nameless_.certificate, nameless_.key);
  start_with_webhooks();
  EXPECT_TRUE(eventually([&] { return log().contains("API servers refuse the webhook certificate"); }));
  EXPECT_TRUE(eventually([&] { return listed().contains("certificate"); })) << listed();

  serve(good_.certificate, good_.key);

  EXPECT_TRUE(eventually([&] { return listed().contains("\"c1\""); })) << listed();
  EXPECT_FALSE(manager_.has_ended());
}

TEST_F(BadCertificates, ThatIsHalfExchangedLeavesTheFormerOneInUse) {
  serve(good_.certificate, good_.key);
  start_with_webhooks();
  ASSERT_TRUE(eventually([&] { return listed().contains("\"c1\""); })) << listed();

  serve(nameless_.certificate, good_.key);  // of another key
  EXPECT_TRUE(eventually([&] { return log().contains("webhook certificate is not exchanged"); }));

  EXPECT_THAT(listed(), HasSubstr("\"c1\""));
  EXPECT_FALSE(manager_.has_ended());
}

}  // namespace
}  // namespace capstan::envtest
