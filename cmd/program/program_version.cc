#include "cmd/program/program_version.h"

namespace capstan::program {

std::string_view program_version() { return CAPSTAN_VERSION; }

std::string version_line(std::string_view program) {
  return std::string(program) + " " + std::string(program_version()) + "\n";
}

}  // namespace capstan::program
