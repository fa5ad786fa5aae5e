#include "test/envtest/real_servers.h"
#include "test/envtest/kubectl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<RealServers> started(RealServerOptions options = {}) {
  auto servers = RealServers::start(std::move(options));
  EXPECT_TRUE(servers) << servers.error().describe();
  return servers ? std::move(*servers) : nullptr;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(RealServers, AnswerTheirVersionAndKeepWhatKubectlMakes) {
  const auto servers = started();
  ASSERT_TRUE(servers);

  const auto version = servers->run_kubectl({"get", "--raw", "/version"});
  const auto made = servers->run_kubectl({"create", "namespace", "harbour"});
  const auto read = servers->run_kubectl({"get", "namespace", "harbour", "-o", "name"});

  EXPECT_THAT(text_of(version), HasSubstr("\"v1.36.3\""));
  EXPECT_EQ(text_of(made), "namespace/harbour created\n");
  EXPECT_EQ(text_of(read), "namespace/harbour\n");
}

TEST(RealServers, KnowTheAdminTokenTheGivenTokensAndNoOther) {
  const auto servers = started({.users = {{.token = "mate-token", .name = "mate", .group = "crew"}}});
  ASSERT_TRUE(servers);
  const auto who_am_i = [&](const std::string& token) {
    const std::string ca = servers->kubeconfig_path().parent_path() / "pki" / "ca.crt";
    return text_of(run({.argv = {servers->kubectl(), "--kubeconfig=/dev/null", "--server=" + servers->url(),
                                 "--certificate-authority=" + ca, "--token=" + token, "auth", "whoami"}},
                       std::chrono::seconds(30)));
  };

  const std::string admin = who_am_i(servers->admin_token());
  const std::string mate = who_am_i("mate-token");
  const std::string stranger = who_am_i("guessed");

  EXPECT_THAT(admin, HasSubstr("system:masters"));
  EXPECT_THAT(mate, HasSubstr("crew"));
  EXPECT_THAT(stranger, HasSubstr("failed: "));
}

TEST(RealServers, AnIssuedKubeconfigNamesItsUserWhoHasNoRightsUntilGiven) {
  const auto servers = started();
  ASSERT_TRUE(servers);
  const auto kubeconfig = servers->kubeconfig_for("tb-sut", "tb:managers");
  ASSERT_TRUE(kubeconfig);
  const auto list = [&] {
    return text_of(
        run({.argv = {servers->kubectl(), "--kubeconfig=" + kubeconfig->string(), "get", "namespaces"}},
            std::chrono::seconds(30)));
  };

  const std::string before = list();
  const auto given = servers->run_kubectl(
      {"create", "clusterrolebinding", "tb", "--clusterrole=cluster-admin", "--group=tb:managers"});
  const std::string after = list();

  EXPECT_THAT(before, HasSubstr("User \"tb-sut\" cannot list"));
  EXPECT_EQ(text_of(given), "clusterrolebinding.rbac.authorization.k8s.io/tb created\n");
  EXPECT_THAT(after, HasSubstr("kube-system"));
}

TEST(RealServers, TheAuditLogHoldsWhatThePolicyAsksForAndNothingElse) {
  const auto servers = started({.audit_policy = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create]
  resources: [{group: "", resources: [namespaces]}]
- level: None
)"});
  ASSERT_TRUE(servers);

  const auto made = servers->run_kubectl({"create", "namespace", "counted"});
  const auto not_counted = servers->run_kubectl({"create", "configmap", "silent"});

  EXPECT_EQ(text_of(made), "namespace/counted created\n");
  EXPECT_EQ(text_of(not_counted), "configmap/silent created\n");
  EXPECT_THAT(content_of(servers->audit_log()), HasSubstr("\"counted\""));
  EXPECT_THAT(content_of(servers->audit_log()), Not(HasSubstr("silent")));
}

TEST(RealServers, WithTheControllerManagerADeletedNamespaceGoes) {
  const auto servers = started({.controller_manager = true});
  ASSERT_TRUE(servers);
  ASSERT_EQ(text_of(servers->run_kubectl({"create", "namespace", "short-lived"})),
            "namespace/short-lived created\n");

  const auto gone = servers->run_kubectl({"delete", "namespace", "short-lived", "--wait", "--timeout=50s"});

  EXPECT_EQ(text_of(gone), "namespace \"short-lived\" deleted\n");
}

TEST(RealServers, TwoRunSideBySide) {
  const auto one = started();
  const auto other = started();
  ASSERT_TRUE(one && other);

  const auto made = one->run_kubectl({"create", "namespace", "mine"});
  const auto elsewhere = other->run_kubectl({"get", "namespace", "mine"});

  EXPECT_EQ(text_of(made), "namespace/mine created\n");
  EXPECT_THAT(text_of(elsewhere), HasSubstr("NotFound"));
}

TEST(RealServers, LeaveNoFilesAndNoListenerBehind) {
  auto servers = started();
  ASSERT_TRUE(servers);
  const auto folder = servers->kubeconfig_path().parent_path();
  const Command knock = {.argv = {servers->kubectl(), "--kubeconfig=/dev/null", "--server=" + servers->url(),
                                  "--insecure-skip-tls-verify", "--token=" + servers->admin_token(), "get",
                                  "--raw", "/livez"}};
  ASSERT_EQ(text_of(run(knock, std::chrono::seconds(30))), "ok");

  servers.reset();

  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_THAT(text_of(run(knock, std::chrono::seconds(30))), HasSubstr("refused"));
}

TEST(RealServers, ARefusedFlagIsReportedInTheServersOwnWords) {
  const auto servers = RealServers::start({.apiserver_flags = {"--storage-backend=floppy"}});

  ASSERT_FALSE(servers);
  EXPECT_EQ(servers.error().code, Code::Unavailable);
  EXPECT_THAT(servers.error().message, HasSubstr("kube-apiserver ended"));
  EXPECT_THAT(servers.error().message, HasSubstr("--storage-backend invalid"));
}

TEST(RealServers, WithoutAssetsTheyNameTheCommandThatHelps) {
  const std::string assets = std::getenv("KUBEBUILDER_ASSETS");
  ::unsetenv("KUBEBUILDER_ASSETS");

  const auto servers = RealServers::start();
  ::setenv("KUBEBUILDER_ASSETS", assets.c_str(), 1);

  ASSERT_FALSE(servers);
  EXPECT_THAT(servers.error().message, HasSubstr("scripts/envtest"));
}

}  // namespace
}  // namespace capstan::envtest
