#include "cmd/dev/files.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace capstan::dev {

Result<void> write_private_file(const std::string& path, const std::string& text) {
  using std::filesystem::perms;
  const std::string half = path + ".part";
  {
    std::ofstream file(half, std::ios::trunc);
    std::error_code ignored;
    std::filesystem::permissions(half, perms::owner_read | perms::owner_write, ignored);
    file << text;
    if (!file.flush()) return fail(Code::Invalid, path + ": can't be written");
  }
  std::filesystem::rename(half, path);
  return {};
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(Code::NotFound, path + ": can't be read");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace capstan::dev
