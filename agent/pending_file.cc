#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "agent/checksum.h"
#include "agent/root.h"
#include "agent/system_error.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

constexpr std::string_view kTemporary = ".capstan-agent";

Result<void> set_mark(int file, const Mark& mark) {
  struct stat now = {};
  if (fstat(file, &now) != 0) return system_failure("look at it");
  const bool same_owner = now.st_uid == mark.user && now.st_gid == mark.group;
  if (!same_owner && fchown(file, mark.user, mark.group) != 0) return system_failure("set its owner");
  if (fchmod(file, mark.mode) != 0) return system_failure("set its mode");
  return {};
}

}  // namespace

PendingFile::PendingFile(Descriptor folder, std::string name, Threads& threads)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      temporary_("." + name_ + std::string(kTemporary)),
      threads_(&threads) {}

Result<void> PendingFile::create() {
  discard();
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file_ = Descriptor(openat(folder_.number(), temporary_.c_str(), kNew, 0600));
  if (file_.number() < 0) return system_failure("create " + temporary_);
  return {};
}

Result<void> PendingFile::write(std::string_view bytes) {
  digest_.add(bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::string PendingFile::checksum() { return hex(digest_.finish()); }

Result<void> PendingFile::commit(const Mark& mark) {
  if (auto marked = set_mark(file_.number(), mark); !marked) {
    discard();
    return marked;
  }
  if (fsync(file_.number()) != 0) return failed("flush");
  threads_->switch_point("before a file is in force");
  if (renameat(folder_.number(), temporary_.c_str(), folder_.number(), name_.c_str()) != 0)
    return failed("put in force");
  fsync(folder_.number());
  threads_->switch_point("after a file is in force");
  return {};
}

void PendingFile::discard() { unlinkat(folder_.number(), temporary_.c_str(), 0); }

Failure PendingFile::failed(std::string_view doing) {
  Failure failure = system_failure(doing);
  discard();
  return failure;
}

}  // namespace capstan::agent
