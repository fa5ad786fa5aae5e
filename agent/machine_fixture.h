// A machine for tests: a scratch folder as its root, a systemctl that only remembers, and a process that can
// be killed at any of its effects. For the tests of agent/; one thread.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/disk.h"
#include "agent/systemctl.h"
#include "base/threads.h"

namespace capstan::agent {

class ScratchRoot {
 public:
  explicit ScratchRoot(const std::filesystem::path& above = std::filesystem::temp_directory_path()) {
    std::string name = (above / "capstan-agent-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ScratchRoot() { std::filesystem::remove_all(folder_); }
  ScratchRoot(const ScratchRoot&) = delete;
  ScratchRoot& operator=(const ScratchRoot&) = delete;

  std::filesystem::path at(std::string_view path) const {
    return folder_ / std::string(path.substr(path.starts_with('/') ? 1 : 0));
  }
  void put(std::string_view path, std::string_view content) const {
    std::filesystem::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::trunc) << content;
  }
  bool has(std::string_view path) const { return std::filesystem::exists(at(path)); }
  std::string text(std::string_view path) const {
    std::ifstream file(at(path));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  unsigned mode(std::string_view path) const {
    struct stat facts = {};
    stat(at(path).c_str(), &facts);
    return facts.st_mode & 07777U;
  }
  // Every file with its content.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = "/" + std::filesystem::relative(entry.path(), folder_).string();
      files[path] = text(path);
    }
    return files;
  }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

// Where files are in memory, for many machines whose every flush would wait for a disk.
inline std::filesystem::path folder_in_memory() {
  const std::filesystem::path shared = "/dev/shm";
  return std::filesystem::is_directory(shared) ? shared : std::filesystem::temp_directory_path();
}

class FakeSystemctl final : public Systemctl {
 public:
  Result<void> run(const std::vector<std::string>& words) override {
    std::string line;
    for (const std::string& word : words)
      if (word != "--") line += (line.empty() ? "" : " ") + word;
    calls.push_back(line);
    if (failing.contains(words.back())) return fail(Code::Internal, "exit code 1: Job failed.");
    return {};
  }
  std::size_t count(std::string_view call) const {
    std::size_t found = 0;
    for (const std::string& made : calls) found += made == call ? 1 : 0;
    return found;
  }

  std::vector<std::string> calls = {};
  std::set<std::string> failing = {};
};

// Kills the process, as SimulatedCrash, at the effect of that number; 0: never.
class MortalThreads final : public Threads {
 public:
  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    return real_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override {
    return real_.wait(signal, seen, deadline);
  }
  void switch_point(std::string_view) override {
    if (++effects == dies_at) throw SimulatedCrash();
  }

  std::size_t effects = 0;
  std::size_t dies_at = 0;

 private:
  SystemThreads real_;
};

// A disk that is full after so many bytes of each file.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
};

inline Mark own_mark(unsigned mode = 0644) { return {.mode = mode, .user = geteuid(), .group = getegid()}; }

}  // namespace capstan::agent
