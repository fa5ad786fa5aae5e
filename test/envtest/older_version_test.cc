// Clients of v1beta1 on a real kube-apiserver whose CRDs name our endpoint: what kubectl stores, reads
// and writes back, and which warnings it prints.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "api/schema/yaml.h"
#include "base/base64.h"
#include "net/io_pool.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/real_servers.h"
#include "webhooks/conversion_review.h"
#include "webhooks/server.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

constexpr std::string_view kDeployment = R"(
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: workers, namespace: default}
spec:
  clusterName: demo
  replicas: 3
  minReadySeconds: 5
  selector: {matchLabels: {pool: workers}}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 10%, deletePolicy: Oldest}
  template:
    metadata: {labels: {pool: workers}}
    spec:
      clusterName: demo
      version: v1.35.0
      nodeDrainTimeout: 1m30s
      bootstrap: {configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: CloudConfigTemplate, name: t}}
      infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DriverMachineTemplate, name: t}
)";

constexpr std::string_view kMachine = R"(
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {{name: {0}, namespace: {1}, annotations: {{note: mine}}}}
spec:
  clusterName: demo
  minReadySeconds: 7
  deletion: {{nodeDrainTimeoutSeconds: 90}}
  bootstrap: {{dataSecretName: ""}}
  infrastructureRef: {{apiGroup: infrastructure.cluster.x-k8s.io, kind: {2}, name: i}}
)";

Result<std::string> api_version_of(std::string_view group, std::string_view kind) {
  if (kind == "DriverMachine" || kind.ends_with("Template")) return fmt::format("{}/v1beta2", group);
  return fail(Code::NotFound, fmt::format("CustomResourceDefinition of {} is missing", kind));
}

net::HttpResponse convert(const net::ServerRequest& request) {
  auto answer = webhooks::answer_conversion(request.body, api_version_of);
  if (!answer) return {.status = 400, .body = answer.error().message};
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = std::move(*answer)};
}

// What the patch in config/crd does, with a URL in the place of a Service.
json::value served(json::value crd, std::uint16_t port, const std::string& ca) {
  json::object& spec = crd.as_object()["spec"].as_object();
  spec["versions"].as_array().at(1).as_object()["served"] = true;
  spec["conversion"] = {
      {"strategy", "Webhook"},
      {"webhook",
       {{"clientConfig",
         {{"url", fmt::format("https://127.0.0.1:{}/convert", port)}, {"caBundle", base64_encode(ca)}}},
        {"conversionReviewVersions", {"v1"}}}}};
  return crd;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class OlderVersion : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto servers = RealServers::start();
    ASSERT_TRUE(servers) << servers.error().describe();
    bed_ = std::make_unique<Bed>(std::move(*servers));
    bed_->endpoint.add("/convert", convert);
    const auto started = bed_->endpoint.start();
    ASSERT_TRUE(started) << started.error().describe();
    for (const char* kind : {"machinedeployments", "machines"}) install(kind);
    kubectl({"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"});
  }
  static void TearDownTestSuite() { bed_.reset(); }

  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(servers(), std::move(arguments), std::move(input));
  }
  static const RealServers& servers() { return *bed_->servers; }

 private:
  struct Bed {
    explicit Bed(std::unique_ptr<RealServers> started)
        : servers(std::move(started)),
          endpoint({io, clock, threads}, {.address = "127.0.0.1",
                                          .port = 0,
                                          .certificate_folder = servers->certificates(),
                                          .certificate_name = "apiserver.crt",
                                          .key_name = "apiserver.key"}) {}
    SystemClock clock = {};
    SystemThreads threads = {};
    std::unique_ptr<RealServers> servers;
    net::IoPool io;
    webhooks::Server endpoint;
  };

  static void install(const char* kind) {
    const auto crd =
        api::parse_yaml(file_text(fmt::format("config/crd/bases/cluster.x-k8s.io_{}.yaml", kind)));
    ASSERT_TRUE(crd) << crd.error().message;
    const json::value made = served(*crd, bed_->endpoint.port(), bed_->servers->ca_pem());
    ASSERT_THAT(kubectl({"apply", "--server-side", "-f", "-"}, json::serialize(made)),
                HasSubstr("serverside-applied"));
  }

  static std::unique_ptr<Bed> bed_;
};
std::unique_ptr<OlderVersion::Bed> OlderVersion::bed_;

constexpr const char* kOldMachines = "machines.v1beta1.cluster.x-k8s.io";
constexpr const char* kNewMachines = "machines.v1beta2.cluster.x-k8s.io";

TEST_F(OlderVersion, AManifestOfV1beta1IsStoredAsV1beta2AndKubectlIsWarned) {
  const std::string applied = attempted(servers(), {"apply", "-f", "-"}, std::string(kDeployment));

  const std::string spec =
      kubectl({"get", "machinedeployments.v1beta2.cluster.x-k8s.io", "workers", "-o", "jsonpath={.spec}"});

  EXPECT_THAT(applied, HasSubstr("machinedeployment.cluster.x-k8s.io/workers created"));
  EXPECT_THAT(applied, HasSubstr("cluster.x-k8s.io/v1beta1 of MachineDeployment is deprecated"));
  const json::value seen = json::parse(spec);
  EXPECT_EQ(
      seen.at("rollout"),
      json::parse(
          R"({"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1,"maxUnavailable":"10%"}}})"));
  EXPECT_EQ(seen.at("deletion").at("order"), "Oldest");
  EXPECT_EQ(seen.at("template").at("spec").at("minReadySeconds"), 5);
  EXPECT_EQ(seen.at("template").at("spec").at("deletion").at("nodeDrainTimeoutSeconds"), 90);
}

TEST_F(OlderVersion, WhatWasReadAndWrittenBackThroughV1beta1IsTheSame) {
  kubectl({"create", "-f", "-"}, fmt::format(kMachine, "m1", "default", "DriverMachine"));
  const std::string before = kubectl({"get", kNewMachines, "m1", "-o", "jsonpath={.spec}"});

  const std::string old = kubectl({"get", kOldMachines, "m1", "-o", "json"});
  const std::string replaced = kubectl({"replace", "-f", "-"}, old.substr(0, old.rfind('}') + 1));

  EXPECT_THAT(old, HasSubstr(R"("nodeDrainTimeout": "1m30s")"));
  EXPECT_THAT(old, HasSubstr("cluster.x-k8s.io/conversion-data"));
  EXPECT_THAT(replaced, HasSubstr("machine.cluster.x-k8s.io/m1 replaced"));
  EXPECT_EQ(kubectl({"get", kNewMachines, "m1", "-o", "jsonpath={.spec}"}), before);
  EXPECT_EQ(kubectl({"get", kNewMachines, "m1", "-o", "jsonpath={.metadata.annotations}"}),
            R"({"note":"mine"})");
}

TEST_F(OlderVersion, AListThatHoldsOneThatCannotBeConvertedFailsAndNamesIt) {
  kubectl({"create", "namespace", "broken"});
  kubectl({"apply", "-f", "-"}, fmt::format(kMachine, "m2", "broken", "GoneMachine"));

  const std::string old = refused(servers(), {"get", kOldMachines, "-n", "broken"});
  const std::string current = kubectl({"get", kNewMachines, "-n", "broken"});

  EXPECT_THAT(old, HasSubstr("Machine broken/m2"));
  EXPECT_THAT(old, HasSubstr("CustomResourceDefinition of GoneMachine is missing"));
  EXPECT_THAT(current, HasSubstr("m2"));
}

}  // namespace
}  // namespace capstan::envtest
