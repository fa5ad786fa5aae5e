// Foreign programs as children: run one to its end, or keep one running. A child dies with its ChildProcess
// and, by the kernel's hand, with the thread that started it: start long-lived ones on a thread that stays
// (usually the test's own). Not safe to share between threads.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace capstan::envtest {

struct Command {
  std::vector<std::string> argv = {};         // argv[0] is a path, or a name looked up in PATH
  std::string input = {};                     // what it reads on its standard input
  std::vector<std::string> environment = {};  // "NAME=value", on top of our own
};

struct CommandOutcome {
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string out = {};
  std::string err = {};
};

// An error means: could not be started, or did not end within `within` (it is killed then). Any exit code is
// an outcome.
Result<CommandOutcome> run(const Command& command, Nanoseconds within);

// The standard output of a command that must succeed; otherwise an error with what it wrote on stderr.
Result<std::string> output_of(const Command& command, Nanoseconds within);

class ChildProcess {
 public:
  // Its output is appended to `log`.
  static Result<ChildProcess> start(const Command& command, const std::filesystem::path& log);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { kill(); }

  bool has_ended();
  // Its exit code, 128 + signal when a signal ended it; Timeout when it runs longer than that, and goes on.
  Result<int> await_end(Nanoseconds within);
  void kill();  // SIGKILL, and waits until it is gone; nothing when it is gone already
  pid_t pid() const { return pid_; }
  const std::filesystem::path& log() const { return log_; }

 private:
  pid_t pid_ = -1;
  std::filesystem::path log_ = {};
};

}  // namespace capstan::envtest
