// What --version prints, and what a manager notes on its Lease. The number is the project's in CMakeLists.txt
// and nowhere else. Used by main() and the wiring of every program.
#pragma once

#include <string>
#include <string_view>

namespace capstan::program {

std::string_view program_version();                  // "0.1.0"
std::string version_line(std::string_view program);  // "capstan 0.1.0\n"

}  // namespace capstan::program
