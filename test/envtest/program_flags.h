// Command lines of programs that refuse a flag that is given twice. Pure.
#pragma once

#include <string>
#include <vector>

namespace capstan::envtest {

// The flags ("--name=value") after argv, in the place of those of the same name.
std::vector<std::string> with_flags(std::vector<std::string> argv, const std::vector<std::string>& flags);

}  // namespace capstan::envtest
