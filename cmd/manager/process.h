// The life of the process: signals, log, wiring, and the exit code a supervisor can use.
#pragma once

#include "cmd/manager/options.h"

namespace capstan::manager {

inline constexpr int kStopped = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadCommandLine = 2;
inline constexpr int kApiServerRefused = 3;
inline constexpr int kLeaseLost = 4;

int run(const CommandLine& line);

}  // namespace capstan::manager
