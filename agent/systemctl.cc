#include "agent/systemctl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>

#include "agent/descriptor.h"
#include "agent/system_error.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

// Longer than systemd gives a unit to stop and to start.
constexpr auto kLongestRun = std::chrono::minutes(5);
constexpr std::size_t kKept = 300;  // of its last words

struct Pipe {
  Descriptor read_end = {};
  Descriptor write_end = {};
};
Result<Pipe> open_pipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make a pipe");
  return Pipe{.read_end = Descriptor(ends[0]), .write_end = Descriptor(ends[1])};
}

// Our threads have signals blocked that it needs.
struct Attributes {
  Attributes() {
    posix_spawnattr_init(&value);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&value, &none);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t value = {};
};

struct Redirections {
  explicit Redirections(int output) {
    posix_spawn_file_actions_init(&value);
    posix_spawn_file_actions_addopen(&value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&value, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&value, output, STDERR_FILENO);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&value); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  posix_spawn_file_actions_t value = {};
};

Result<pid_t> start(const std::string& program, const std::vector<std::string>& words, int output) {
  std::vector<std::string> line = {program};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : line) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Attributes attributes;
  const Redirections redirections(output);
  pid_t child = 0;
  errno =
      posix_spawnp(&child, program.c_str(), &redirections.value, &attributes.value, pointers.data(), environ);
  if (errno != 0) return system_failure("run " + program);
  return child;
}

// Until it closes its end. False: it took too long.
bool read_words(int from, const Clock& clock, std::string& words) {
  const SteadyTime end = clock.steady_now() + kLongestRun;
  std::array<char, 1024> piece = {};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock.steady_now());
    pollfd ready = {.fd = from, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    words.append(piece.data(), static_cast<std::size_t>(count));
    if (words.size() > kKept) words.erase(0, words.size() - kKept);
  }
}

std::string one_line(std::string words) {
  for (char& c : words)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

int await_end(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<void> SystemctlProgram::run(const std::vector<std::string>& words) {
  Pipe pipe = TRY(open_pipe());
  const pid_t child = TRY(start(program_, words, pipe.write_end.number()));
  pipe.write_end = Descriptor();
  std::string said;
  const bool in_time = read_words(pipe.read_end.number(), clock_, said);
  if (!in_time) kill(child, SIGKILL);
  const int code = await_end(child);
  if (!in_time) return fail(Code::Timeout, "did not end within five minutes");
  if (code == 0) return {};
  return fail(Code::Internal, fmt::format("exit code {}: {}", code, one_line(std::move(said))));
}

}  // namespace capstan::agent
