// capstan-dev apiserver: the embedded API server alone, until SIGINT or SIGTERM.
#pragma once

#include <span>

namespace capstan::dev {

int apiserver_command(std::span<const char* const> words);

}  // namespace capstan::dev
