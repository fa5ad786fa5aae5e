// A thousand MachineSets, and some objects of other kinds, that are stored as v1beta1 on a real
// kube-apiserver, and a manager that stores them as v1beta2 and is killed half way. That they are shows when
// nothing converts any more and they can be listed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "api/schema/yaml.h"
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
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kSets = 1000;
constexpr int kRules = 20;  // and claims, and addresses
constexpr int kBeforeTheKill = 400;
constexpr std::string_view kRule = R"(
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDrainRule
metadata: {{name: rule-{0}, namespace: default}}
spec: {{drain: {{behavior: Drain, order: {0}}}}}
---
)";
constexpr std::string_view kClaim = R"(
apiVersion: ipam.cluster.x-k8s.io/v1beta1
kind: IPAddressClaim
metadata: {{name: claim-{0}, namespace: default}}
spec: {{clusterName: none, poolRef: {{apiGroup: ipam.example.com, kind: Pool, name: p}}}}
---
apiVersion: ipam.cluster.x-k8s.io/v1beta1
kind: IPAddress
metadata: {{name: address-{0}, namespace: default}}
spec:
  claimRef: {{name: claim-{0}}}
  poolRef: {{apiGroup: ipam.example.com, kind: Pool, name: p}}
  address: 10.0.0.{0}
  prefix: 24
---
)";
constexpr std::string_view kCheck = R"(
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineHealthCheck
metadata: {{name: check-{0}, namespace: default}}
spec:
  clusterName: none
  selector: {{matchLabels: {{set: "{0}"}}}}
  unhealthyConditions: [{{type: Ready, status: "False", timeout: 5m}}]
---
)";
// Refuses with 403, as an admission webhook may.
constexpr std::string_view kFrozen = R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: frozen}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [cluster.x-k8s.io]
      apiVersions: ["*"]
      operations: [UPDATE]
      resources: [machinehealthchecks, machinehealthchecks/status]
  validations:
  - {expression: "object.metadata.name != 'check-7'", message: frozen by its owner, reason: Forbidden}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: frozen}
spec: {policyName: frozen, validationActions: [Deny]}
)";
constexpr const char* kSetsCrd = "crd/machinesets.cluster.x-k8s.io";
constexpr const char* kRulesCrd = "crd/machinedrainrules.cluster.x-k8s.io";
constexpr const char* kClaimsCrd = "crd/ipaddressclaims.ipam.cluster.x-k8s.io";
constexpr const char* kAddressesCrd = "crd/ipaddresses.ipam.cluster.x-k8s.io";
constexpr const char* kChecksCrd = "crd/machinehealthchecks.cluster.x-k8s.io";
constexpr std::string_view kChecks = "cluster.x-k8s.io_machinehealthchecks";
constexpr std::array kMigrated = {"cluster.x-k8s.io_machinesets", "cluster.x-k8s.io_machinedrainrules",
                                  "ipam.cluster.x-k8s.io_ipaddressclaims",
                                  "ipam.cluster.x-k8s.io_ipaddresses"};

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::uint16_t unused_port() {
  const auto reserved = ReservedPort::reserve();
  EXPECT_TRUE(reserved) << reserved.error().describe();
  return reserved ? reserved->number() : std::uint16_t{0};
}

class Migration : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = RealServers::start({.audit_policy = std::string(kAuditRequests)});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f", "config/crd/bases"}), HasSubstr("machines.cluster"));
    const auto kubeconfig = manager_kubeconfig(*servers_);
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    kubeconfig_ = *kubeconfig;
    port_ = unused_port();
    auto pki = Pki::create(folder_->path() / "pki");
    ASSERT_TRUE(pki) << pki.error().describe();
    const auto certificate = pki->issue_server("webhooks");
    ASSERT_TRUE(certificate) << certificate.error().describe();
    certificate_ = *certificate;
    ca_ = content_of(pki->ca().certificate);
  }
  static void TearDownTestSuite() {
    manager_.kill();
    if (servers_) expect_rights_suffice(*servers_);
    folder_.reset();
    servers_.reset();
  }
  void TearDown() override {
    if (HasFailure()) std::fputs(content_of(folder_->path() / "capstan.log").c_str(), stderr);
  }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  static void install(const json::value& crd) {
    EXPECT_THAT(kubectl({"apply", "--server-side", "--force-conflicts", "-f", "-"}, json::serialize(crd)),
                HasSubstr("serverside-applied"));
  }
  static json::value base(std::string_view file) {
    return api::parse_yaml(content_of(fmt::format("config/crd/bases/{}.yaml", file))).value();
  }
  static json::value converted_by_us(std::string_view file) {
    return converted_by(base(file),
                        {.url = fmt::format("https://127.0.0.1:{}/convert", port_), .ca_pem = ca_});
  }
  static void start_manager(const fs::path& kubeconfig = kubeconfig_) {
    auto started = ChildProcess::start(
        {.argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan", "--kubeconfig", kubeconfig,
                  "--controllers=crdmigrator", "--health-addr=0", "--diagnostics-address=0",
                  fmt::format("--webhook-port={}", port_),
                  "--webhook-cert-dir=" + certificate_.certificate.parent_path().string(),
                  "--webhook-cert-name=" + certificate_.certificate.filename().string(),
                  "--webhook-key-name=" + certificate_.key.filename().string()}},
        folder_->path() / "capstan.log");
    ASSERT_TRUE(started) << started.error().describe();
    manager_ = std::move(*started);
  }
  template <typename Condition>
  static bool eventually(Condition&& condition) {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, std::chrono::minutes(2));
    while (!condition()) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(50)));
    }
    return true;
  }
  static std::string field(const char* object, const char* path) {
    return kubectl({"get", object, fmt::format("-o=jsonpath={{{}}}", path)});
  }
  static bool is_migrated(const char* crd) {
    return field(crd, ".status.storedVersions") == R"(["v1beta2"])" &&
           field(crd, R"(.metadata.annotations.crd-migration\.cluster\.x-k8s\.io/observed-generation)") ==
               field(crd, ".metadata.generation");
  }
  static void make_objects() {
    std::string manifests = machine_sets_of_v1beta1(kSets);
    for (int i = 0; i < kRules; ++i) manifests += fmt::format(fmt::runtime(kRule), i);
    for (int i = 0; i < kRules; ++i) manifests += fmt::format(fmt::runtime(kClaim), i);
    ASSERT_THAT(kubectl({"create", "--validate=false", "-f", "-"}, manifests), Not(StartsWith("failed: ")));
  }

  static inline std::unique_ptr<RealServers> servers_;
  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline fs::path kubeconfig_;
  static inline std::uint16_t port_ = 0;
  static inline KeyPair certificate_;
  static inline std::string ca_;
  static inline ChildProcess manager_;
};

TEST_F(Migration, OfAThousandMachineSetsGoesOnAfterAKillHalfWayAndLosesNothing) {
  for (const char* file : kMigrated) install(stored_as_v1beta1(base(file)));
  kubectl({"wait", "--for=condition=Established", "crd", "--all"});
  make_objects();
  for (const char* file : kMigrated) install(converted_by_us(file));
  ASSERT_EQ(field(kSetsCrd, ".status.storedVersions"), R"(["v1beta2","v1beta1"])");
  refused(*servers_, {"get", "--raw", "/apis/cluster.x-k8s.io/v1beta2/machinesets"});
  ASSERT_FALSE(HasFailure()) << "something converts already";

  AuditReader log(servers_->audit_log());
  start_manager();
  int written = 0;
  ASSERT_TRUE(eventually([&] {
    for (const AuditEntry& entry : log.more().value_or(std::vector<AuditEntry>()))
      if (entry.verb == "patch" && entry.resource == "machinesets/status" && entry.code == 200) ++written;
    return written >= kBeforeTheKill;
  }));
  manager_.kill();
  EXPECT_LT(written, kSets);
  EXPECT_EQ(field(kSetsCrd, ".status.storedVersions"), R"(["v1beta2","v1beta1"])");
  start_manager();
  EXPECT_TRUE(eventually([] {
    return is_migrated(kSetsCrd) && is_migrated(kRulesCrd) && is_migrated(kClaimsCrd) &&
           is_migrated(kAddressesCrd);
  }));
  manager_.kill();

  const std::string listed = kubectl({"get", "--raw", "/apis/cluster.x-k8s.io/v1beta2/machinesets"});
  ASSERT_THAT(listed, Not(StartsWith("failed: "))) << "one of them is still stored as v1beta1";
  const json::value all = json::parse(listed);
  EXPECT_EQ(all.at("items").as_array().size(), kSets);
  for (const json::value& set : all.at("items").as_array()) {
    EXPECT_EQ(set.at("metadata").at("generation"), 1);
    EXPECT_EQ(set.at_pointer("/spec/template/spec/deletion/nodeDrainTimeoutSeconds"), 90);
  }
  EXPECT_THAT(kubectl({"get", "--raw", "/apis/cluster.x-k8s.io/v1beta2/machinedrainrules"}),
              HasSubstr("rule-19"));
  EXPECT_THAT(kubectl({"get", "--raw", "/apis/ipam.cluster.x-k8s.io/v1beta2/ipaddressclaims"}),
              HasSubstr("claim-19"));
  EXPECT_THAT(kubectl({"get", "--raw", "/apis/ipam.cluster.x-k8s.io/v1beta2/ipaddresses"}),
              HasSubstr("10.0.0.19"));
}

// After the test above.
TEST_F(Migration, TakesManagersOfV1beta1OffOnceItIsNotServed) {
  ASSERT_TRUE(is_migrated(kSetsCrd) && is_migrated(kClaimsCrd));
  const auto managers = [](const char* plural) {
    return kubectl({"get", plural, "-o=jsonpath={.items[*].metadata.managedFields[*].apiVersion}",
                    "--show-managed-fields"});
  };
  ASSERT_THAT(managers("machinesets"), HasSubstr("v1beta1"));
  ASSERT_THAT(managers("ipaddressclaims"), HasSubstr("v1beta1"));

  for (const auto& [crd, file] : {std::array{kSetsCrd, kMigrated[0]}, std::array{kClaimsCrd, kMigrated[2]}}) {
    install(base(file));
    ASSERT_THAT(kubectl({"patch", crd, "--type=json",
                         R"(-p=[{"op":"replace","path":"/spec/versions/1/served","value":false}])"}),
                Not(StartsWith("failed: ")));
  }
  start_manager();

  EXPECT_TRUE(eventually([] { return is_migrated(kSetsCrd) && is_migrated(kClaimsCrd); }));
  for (const char* plural : {"machinesets", "ipaddressclaims"})
    EXPECT_THAT(managers(plural), AllOf(HasSubstr("v1beta2"), Not(HasSubstr("v1beta1"))));
  EXPECT_THAT(kubectl({"apply", "--server-side", "--field-manager=test", "-f", "-"}, R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: {name: set-7, namespace: default, labels: {added: by-the-test}}
)"),
              HasSubstr("serverside-applied"));
  EXPECT_EQ(field("machineset/set-7", R"(.metadata.managedFields[?(@.manager=="before-first-apply")])"), "");
}

// Under an administrator: what is refused to the role of the package fails this suite.
TEST_F(Migration, GoesOnWithTheOthersWhenOneObjectIsForbiddenAndNamesIt) {
  install(stored_as_v1beta1(base(kChecks)));
  kubectl({"wait", "--for=condition=Established", "crd", "--all"});
  std::string manifests;
  for (int i = 0; i < kRules; ++i) manifests += fmt::format(fmt::runtime(kCheck), i);
  ASSERT_THAT(kubectl({"create", "--validate=false", "-f", "-"}, manifests), Not(StartsWith("failed: ")));
  ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kFrozen)), Not(StartsWith("failed: ")));
  ASSERT_TRUE(eventually([] {
    return attempted(*servers_, {"label", "--dry-run=server",
                                 "machinehealthchecks.v1beta1.cluster.x-k8s.io/check-7", "a=b"})
        .contains("frozen by its owner");
  }));
  install(converted_by_us(kChecks));

  manager_.kill();
  start_manager(servers_->kubeconfig_path());
  EXPECT_TRUE(eventually([] {
    return content_of(manager_.log())
        .contains(
            "1 objects of machinehealthchecks.cluster.x-k8s.io can't be stored in v1beta2: "
            "MachineHealthCheck default/check-7");
  }));
  EXPECT_EQ(field(kChecksCrd, ".status.storedVersions"), R"(["v1beta2","v1beta1"])");
  EXPECT_THAT(content_of(manager_.log()), AllOf(HasSubstr("frozen by its owner"), Not(HasSubstr("check-8"))));

  kubectl({"delete", "validatingadmissionpolicybinding/frozen"});
  EXPECT_TRUE(eventually([] { return is_migrated(kChecksCrd); }));
}

}  // namespace
}  // namespace capstan::envtest
