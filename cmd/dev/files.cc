#include "cmd/dev/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace capstan::dev {
namespace {

Failure refused(const std::string& path, int why) {
  return fail(Code::Invalid, path + ": can't be written: " + std::strerror(why));
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Zero, or errno. No other user may read it at any moment.
int write_new(const std::string& path, std::string_view text) {
  constexpr mode_t kOwnerOnly = 0600;
  ::unlink(path.c_str());  // of a run that was killed
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return errno;
  const int written = write_all(file, text);
  const int closed = ::close(file) == 0 ? 0 : errno;
  return written != 0 ? written : closed;
}

}  // namespace

Result<void> write_private_file(const std::string& path, const std::string& text) {
  const std::string half = path + ".part";
  int why = write_new(half, text);
  if (why == 0 && std::rename(half.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return {};
  ::unlink(half.c_str());
  return refused(path, why);
}

Result<std::string> read_file(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
  std::string text;
  std::array<char, 65536> piece = {};
  while (file != nullptr) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    text.append(piece.data(), count);
    if (count < piece.size()) break;
  }
  if (file != nullptr && std::ferror(file.get()) == 0) return text;
  return fail(Code::NotFound, path + ": can't be read: " + std::strerror(errno));
}

}  // namespace capstan::dev
