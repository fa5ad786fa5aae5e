#include "net/cert_reload.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/try.h"

namespace capstan::net {
namespace {

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return fail(Code::NotFound, "read " + path + ": " + std::generic_category().message(errno));
  return text;
}

}  // namespace

TlsFiles::TlsFiles(std::vector<std::string> paths, Make make, Nanoseconds every)
    : paths_(std::move(paths)), make_(std::move(make)), every_(every) {}

Result<std::shared_ptr<TlsContext>> TlsFiles::load() {
  auto seen = stamps();  // before reading: a change in between shows at the next poll
  Contents contents;
  for (const std::string& path : paths_) contents.push_back(TRY(read_file(path)));
  auto made = make_(contents);
  if (!made) return fail(made.error().context(paths_.front()));
  loaded_ = std::move(seen);
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsFiles::poll(SteadyTime now) {
  if (now < next_) return nullptr;
  next_ = now + every_;
  if (stamps() == loaded_) return nullptr;
  return load();
}

std::vector<TlsFiles::Stamp> TlsFiles::stamps() const {
  std::vector<Stamp> found;
  for (const std::string& path : paths_) {
    struct stat file = {};
    if (stat(path.c_str(), &file) == 0) {
      found.push_back({.modified = file.st_mtim.tv_sec * 1'000'000'000LL + file.st_mtim.tv_nsec,
                       .inode = file.st_ino,
                       .size = file.st_size});
    } else {
      found.emplace_back();
    }
  }
  return found;
}

}  // namespace capstan::net
