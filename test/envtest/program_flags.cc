#include "test/envtest/program_flags.h"

#include <string_view>

namespace capstan::envtest {
namespace {

std::string_view name_of_flag(std::string_view flag) { return flag.substr(0, flag.find('=')); }

}  // namespace

std::vector<std::string> with_flags(std::vector<std::string> argv, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    std::erase_if(argv, [&](const std::string& given) { return name_of_flag(given) == name_of_flag(flag); });
    argv.push_back(flag);
  }
  return argv;
}

}  // namespace capstan::envtest
