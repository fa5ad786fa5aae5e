// The steps of docs/bootstrap.md on a real kube-apiserver and kube-controller-manager, nothing of ours
// simulated: Machine, driver in Python, a process with namespaces of its own, capstan-agent, TLS bootstrap,
// Node, Running, and a change of the NodeConfig that reaches a file. The kubelet is the example's.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/envtest/real_servers.h"

namespace capstan::envtest {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

// What the steps find in PATH: kubectl of the servers first.
std::string path_with(const std::filesystem::path& first) {
  const char* usual = std::getenv("PATH");
  return fmt::format("PATH={}:{}", first.string(), usual == nullptr ? "/usr/bin:/bin" : usual);
}

TEST(BootstrapWalk, LeadsFromANodeConfigToANodeAndAChangedFile) {
  const auto servers = RealServers::start(
      {.controller_manager = true,
       .controllers = {"garbage-collector-controller", "certificatesigningrequest-approving-controller",
                       "certificatesigningrequest-signing-controller", "token-cleaner-controller"},
       .apiserver_flags = {"--enable-bootstrap-token-auth=true", "--authorization-mode=Node,RBAC",
                           "--enable-admission-plugins=NodeRestriction"}});
  ASSERT_TRUE(servers) << servers.error().describe();

  const auto walk = run({.argv = {"timeout", "--kill-after=20", "420", "scripts/try-bootstrap"},
                         .environment = {"KUBECONFIG=" + (*servers)->kubeconfig_path().string(),
                                         path_with((*servers)->kubectl().parent_path()), "CAPSTAN_BUILT=1"}},
                        minutes(8));

  ASSERT_TRUE(walk) << walk.error().describe();
  EXPECT_EQ(walk->exit_code, 0) << walk->out << walk->err;
  EXPECT_THAT(walk->out, HasSubstr("good evening"));
}

}  // namespace
}  // namespace capstan::envtest
