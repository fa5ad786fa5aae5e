#include "test/envtest/real_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <fstream>
#include <string>

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<RealServers> started(RealServerOptions options = {}) {
  auto servers = RealServers::start(std::move(options));
  EXPECT_TRUE(servers) << servers.error().describe();
  return servers ? std::move(*servers) : nullptr;
}

TEST(RealServers, AnswerTheirVersionAndKeepWhatKubectlMakes) {
  const auto servers = started();
  ASSERT_TRUE(servers);

  const auto version = servers->run_kubectl({"get", "--raw", "/version"});
  const auto made = servers->run_kubectl({"create", "namespace", "harbour"});
  const auto read = servers->run_kubectl({"get", "namespace", "harbour", "-o", "name"});

  ASSERT_TRUE(version && made && read);
  EXPECT_THAT(version->out, HasSubstr("\"v1.36.3\""));
  EXPECT_EQ(made->exit_code, 0) << made->err;
  EXPECT_EQ(read->out, "namespace/harbour\n") << read->err;
}
}  // namespace
}  // namespace capstan::envtest
