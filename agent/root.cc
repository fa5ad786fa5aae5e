#include "agent/root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "agent/checksum.h"
#include "agent/system_error.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

constexpr unsigned kFolderMode = 0755;
constexpr off_t kLarge = 1 << 20;
constexpr off_t kLongestFile = 16 << 20;  // of a file that is read whole

Descriptor open_beneath(int folder, const std::string& path, int flags) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Descriptor(static_cast<int>(syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
}

struct Split {
  std::string folder = {};
  std::string name = {};
};
Split split(std::string_view path) {
  const auto slash = path.rfind('/');
  return {.folder = std::string(path.substr(0, slash)), .name = std::string(path.substr(slash + 1))};
}

Error at(const Error& error, std::string_view path) { return error.context(path); }

bool is_missing() { return errno == ENOENT || errno == ENOTDIR; }

Mark mark_of(const struct stat& file) {
  return {.mode = file.st_mode & 07777U, .user = file.st_uid, .group = file.st_gid};
}

// Changes with every write of the file.
std::string stamp_of(const struct stat& file) {
  return fmt::format("{} {} {}.{}", file.st_ino, file.st_size, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

// `take` gets the bytes in pieces.
template <typename Take>
Result<void> read_pieces(int file, const Take& take) {
  std::array<char, 32768> piece = {};
  for (;;) {
    const ssize_t count = ::read(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read");
    if (count == 0) return {};
    take(std::string_view(piece.data(), static_cast<std::size_t>(count)));
  }
}

Result<std::string> content_of(int file) {
  struct stat now = {};
  if (fstat(file, &now) != 0) return system_failure("look at it");
  if (!S_ISREG(now.st_mode) || now.st_size > kLongestFile)
    return fail(Code::Invalid, "no file of at most 16 MB");
  std::string content;
  TRY(read_pieces(file, [&](std::string_view piece) { content += piece; }));
  return content;
}

}  // namespace

Result<Root> Root::open(const std::string& folder, Threads& threads) {
  Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0) return fail(at(system_failure("open").error(), folder));
  return Root(std::move(opened), threads);
}

Result<std::optional<std::string>> Root::read(std::string_view path) const {
  const Descriptor file = open_beneath(folder_.number(), std::string(path), O_RDONLY | O_NONBLOCK);
  if (file.number() < 0 && is_missing()) return std::optional<std::string>();
  if (file.number() < 0) return fail(at(system_failure("open").error(), path));
  auto content = content_of(file.number());
  if (!content) return fail(at(content.error(), path));
  return std::optional(std::move(*content));
}

Result<std::optional<FileFacts>> Root::facts(std::string_view path) const {
  const auto folder = parent(path, false);
  if (!folder)
    return folder.error().code == Code::NotFound ? Result<std::optional<FileFacts>>(std::nullopt)
                                                 : fail(folder.error());
  const std::string name = split(path).name;
  struct stat now = {};
  if (fstatat(folder->number(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
    if (is_missing()) return std::optional<FileFacts>();
    return fail(at(system_failure("look at it").error(), path));
  }
  if (!S_ISREG(now.st_mode)) return std::optional(FileFacts{.mark = mark_of(now)});
  const Descriptor file(openat(folder->number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file.number() < 0) return fail(at(system_failure("open").error(), path));
  return std::optional(FileFacts{.checksum = TRY(checksum(file.number(), path)), .mark = mark_of(now)});
}

bool Root::exists(std::string_view path) const {
  return open_beneath(folder_.number(), std::string(path), O_PATH).number() >= 0;
}

Result<PendingFile> Root::begin(std::string_view path) const {
  threads_->switch_point("before a file is begun");
  PendingFile file(TRY(parent(path, true)), split(path).name, *threads_);
  if (auto created = file.create(); !created) return fail(at(created.error(), path));
  return file;
}

Result<void> Root::write(std::string_view path, std::string_view content, const Mark& mark) const {
  PendingFile file = TRY(begin(path));
  auto done = file.write(content);
  if (done) done = file.commit(mark);
  if (!done) return fail(at(done.error(), path));
  return {};
}

Result<void> Root::remove(std::string_view path) const {
  const auto folder = parent(path, false);
  if (!folder && folder.error().code == Code::NotFound) return {};
  if (!folder) return fail(folder.error());
  threads_->switch_point("before a file is removed");
  if (unlinkat(folder->number(), split(path).name.c_str(), 0) != 0 && !is_missing())
    return fail(at(system_failure("remove").error(), path));
  threads_->switch_point("after a file is removed");
  return {};
}

Result<Descriptor> Root::lock(std::string_view path) const {
  const Descriptor folder = TRY(parent(path, true));
  Descriptor file(
      openat(folder.number(), split(path).name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.number() < 0) return fail(at(system_failure("open").error(), path));
  if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return fail(at(system_failure("lock").error(), path));
  return fail(Code::Conflict, fmt::format("another capstan-agent runs on this machine: it holds {}", path));
}

// NotFound: there is no such folder, and none was to be made.
Result<Descriptor> Root::parent(std::string_view path, bool make) const {
  const std::string wanted = split(path).folder + "/";
  Descriptor folder = open_beneath(folder_.number(), wanted, O_RDONLY | O_DIRECTORY);
  if (folder.number() >= 0) return folder;
  if (!is_missing()) return fail(at(system_failure("open its folder").error(), path));
  if (!make) return fail(Code::NotFound, std::string(path) + ": no such folder");
  const std::string_view above = std::string_view(wanted).substr(0, wanted.size() - 1);
  const Descriptor outer = TRY(parent(above, true));
  if (mkdirat(outer.number(), split(above).name.c_str(), kFolderMode) != 0 && errno != EEXIST)
    return fail(at(system_failure("make its folder").error(), path));
  folder = open_beneath(folder_.number(), wanted, O_RDONLY | O_DIRECTORY);
  if (folder.number() < 0) return fail(at(system_failure("open its folder").error(), path));
  return folder;
}

// A kubelet has a hundred megabytes: read again only when it was written.
Result<std::string> Root::checksum(int file, std::string_view path) const {
  struct stat now = {};
  if (fstat(file, &now) != 0) return fail(at(system_failure("look at it").error(), path));
  const std::string stamp = stamp_of(now);
  const auto known = hashed_.find(path);
  if (known != hashed_.end() && known->second.stamp == stamp) return known->second.checksum;
  net::Sha256Stream digest;
  if (auto read = read_pieces(file, [&](std::string_view piece) { digest.add(piece); }); !read)
    return fail(at(read.error(), path));
  std::string checksum = hex(digest.finish());
  if (now.st_size >= kLarge) hashed_[std::string(path)] = {.stamp = stamp, .checksum = checksum};
  return checksum;
}

}  // namespace capstan::agent
