// A kube-apiserver of a test's own on which clusterctl has installed the packages of scripts/package, for the
// suites that look at them. For gtest; one thread. Needs root (own_network.h) and CAPSTAN_CLUSTERCTL, or its
// tests fail and say so.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/own_network.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {

namespace fs = std::filesystem;
namespace json = boost::json;

inline constexpr std::string_view kVersion = "v1.14.200";
inline constexpr auto kPatience = std::chrono::seconds(120);
inline constexpr std::string_view kAudit = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, verbs: [watch]}
- {level: Metadata, omitStages: [ResponseStarted]}
)";

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
    installed_ = init_all_of_ours();
  }
  static std::string init_all_of_ours() {
    const std::string at = ":" + std::string(kVersion);
    return clusterctl({"init", "--core=cluster-api" + at, "--infrastructure=capstan" + at,
                       "--bootstrap=capstan" + at, "--control-plane=-"});
  }
  static void start_servers() {
    ASSERT_TRUE(enter_own_network());
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    start_server();
  }
  // With what clusterctl looks for of cert-manager.
  static void start_server() {
    auto started = RealServers::start(
        {.controller_manager = true,
         .controllers = {"garbage-collector-controller", "namespace-controller",
                         "clusterrole-aggregation-controller", "disruption-controller"},
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
    if (const char* reason = why_not()) FAIL() << reason;
    ASSERT_NE(servers_, nullptr);
  }

  static const char* why_not() {
    if (std::getenv("CAPSTAN_CLUSTERCTL") == nullptr)
      return "CAPSTAN_CLUSTERCTL is not set: run this suite through scripts/envtest --interop";
    return ::geteuid() == 0 ? nullptr : "root is needed for a network and a file system of its own";
  }

  static std::string clusterctl(std::vector<std::string> arguments) {
    arguments.push_back("--kubeconfig=" + servers_->kubeconfig_path().string());
    return clusterctl_with({"CAPSTAN_DRIVERS=--driver=simulated"}, std::move(arguments));
  }
  // With these variables of the packages.
  static std::string clusterctl_with(std::vector<std::string> variables, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::getenv("CAPSTAN_CLUSTERCTL"));
    arguments.push_back("--config=" + in_folder("repository/clusterctl.yaml").string());
    variables.push_back("CLUSTERCTL_DISABLE_VERSIONCHECK=true");
    variables.push_back("XDG_CONFIG_HOME=" + in_folder("config").string());
    return text_of(run({.argv = std::move(arguments), .environment = std::move(variables)}, kPatience));
  }
  static Result<std::string> package_into(const fs::path& folder,
                                          const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {"scripts/package"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {std::string(kVersion), folder});
    return output_of({.argv = std::move(command)}, kPatience);
  }

  static fs::path in_folder(std::string_view name) { return folder_->path() / name; }
  static std::string kubectl(std::vector<std::string> arguments, std::string input = {}) {
    return envtest::kubectl(*servers_, std::move(arguments), std::move(input));
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

}  // namespace capstan::envtest
