// `capstan-dev driver`: the simulated cloud as a driver of its own process, for a capstan-provider.
// `capstan-dev driver-check`: the kit for authors of drivers.
#pragma once

#include <span>

namespace capstan::dev {

int driver_command(std::span<const char* const> words);
int driver_check_command(std::span<const char* const> words);

}  // namespace capstan::dev
