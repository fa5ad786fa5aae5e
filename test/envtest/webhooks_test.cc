// The admission webhooks of `capstan` behind a real kube-apiserver, as kubectl's users meet them: what is
// defaulted, refused and left alone. The configurations are the test's own, with URLs that lead to the
// manager's endpoint and the CA of a pki that only the endpoint's certificate comes from.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/pki.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/rights_expectation.h"
#include "test/envtest/scratch_folder.h"
#include "webhooks/admission_kinds.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A stored topology, as a manager with ClusterTopology=true leaves it behind.
constexpr std::string_view kTopology = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: topology, namespace: default}
spec: {topology: {classRef: {name: quick-start}, version: v1.36.0}}
)";

constexpr std::string_view kDeployment = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {{name: {0}, namespace: default}}
spec:
  clusterName: c1
  {1}
  template:
    spec:
      clusterName: c1
      version: 1.36.0
      bootstrap: {{dataSecretName: d}}
      infrastructureRef: {{apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachineTemplate, name: t}}
)";

constexpr std::string_view kMachine = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {{name: {0}, namespace: default}}
spec:
  clusterName: {1}
  version: {2}
  bootstrap: {{dataSecretName: d}}
  infrastructureRef: {{apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachine, name: {0}}}
)";

std::string deployment(std::string_view name, std::string_view more = "{}") {
  return fmt::format(fmt::runtime(kDeployment), name, more == "{}" ? "" : more);
}
std::string machine(std::string_view name, std::string_view cluster = "c1",
                    std::string_view version = "v1.36.0") {
  return fmt::format(fmt::runtime(kMachine), name, cluster, version);
}

// A port that was free a moment ago: the manager has no flag for "any".
std::uint16_t free_port() {
  const auto reserved = ReservedPort::reserve();
  EXPECT_TRUE(reserved) << reserved.error().describe();
  return reserved ? reserved->number() : std::uint16_t{0};
}

class Webhooks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started =
        RealServers::start({.controller_manager = true, .audit_policy = std::string(kAuditRequests)});
    ASSERT_TRUE(started) << started.error().describe();
    servers_ = std::move(*started);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f", "config/crd/bases"}), HasSubstr("machines.cluster"));
    ASSERT_THAT(kubectl({"wait", "--for=condition=Established", "crd", "--all"}), HasSubstr("condition met"));
    ASSERT_THAT(kubectl({"apply", "-f", "-"}, std::string(kTopology)), EndsWith("created\n"));
    start_manager();
  }
  static void TearDownTestSuite() {
    manager_.kill();
    if (servers_) expect_rights_suffice(*servers_);
    folder_.reset();
    servers_.reset();
  }
  void SetUp() override { ASSERT_TRUE(configured_); }
  void TearDown() override {
    if (HasFailure()) std::fputs(content_of(manager_.log()).c_str(), stderr);
  }

  static void start_manager() {
    const auto pki = Pki::create(folder_->path() / "pki");
    ASSERT_TRUE(pki) << pki.error().describe();
    const auto certificate = pki->issue_server("webhooks");
    ASSERT_TRUE(certificate) << certificate.error().describe();
    port_ = free_port();
    probes_ = free_port();
    const auto kubeconfig = manager_kubeconfig(*servers_);
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    auto started = ChildProcess::start(
        {.argv = {fs::read_symlink("/proc/self/exe").parent_path() / "capstan", "--kubeconfig", *kubeconfig,
                  fmt::format("--health-addr=127.0.0.1:{}", probes_), "--diagnostics-address=0",
                  fmt::format("--webhook-port={}", port_),
                  "--webhook-cert-dir=" + certificate->certificate.parent_path().string(),
                  "--webhook-cert-name=" + certificate->certificate.filename().string(),
                  "--webhook-key-name=" + certificate->key.filename().string()}},
        folder_->path() / "capstan.log");
    ASSERT_TRUE(started) << started.error().describe();
    manager_ = std::move(*started);
    ASSERT_TRUE(becomes_ready()) << content_of(manager_.log());
    const auto configured = kubectl({"apply", "-f", "-"}, configurations(content_of(pki->ca().certificate)));
    ASSERT_THAT(configured, AllOf(HasSubstr("mutating"), HasSubstr("validating"), Not(StartsWith("failed"))));
    configured_ = takes_effect();
    ASSERT_TRUE(configured_);
  }
  static bool becomes_ready() {
    httplib::Client client("127.0.0.1", probes_);
    return eventually([&] {
      const auto answer = client.Get("/readyz");
      return answer && answer->status == 200;
    });
  }
  // API servers read configurations through an informer.
  static bool takes_effect() {
    return eventually([] {
      return attempted(*servers_, {"create", "--dry-run=server", "-f", "-"}, machine("probe", "c1", "v1.x"))
          .contains("spec.version: Invalid value");
    });
  }
  template <typename Condition>
  static bool eventually(Condition&& condition) {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, seconds(60));
    while (!condition()) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(50)));
    }
    return true;
  }

  // Both, as upstream's package has them but for the URLs.
  static std::string configurations(const std::string& ca_pem) {
    json::array mutating;
    json::array validating;
    for (const auto& hook : webhooks::admission_hooks())
      (hook.path.starts_with("/mutate") ? mutating : validating).push_back(webhook(hook, ca_pem));
    const auto configuration = [](std::string_view kind, std::string_view name, json::array hooks) {
      return json::object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                          {"kind", kind},
                          {"metadata", {{"name", name}}},
                          {"webhooks", std::move(hooks)}};
    };
    return json::serialize(
        json::object{{"apiVersion", "v1"},
                     {"kind", "List"},
                     {"items",
                      {configuration("MutatingWebhookConfiguration", "capi-mutating-webhook-configuration",
                                     std::move(mutating)),
                       configuration("ValidatingWebhookConfiguration",
                                     "capi-validating-webhook-configuration", std::move(validating))}}});
  }
  static json::object webhook(const webhooks::AdmissionHook& hook, const std::string& ca_pem) {
    const auto& kind = *hook.kind;
    const bool mutates = hook.path.starts_with("/mutate");
    const auto singular = hook.path.substr(hook.path.rfind('-') + 1);
    json::array operations = {"CREATE", "UPDATE"};
    if (!mutates && singular == "cluster") operations.push_back("DELETE");
    return {{"name", fmt::format("{}.{}.{}", mutates ? "default" : "validation", singular, kind.group)},
            {"admissionReviewVersions", {"v1"}},
            {"sideEffects", "None"},
            {"failurePolicy", "Fail"},
            {"matchPolicy", "Equivalent"},
            {"clientConfig",
             {{"url", fmt::format("https://127.0.0.1:{}{}", port_, hook.path)},
              {"caBundle", base64_encode(ca_pem)}}},
            {"rules", json::array{json::object{{"apiGroups", {kind.group}},
                                               {"apiVersions", {kind.version}},
                                               {"operations", std::move(operations)},
                                               {"resources", {kind.plural}}}}}};
  }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
  }
  static std::string apply(const std::string& manifest) { return kubectl({"apply", "-f", "-"}, manifest); }
  // What the server refuses the manifest with.
  static std::string refused(const std::string& manifest) {
    return envtest::refused(*servers_, {"apply", "-f", "-"}, manifest);
  }
  static std::string field(const std::string& object, const std::string& path) {
    return kubectl({"get", object, "-o=jsonpath={" + path + "}"});
  }
  // What the audit log holds of the writes to the object of this name.
  static std::vector<json::object> writes_to(std::string_view name) {
    std::vector<json::object> all;
    std::ifstream log(servers_->audit_log());
    for (std::string line; std::getline(log, line);) {
      auto entry = json::parse(line).as_object();
      const auto* object = entry.if_contains("objectRef");
      const auto* named = object == nullptr ? nullptr : object->as_object().if_contains("name");
      const auto& verb = entry.at("verb").as_string();
      const bool wrote = verb == "create" || verb == "update" || verb == "patch";
      if (wrote && named != nullptr && named->as_string() == name) all.push_back(std::move(entry));
    }
    return all;
  }
  // True for each write to which a defaulting webhook had a patch.
  static std::vector<bool> patched(std::string_view name) {
    std::vector<bool> all;
    for (const auto& entry : writes_to(name)) {
      const auto* notes = entry.if_contains("annotations");
      if (notes == nullptr) continue;
      for (const auto& [key, note] : notes->as_object()) {
        if (key.starts_with("mutation.webhook.admission.k8s.io/"))
          all.push_back(json::parse(note.as_string()).at("mutated").as_bool());
      }
    }
    return all;
  }

  static inline std::unique_ptr<RealServers> servers_;
  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline ChildProcess manager_;
  static inline std::uint16_t port_ = 0;
  static inline std::uint16_t probes_ = 0;
  static inline bool configured_ = false;
};

TEST_F(Webhooks, FillInWhatAManifestLeavesOut) {
  ASSERT_THAT(apply(deployment("defaulted")), EndsWith("created\n"));

  const std::string object = "machinedeployment/defaulted";
  EXPECT_EQ(field(object, ".spec.replicas"), "1");
  EXPECT_EQ(field(object, ".spec.rollout.strategy"),
            R"({"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"})");
  EXPECT_EQ(field(object, ".spec.selector.matchLabels"),
            R"({"cluster.x-k8s.io/cluster-name":"c1","cluster.x-k8s.io/deployment-name":"defaulted"})");
  EXPECT_EQ(field(object, ".spec.template.spec.version"), "v1.36.0");
  EXPECT_EQ(field(object, ".metadata.labels"), R"({"cluster.x-k8s.io/cluster-name":"c1"})");
}

TEST_F(Webhooks, RefuseABadObjectAndNameTheField) {
  const auto said = refused(machine("bad", "c1", "v1.x"));
  const auto writes = writes_to("bad");

  EXPECT_EQ(said,
            "failed: The Machine \"bad\" is invalid: spec.version: Invalid value: \"v1.x\": must be a valid "
            "semantic "
            "version\n");
  ASSERT_EQ(writes.size(), 1U);
  const auto& status = writes.front().at("responseStatus");
  EXPECT_EQ(status.at("code").as_int64(), 422);
  EXPECT_EQ(
      status.at("message").as_string(),
      "admission webhook \"validation.machine.cluster.x-k8s.io\" denied the request: "
      "Machine.cluster.x-k8s.io \"bad\" is invalid: spec.version: Invalid value: \"v1.x\": must be a valid "
      "semantic version");
}

TEST_F(Webhooks, RefuseAnotherClusterName) {
  ASSERT_THAT(apply(machine("moved")), EndsWith("created\n"));

  EXPECT_THAT(refused(machine("moved", "c2")), HasSubstr("spec.clusterName: Forbidden: field is immutable"));
}

TEST_F(Webhooks, RefuseDefaultsThatCanNotBeReckonedAs403) {
  auto manifest = deployment("unreckoned");
  manifest.insert(manifest.find(", namespace"),
                  ", annotations: {cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: x, "
                  "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: \"5\"}");

  EXPECT_THAT(refused(manifest), AllOf(HasSubstr("(Forbidden)"),
                                       HasSubstr("\"default.machinedeployment.cluster.x-k8s.io\" denied"),
                                       HasSubstr("strconv.ParseInt: parsing \"x\": invalid syntax")));
}

TEST_F(Webhooks, HaveNoPatchForAnUpdateThatChangesNothing) {
  ASSERT_THAT(apply(machine("untouched")), EndsWith("created\n"));
  const auto stored = kubectl({"get", "machine/untouched", "-o=json"});

  ASSERT_THAT(kubectl({"replace", "-f", "-"}, stored), EndsWith("replaced\n"));
  const auto after = patched("untouched");

  ASSERT_FALSE(after.empty());
  EXPECT_TRUE(after.front()) << "the creation";
  EXPECT_THAT(std::vector<bool>(after.begin() + 1, after.end()), ::testing::Each(false));
  EXPECT_GE(after.size(), 2U);
}

TEST_F(Webhooks, KeepReplicasThatAnUpdateLeavesOut) {
  ASSERT_THAT(kubectl({"create", "-f", "-"}, deployment("kept", "replicas: 5")), EndsWith("created\n"));

  ASSERT_THAT(kubectl({"replace", "-f", "-"}, deployment("kept")), EndsWith("replaced\n"));

  EXPECT_EQ(field("machinedeployment/kept", ".spec.replicas"), "5");
}

TEST_F(Webhooks, LetTheScaleSubresourcePass) {
  ASSERT_THAT(apply(deployment("scaled")), EndsWith("created\n"));

  EXPECT_THAT(kubectl({"scale", "machinedeployment/scaled", "--replicas=3"}), EndsWith("scaled\n"));

  EXPECT_EQ(field("machinedeployment/scaled", ".spec.replicas"), "3");
}

TEST_F(Webhooks, RefuseATopologyButTouchAndDeleteOneThatIsStored) {
  std::string fresh(kTopology);
  fresh.replace(fresh.find("name: topology"), 14, "name: fresh");

  EXPECT_THAT(refused(fresh),
              HasSubstr("spec.topology: Forbidden: can be set only if the ClusterTopology feature "
                        "flag is enabled"));
  EXPECT_THAT(kubectl({"label", "cluster/topology", "a=b"}), EndsWith("labeled\n"));
  EXPECT_THAT(kubectl({"delete", "cluster/topology", "--timeout=50s"}), HasSubstr("deleted"));
}

TEST_F(Webhooks, ValidateOurOwnKinds) {
  EXPECT_THAT(
      refused("{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: CloudConfig, metadata: {name: twice},\n"
              " spec: {files: [{path: /a}, {path: /a}]}}"),
      HasSubstr("spec.files[1].path: Duplicate value: \"/a\""));
  EXPECT_THAT(refused("{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DriverCluster,\n"
                      " metadata: {name: half}, spec: {controlPlaneEndpoint: {host: a}}}"),
              HasSubstr("spec.controlPlaneEndpoint.port: Required value"));
}

TEST_F(Webhooks, RefuseAnAddressOfAnotherPoolThanItsClaimAsks) {
  const auto address = [](std::string_view name, std::string_view pool) {
    return fmt::format(
        "{{apiVersion: ipam.cluster.x-k8s.io/v1beta2, kind: IPAddress, metadata: {{name: {}}}, spec: {{\n"
        " claimRef: {{name: asked}}, poolRef: {{apiGroup: ipam.example.com, kind: Pool, name: {}}},\n"
        " address: fd00::7, prefix: 64}}}}",
        name, pool);
  };
  ASSERT_THAT(
      apply("{apiVersion: ipam.cluster.x-k8s.io/v1beta2, kind: IPAddressClaim, metadata: {name: asked},\n"
            " spec: {poolRef: {apiGroup: ipam.example.com, kind: Pool, name: right}}}"),
      EndsWith("created\n"));

  EXPECT_THAT(refused(address("wrong", "wrong")),
              AllOf(HasSubstr("(Forbidden)"), HasSubstr("spec.poolRef: Invalid value"),
                    HasSubstr("the referenced pool is different")));
  EXPECT_THAT(apply(address("right", "right")), EndsWith("created\n"));
}

TEST_F(Webhooks, WarnOfAPolicyThatSelectsWhatAnotherOneSelects) {
  constexpr std::string_view kPolicy =
      "{{apiVersion: policy.capstan.dev/v1alpha1, kind: MachineLifecyclePolicy,\n"
      " metadata: {{name: {}, namespace: default}}, spec: {{selector: {{matchLabels: {{team: a}}}}}}}}";
  auto manifest = deployment("contested");
  manifest.insert(manifest.find(", namespace"), ", labels: {team: a}");
  ASSERT_THAT(apply(manifest), EndsWith("created\n"));
  const auto first = attempted(*servers_, {"apply", "-f", "-"}, fmt::format(kPolicy, "first"));
  // The second one is warned about as soon as the manager's cache shows the first.
  std::string second;
  ASSERT_TRUE(eventually([&] {
    second = attempted(*servers_, {"create", "--dry-run=server", "-f", "-"}, fmt::format(kPolicy, "second"));
    return second.contains("Warning");
  })) << second;

  EXPECT_EQ(first, "machinelifecyclepolicy.policy.capstan.dev/first created\n");
  EXPECT_THAT(second,
              AllOf(HasSubstr("MachineDeployment contested is also selected by MachineLifecyclePolicy first"),
                    EndsWith("created (server dry run)\n")));
}

}  // namespace
}  // namespace capstan::envtest
