#include "cmd/manager/program_version.h"

namespace capstan::manager {

std::string version_line(std::string_view program) { return std::string(program) + " " CAPSTAN_VERSION "\n"; }

}  // namespace capstan::manager
