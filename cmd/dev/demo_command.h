// `capstan-dev demo`: three Machines, five Machines, a new version; each step shown, the promise checked. One
// call from main.
#pragma once

#include <span>

namespace capstan::dev {

int demo_command(std::span<const char* const> words);

}  // namespace capstan::dev
