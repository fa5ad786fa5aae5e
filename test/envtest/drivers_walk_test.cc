// The steps of docs/drivers.md as they stand there: the driver in Python, what driver-check says of it, and a
// Machine whose VM it makes and takes. Their API server is the embedded one; kubectl is the real one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "test/envtest/child_process.h"

namespace capstan::envtest {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

// kubectl of the real servers comes first.
std::string path_with(std::string_view servers) {
  const char* usual = std::getenv("PATH");
  return fmt::format("PATH={}:{}", servers, usual == nullptr ? "/usr/bin:/bin" : usual);
}

TEST(DriversWalk, LeadsFromADriverInPythonToAMachineThatRuns) {
  const char* servers = std::getenv("KUBEBUILDER_ASSETS");
  ASSERT_NE(servers, nullptr) << "scripts/envtest names the folder that has kubectl";

  const auto walk = run({.argv = {"timeout", "--kill-after=20", "300", "scripts/try-drivers"},
                         .environment = {path_with(servers), "CAPSTAN_BUILT=1"}},
                        minutes(6));

  ASSERT_TRUE(walk) << walk.error().describe();
  EXPECT_EQ(walk->exit_code, 0) << walk->out << walk->err;
  EXPECT_THAT(walk->out, HasSubstr("machine.cluster.x-k8s.io/walk-0 condition met"));
  EXPECT_THAT(walk->out, HasSubstr("machine.cluster.x-k8s.io \"walk-0\" deleted"));
}

}  // namespace
}  // namespace capstan::envtest
