#include "test/envtest/scratch_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "capstan-envtest-";
constexpr std::uintmax_t kRoomForEtcd = 1U << 30;

fs::path parent_folder() {
  std::error_code missing;
  const fs::space_info memory = fs::space("/dev/shm", missing);
  const bool usable = !missing && memory.available >= kRoomForEtcd && ::access("/dev/shm", W_OK) == 0;
  if (usable) return "/dev/shm";
  const fs::path on_disk = fs::temp_directory_path(missing);
  return missing ? fs::path("/tmp") : on_disk;
}

// The folder's name says which process made it.
bool is_left_behind(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  pid_t owner = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), owner);
  return parsed.ec == std::errc() && owner > 0 && ::kill(owner, 0) < 0 && errno == ESRCH;
}

void remove_left_behind(const fs::path& parent) {
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code kept;  // another user's, or removed by another run right now
    if (is_left_behind(entry->path().filename().string())) fs::remove_all(entry->path(), kept);
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::create() {
  const fs::path parent = parent_folder();
  remove_left_behind(parent);
  std::string path = parent / fmt::format("{}{}-XXXXXX", kPrefix, ::getpid());
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(Code::Internal, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return ScratchFolder(path);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace capstan::envtest
