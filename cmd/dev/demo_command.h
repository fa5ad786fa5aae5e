// `capstan-dev demo`: a story that plays in a whole fleet and ends by itself; each step shown, the promise
// checked. One call from main.
#pragma once

#include <span>

namespace capstan::dev {

int demo_command(std::span<const char* const> words);

}  // namespace capstan::dev
