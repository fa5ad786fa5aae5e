#include "cmd/program/program_version.h"

namespace capstan::program {

std::string version_line(std::string_view program) { return std::string(program) + " " CAPSTAN_VERSION "\n"; }

}  // namespace capstan::program
