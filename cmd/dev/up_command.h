// `capstan-dev up`: a whole fleet in one process, for kubectl. One call from main.
#pragma once

#include <span>

namespace capstan::dev {

int up_command(std::span<const char* const> words);

}  // namespace capstan::dev
