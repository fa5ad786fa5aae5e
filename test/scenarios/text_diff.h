// Two texts line by line, as a person wants to see them when a story has changed. Pure.
#pragma once

#include <string>
#include <string_view>

namespace capstan::scenarios {

// Lines only in `before` begin with "-", lines only in `after` with "+"; what stayed is shown around them.
std::string text_diff(std::string_view before, std::string_view after);

}  // namespace capstan::scenarios
