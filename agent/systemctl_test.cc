#include "agent/systemctl.h"

#include <gmock/gmock.h>

namespace capstan::agent {
namespace {

using ::testing::HasSubstr;

Result<void> run_shell(const std::string& script) {
  const SystemClock clock;
  return SystemctlProgram("/bin/sh", clock).run({"-c", script});
}

TEST(SystemctlProgram, SaysWhatItSaidWhenItFailed) {
  EXPECT_TRUE(run_shell("echo fine"));

  const auto failed = run_shell("echo Job for a.service failed. >&2; exit 5");

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "exit code 5: Job for a.service failed.");
}

TEST(SystemctlProgram, KeepsTheLastWordsOnly) {
  const auto failed = run_shell("i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done; exit 1");

  ASSERT_FALSE(failed);
  EXPECT_LT(failed.error().message.size(), 350U);
  EXPECT_THAT(failed.error().message, HasSubstr("line 499"));
}

TEST(SystemctlProgram, SaysThatItIsNotThere) {
  const SystemClock clock;

  const auto missing = SystemctlProgram("/no/such/program", clock).run({"daemon-reload"});

  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/program: No such file"));
}

}  // namespace
}  // namespace capstan::agent
