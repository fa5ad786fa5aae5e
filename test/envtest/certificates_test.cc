// Webhook certificates without cert-manager, on a real kube-apiserver: the package of config/self-managed,
// two replicas of `capstan` with exactly its roles, and fifty callers whose calls need conversion and both
// kinds of admission while the authority changes. Each replica answers for some of the URLs that stand in for
// the Service: defaulting and half of the CRDs on one, validation and the other half on the other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/base64.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/pki.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/rights_expectation.h"
#include "test/envtest/scratch_folder.h"
#include "test/envtest/webhook_urls.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kSecret = "capi-webhook-self-managed-cert";
constexpr std::string_view kSettle = "2s";
constexpr std::string_view kMachines = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/machines";
// Of the older version: it is converted, defaulted, validated, and converted back for the answer.
constexpr std::string_view kMachine = R"({
  "apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": {"generateName": "call-"},
  "spec": {"clusterName": "c1", "version": "1.36.0", "bootstrap": {"dataSecretName": "d"},
           "infrastructureRef": {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "DriverMachine",
                                 "name": "m"}}})";

template <typename Condition>
bool eventually(Condition&& condition, Nanoseconds within = seconds(60)) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, within);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, milliseconds(100)));
  }
  return true;
}

// The manager has no flag for "any free port".
std::uint16_t free_port() {
  const auto reserved = ReservedPort::reserve();
  EXPECT_TRUE(reserved) << reserved.error().describe();
  return reserved ? reserved->number() : std::uint16_t{0};
}

// Callers that go on until they are stopped, each a few times a second on a connection of its own.
class Callers {
 public:
  Callers(const RealServers& servers, int count) {
    const std::string url = servers.url();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    token_ = servers.admin_token();
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { call(stop); });
  }
  std::size_t calls() const { return calls_; }
  std::set<std::string> stop() {  // how calls failed, each way once
    for (auto& thread : threads_) thread.request_stop();
    threads_.clear();
    return failures_.with([](const auto& failures) { return failures; });
  }

 private:
  void call(const std::stop_token& stop) {
    const SystemClock clock;
    SystemThreads threads;
    httplib::SSLClient client("127.0.0.1", port_);
    client.enable_server_certificate_verification(false);  // the API server's is not what is looked at
    client.set_keep_alive(true);
    client.set_read_timeout(seconds(30));
    client.set_bearer_token_auth(token_);
    while (threads.pause(Deadline::in(clock, milliseconds(250), stop)) != Woken::Stopped) {
      const auto answer =
          client.Post(std::string(kMachines) + "?dryRun=All", std::string(kMachine), "application/json");
      ++calls_;
      if (answer && answer->status == 201) continue;
      failures_.with([&](auto& failures) {
        failures.insert(answer ? answer->body : httplib::to_string(answer.error()));
      });
    }
  }

  int port_ = 0;
  std::string token_ = {};
  std::atomic<std::size_t> calls_ = 0;
  Guarded<std::set<std::string>> failures_;
  std::vector<std::jthread> threads_;
};

struct Replica {
  ChildProcess process = {};
  std::uint16_t webhooks = 0;
  std::uint16_t probes = 0;
};

class SelfManagedCertificates : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = RealServers::start({.controller_manager = true,
                                       .controllers = {"clusterrole-aggregation-controller"},
                                       .audit_policy = std::string(kAuditRequests)});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    for (Replica& replica : replicas_) {
      replica.webhooks = free_port();
      replica.probes = free_port();
    }
    install();
    if (HasFatalFailure()) return;
    for (std::size_t number : {0U, 1U}) start_replica(number);
    if (HasFatalFailure()) return;
    ready_ = true;
    for (const Replica& replica : replicas_) ready_ = ready_ && becomes_ready(replica);
  }
  static void TearDownTestSuite() {
    for (Replica& replica : replicas_) replica.process.kill();
    if (servers_) expect_rights_suffice(*servers_);
    folder_.reset();
    servers_.reset();
  }
  void SetUp() override { ASSERT_TRUE(ready_) << logs(); }
  void TearDown() override {
    if (HasFailure()) std::fputs(logs().c_str(), stderr);
  }

  static void install() {
    const auto package =
        output_of({.argv = {servers_->kubectl(), "kustomize", "config/self-managed"}}, seconds(30));
    ASSERT_TRUE(package) << package.error().describe();
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f=-"}, *package), Not(StartsWith("failed")));
    // What the callers' Machines refer to.
    const std::string provider = "config/crd/bases/infrastructure.cluster.x-k8s.io_drivermachines.yaml";
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f=" + provider}), Not(StartsWith("failed")));
    ASSERT_THAT(kubectl({"wait", "--for=condition=Established", "crd", "--all"}), HasSubstr("condition met"));
    lead_to(0, {"mutatingwebhookconfigurations", "crds/clusters.cluster.x-k8s.io",
                "crds/machines.cluster.x-k8s.io", "crds/machinesets.cluster.x-k8s.io",
                "crds/ipaddresses.ipam.cluster.x-k8s.io"});
    lead_to(1, {"validatingwebhookconfigurations", "crds/machinedeployments.cluster.x-k8s.io",
                "crds/machinedrainrules.cluster.x-k8s.io", "crds/machinehealthchecks.cluster.x-k8s.io",
                "crds/machinepools.cluster.x-k8s.io", "crds/ipaddressclaims.ipam.cluster.x-k8s.io"});
  }
  static void lead_to(std::size_t number, const std::vector<std::string>& objects) {
    const std::string url = fmt::format("https://127.0.0.1:{}", replicas_.at(number).webhooks);
    for (const std::string& object : objects) {
      auto document = json::parse(kubectl({"get", object, "-o=json"}));
      call_urls(document, {.base_url = url, .ca_pem = ""});
      ASSERT_THAT(kubectl({"replace", "-f=-"}, json::serialize(document)), HasSubstr("replaced"));
    }
  }
  static void start_replica(std::size_t number) {
    const auto kubeconfig = servers_->kubeconfig_for(kManagerUser, "");
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    Replica& replica = replicas_.at(number);
    auto started = ChildProcess::start(
        {.argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan", "--kubeconfig", *kubeconfig,
                  "--leader-elect", "--diagnostics-address=0",
                  fmt::format("--health-addr=127.0.0.1:{}", replica.probes),
                  fmt::format("--webhook-port={}", replica.webhooks), "--webhook-self-managed-certs",
                  "--webhook-self-managed-hosts=127.0.0.1",
                  fmt::format("--webhook-self-managed-settle={}", kSettle)}},
        folder_->path() / fmt::format("capstan-{}.log", number));
    ASSERT_TRUE(started) << started.error().describe();
    replica.process = std::move(*started);
  }
  static bool becomes_ready(const Replica& replica) {
    httplib::Client probe("127.0.0.1", replica.probes);
    return eventually([&] {
      const auto answer = probe.Get("/readyz");
      return answer && answer->status == 200;
    });
  }
  static std::string logs() {
    std::string text;
    for (const Replica& replica : replicas_)
      if (!replica.process.log().empty()) text += content_of(replica.process.log());
    return text;
  }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  // As base64; empty when there is no such key.
  static std::string in_secret(std::string_view key) {
    const auto text =
        kubectl({"get", "secret", std::string(kSecret), "-n=capi-system", "--ignore-not-found", "-o=json"});
    if (text.empty()) return {};
    const auto secret = json::parse(text);
    const auto* found = secret.at("data").as_object().if_contains(key);
    return found == nullptr ? std::string() : std::string(found->as_string());
  }
  // Of every clientConfig of the package, as base64.
  static std::vector<std::string> bundles() {
    std::vector<std::string> found;
    const auto all =
        json::parse(kubectl({"get", "crds,mutatingwebhookconfigurations,validatingwebhookconfigurations",
                             "-l=cluster.x-k8s.io/provider=cluster-api", "-o=json"}));
    const auto add = [&](const json::value& config) {
      const auto* bundle = config.as_object().if_contains("caBundle");
      found.emplace_back(bundle == nullptr ? "" : std::string(bundle->as_string()));
    };
    for (const json::value& item : all.at("items").as_array()) {
      json::error_code none;
      if (const auto* config = item.find_pointer("/spec/conversion/webhook/clientConfig", none)) add(*config);
      const auto* hooks = item.find_pointer("/webhooks", none);
      for (std::size_t at = 0; hooks != nullptr && at < hooks->as_array().size(); ++at)
        add(hooks->as_array()[at].at("clientConfig"));
    }
    return found;
  }
  // A new authority signs what is served, and nothing but it is trusted.
  static bool rotated_from(const std::string& former) {
    const std::string now = in_secret("ca.crt");
    if (now.empty() || now == former || !in_secret("retired-ca.crt").empty()) return false;
    return ::testing::Value(bundles(), Each(now));
  }
  // Fifty callers before, during and after a rotation that the command begins.
  static void expect_no_failed_call_while(std::vector<std::string> command) {
    const std::string former = in_secret("ca.crt");
    Callers callers(*servers_, 50);
    EXPECT_TRUE(eventually([&] { return callers.calls() > 200; }));

    EXPECT_THAT(kubectl(std::move(command)), Not(StartsWith("failed")));
    EXPECT_TRUE(eventually([&] { return rotated_from(former); }));
    const std::size_t until_then = callers.calls();
    EXPECT_TRUE(eventually([&] { return callers.calls() > until_then + 200; }));

    EXPECT_THAT(callers.stop(), IsEmpty());
    EXPECT_THAT(bundles(), Each(Not(HasSubstr(former))));
    std::printf("%zu calls\n", callers.calls());
  }

  static inline std::unique_ptr<RealServers> servers_;
  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline std::array<Replica, 2> replicas_;
  static inline bool ready_ = false;
};

TEST_F(SelfManagedCertificates, AreTrustedInEveryBundleOnceTheManagersAreReady) {
  // 9 CRDs, 6 that default, 18 that validate
  EXPECT_TRUE(eventually([] { return ::testing::Value(bundles(), Each(in_secret("ca.crt"))); }));
  EXPECT_EQ(bundles().size(), 33U);
  EXPECT_THAT(kubectl({"create", "--dry-run=server", "-n=default", "-f=-"}, std::string(kMachine)),
              HasSubstr("created"));
}

TEST_F(SelfManagedCertificates, AreRotatedWithoutAFailedCallOfFiftyCallers) {
  expect_no_failed_call_while({"annotate", "secret", std::string(kSecret), "-n=capi-system",
                               "capstan.dev/rotate-webhook-certificates=now"});
}

TEST_F(SelfManagedCertificates, AreRotatedWithoutAFailedCallWhenTheSecretIsDeleted) {
  expect_no_failed_call_while({"delete", "secret", std::string(kSecret), "-n=capi-system"});
}

TEST_F(SelfManagedCertificates, ArePutBackIntoABundleThatIsReset) {
  const auto pki = Pki::create(folder_->path() / "other");
  ASSERT_TRUE(pki) << pki.error().describe();
  const std::string other = base64_encode(content_of(pki->ca().certificate));
  const auto reset = [&](const std::string& object, std::string_view pointer) {
    return kubectl(
        {"patch", object, "--type=json",
         fmt::format(R"(-p=[{{"op":"replace","path":"{}/caBundle","value":"{}"}}])", pointer, other)});
  };

  ASSERT_THAT(reset("crd/machinepools.cluster.x-k8s.io", "/spec/conversion/webhook/clientConfig"),
              HasSubstr("patched"));
  ASSERT_THAT(
      reset("mutatingwebhookconfiguration/capi-mutating-webhook-configuration", "/webhooks/1/clientConfig"),
      HasSubstr("patched"));

  EXPECT_TRUE(eventually([] { return ::testing::Value(bundles(), Each(in_secret("ca.crt"))); }, seconds(20)));
}

TEST_F(SelfManagedCertificates, LeaveNoKeyInTheLog) {
  const std::string key = base64_decode(in_secret("tls.key")).value_or("");
  ASSERT_THAT(key, HasSubstr("PRIVATE KEY"));

  EXPECT_THAT(logs(), Not(HasSubstr("PRIVATE KEY")));
  EXPECT_THAT(logs(), Not(HasSubstr(in_secret("tls.key").substr(40, 60))));
  EXPECT_THAT(logs(), HasSubstr("webhook certificate is served"));
  EXPECT_THAT(logs(), Not(HasSubstr("forbidden")));
}

}  // namespace
}  // namespace capstan::envtest
