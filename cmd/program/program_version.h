// What --version prints. The number is the project's in CMakeLists.txt and nowhere else. Used by main() of
// every program.
#pragma once

#include <string>
#include <string_view>

namespace capstan::program {

std::string version_line(std::string_view program);  // "capstan 0.1.0\n"

}  // namespace capstan::program
