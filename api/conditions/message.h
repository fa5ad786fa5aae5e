// How condition messages are laid out: bullets, nested messages, lists of names that don't grow without end.
// Used by summary and aggregate, and by controllers for messages of their own. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace capstan::api::conditions {

// What follows "* Ready:". One line stays on it (" text"); several lines, or a bullet, start below, two
// blanks deeper. When some lines are bullets and some are not, plain ones become bullets and the bullets go
// one level further down.
std::string nested(std::string_view message);

// "a, b, c, ... (2 more)"
std::string name_list(std::span<const std::string> names, std::size_t limit);

}  // namespace capstan::api::conditions
