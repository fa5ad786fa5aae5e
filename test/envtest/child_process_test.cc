#include "test/envtest/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

using ::testing::HasSubstr;

constexpr auto kPatience = std::chrono::seconds(20);

Command shell(std::string script) { return {.argv = {"sh", "-c", std::move(script)}}; }

// Waits for its end; a process that is gone already counts.
bool is_gone_within(pid_t process, std::chrono::milliseconds patience) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return errno == ESRCH;
  pollfd ended = {.fd = handle, .events = POLLIN, .revents = 0};
  const int answered = ::poll(&ended, 1, static_cast<int>(patience.count()));
  ::close(handle);
  return answered > 0;
}

TEST(Run, GivesInputAndEnvironmentAndTellsOutputErrorsAndExitCode) {
  Command command = shell("cat; echo $SHIP >&2; exit 3");
  command.input = "rope";
  command.environment = {"SHIP=brig"};

  const auto outcome = run(command, kPatience);

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, "rope");
  EXPECT_EQ(outcome->err, "brig\n");
  EXPECT_EQ(outcome->exit_code, 3);
}

TEST(Run, OurOwnEnvironmentStaysUnlessOverridden) {
  ::setenv("CAPSTAN_CHILD_TEST", "inherited", 1);
  Command overriding = shell("printf %s $CAPSTAN_CHILD_TEST");
  overriding.environment = {"CAPSTAN_CHILD_TEST=given"};

  const auto inherited = run(shell("printf %s $CAPSTAN_CHILD_TEST"), kPatience);
  const auto given = run(overriding, kPatience);

  ASSERT_TRUE(inherited && given);
  EXPECT_EQ(inherited->out, "inherited");
  EXPECT_EQ(given->out, "given");
}

TEST(Run, KillsWhatDoesNotEndInTime) {
  const auto outcome = run(shell("echo $$ >&2; exec sleep 1000"), std::chrono::milliseconds(300));

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::Timeout);
  const auto pid = outcome.error().message.substr(outcome.error().message.rfind(' ') + 1);
  EXPECT_TRUE(is_gone_within(std::stoi(pid), kPatience));
}

TEST(OutputOf, GivesTheOutputOfSuccess) {
  const auto output = output_of(shell("echo ahoy"), kPatience);

  ASSERT_TRUE(output);
  EXPECT_EQ(*output, "ahoy\n");
}

TEST(OutputOf, AFailureSaysWhatTheCommandSaid) {
  const auto output = output_of(shell("echo no wind >&2; exit 1"), kPatience);

  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("no wind"));
}

TEST(ChildProcess, EndsWithItsObject) {
  auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  pid_t pid = -1;

  {
    auto child = ChildProcess::start({.argv = {"sleep", "1000"}}, folder->path() / "log");
    ASSERT_TRUE(child);
    pid = child->pid();
    EXPECT_FALSE(child->has_ended());
  }

  EXPECT_TRUE(is_gone_within(pid, kPatience));
}

TEST(ChildProcess, EndsWhenTheProcessThatStartedItIsKilled) {
  auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  int pipe[2] = {};
  ASSERT_EQ(::pipe(pipe), 0);

  const pid_t starter = ::fork();
  if (starter == 0) {
    auto child = ChildProcess::start({.argv = {"sleep", "1000"}}, folder->path() / "log");
    const pid_t pid = child ? child->pid() : -1;
    if (::write(pipe[1], &pid, sizeof(pid)) < 0) ::_exit(1);
    ::raise(SIGKILL);
  }
  pid_t child = -1;
  ASSERT_EQ(::read(pipe[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ::waitpid(starter, nullptr, 0);

  ASSERT_GT(child, 0);
  EXPECT_TRUE(is_gone_within(child, kPatience));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(ScratchFolder, RemovesWhatAKilledProcessLeftAndNothingElse) {
  auto mine = ScratchFolder::create();
  ASSERT_TRUE(mine);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const auto left_behind =
      mine->path().parent_path() / ("capstan-envtest-" + std::to_string(gone) + "-abcdef");
  std::filesystem::create_directory(left_behind);

  const auto next = ScratchFolder::create();

  ASSERT_TRUE(next);
  EXPECT_FALSE(std::filesystem::exists(left_behind));
  EXPECT_TRUE(std::filesystem::exists(mine->path()));
}

}  // namespace
}  // namespace capstan::envtest
