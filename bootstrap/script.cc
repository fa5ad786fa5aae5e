#include "bootstrap/script.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "bootstrap/shell_word.h"

namespace capstan::bootstrap {
namespace {

// Until it has its mode only root may read it: there may be a token in it.
std::string write_command(const UserDataFile& file) {
  const std::string path = shell_word(file.path);
  const std::string folder = shell_word(file.path.substr(0, file.path.rfind('/') + 1));
  return fmt::format(
      "mkdir -p {1}\n"
      "(umask 077 && printf %s {2} | base64 -d > {0})\n"
      "chown {3} {0}\n"
      "chmod {4} {0}\n",
      path, folder, base64_encode(file.content), shell_word(file.owner), file.permissions);
}

}  // namespace

std::string script_text(const UserData& data) {
  std::string text = "#!/bin/sh\n";
  if (!data.hostname.empty()) text += "hostnamectl set-hostname " + shell_word(data.hostname) + "\n";
  for (const UserDataFile& file : data.files) text += write_command(file);
  for (const std::string& command : data.commands) text += command + "\n";
  return text;
}

}  // namespace capstan::bootstrap
