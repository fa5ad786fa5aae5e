#include "test/envtest/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/try.h"

namespace capstan::envtest {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

Failure system_failure(std::string_view what) {
  return fail(Code::Internal, fmt::format("{}: {}", what, std::strerror(errno)));
}

// A file without a name, ready to be read from its start.
Result<Descriptor> memory_file(std::string_view content) {
  Descriptor file(::memfd_create("capstan-envtest", MFD_CLOEXEC));
  if (file.get() < 0) return system_failure("memfd_create");
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0) return system_failure("write");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const Descriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string content;
  char chunk[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk, sizeof(chunk));
    if (got <= 0) return content;
    content.append(chunk, static_cast<std::size_t>(got));
  }
}

std::string_view name_of(std::string_view assignment) { return assignment.substr(0, assignment.find('=')); }

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const auto overridden = [&](const std::string& one) { return name_of(one) == name_of(*entry); };
    if (std::ranges::none_of(added, overridden)) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs between fork and exec: only calls that are safe in a signal handler.
[[noreturn]] void become(char* const* argv, char* const* environment, const Streams& streams, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent went away before the line above
  ::dup2(streams.in, STDIN_FILENO);
  ::dup2(streams.out, STDOUT_FILENO);
  ::dup2(streams.err, STDERR_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(argv[0], argv, environment);
  ::_exit(127);
}

Result<pid_t> spawn(const Command& command, const Streams& streams) {
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> environment = environment_with(command.environment);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return system_failure("fork");
  if (child == 0) become(argv.data(), envp.data(), streams, parent);
  return child;
}

// False when the time is over first. The child stays a zombie until it is waited for.
Result<bool> ended_within(pid_t child, Nanoseconds within) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (handle.get() < 0) return system_failure("pidfd_open");
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(within).count();
  pollfd ready = {.fd = handle.get(), .events = POLLIN, .revents = 0};
  int answered = 0;
  do {
    answered = ::poll(&ready, 1, static_cast<int>(milliseconds));
  } while (answered < 0 && errno == EINTR);
  return answered > 0;
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void end(pid_t child) {
  ::kill(child, SIGKILL);
  exit_code_of(child);
}

}  // namespace

Result<CommandOutcome> run(const Command& command, Nanoseconds within) {
  const Descriptor in = TRY(memory_file(command.input));
  const Descriptor out = TRY(memory_file({}));
  const Descriptor err = TRY(memory_file({}));
  const pid_t child = TRY(spawn(command, {.in = in.get(), .out = out.get(), .err = err.get()}));
  const Result<bool> ended = ended_within(child, within);
  if (!ended || !*ended) {
    end(child);
    if (!ended) return fail(ended.error());
    return fail(Code::Timeout, fmt::format("{} did not end in time: {}", command.argv[0], content_of(err)));
  }
  const int exit_code = exit_code_of(child);
  return CommandOutcome{.exit_code = exit_code, .out = content_of(out), .err = content_of(err)};
}

Result<std::string> output_of(const Command& command, Nanoseconds within) {
  CommandOutcome outcome = TRY(run(command, within));
  if (outcome.exit_code == 0) return std::move(outcome.out);
  return fail(Code::Internal, fmt::format("{} ended with {}: {}", fmt::join(command.argv, " "),
                                          outcome.exit_code, outcome.err));
}

Result<ChildProcess> ChildProcess::start(const Command& command, const std::filesystem::path& log) {
  const Descriptor in = TRY(memory_file(command.input));
  const Descriptor out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (out.get() < 0) return system_failure(log.string());
  ChildProcess started;
  started.pid_ = TRY(spawn(command, {.in = in.get(), .out = out.get(), .err = out.get()}));
  started.log_ = log;
  return started;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), log_(std::move(other.log_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(log_, other.log_);
  return *this;
}

bool ChildProcess::has_ended() {
  if (pid_ < 0) return true;
  if (::waitpid(pid_, nullptr, WNOHANG) == 0) return false;
  pid_ = -1;
  return true;
}

Result<int> ChildProcess::await_end(Nanoseconds within) {
  if (pid_ < 0) return fail(Code::NotFound, "its end was seen before");
  if (!TRY(ended_within(pid_, within))) return fail(Code::Timeout, "it still runs");
  return exit_code_of(std::exchange(pid_, -1));
}

void ChildProcess::kill() {
  if (pid_ >= 0) end(std::exchange(pid_, -1));
}

}  // namespace capstan::envtest
