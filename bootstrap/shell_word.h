// One word of a POSIX shell, whatever is in it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace capstan::bootstrap {

std::string shell_word(std::string_view text);

}  // namespace capstan::bootstrap
