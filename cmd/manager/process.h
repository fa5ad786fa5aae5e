// The life of the manager's process. One call from main.
#pragma once

#include "cmd/manager/options.h"
#include "cmd/program/process.h"

namespace capstan::manager {

using program::kApiServerRefused;
using program::kBadCommandLine;
using program::kFailed;
using program::kLeaseLost;
using program::kScopeTaken;
using program::kStopped;

int run(const CommandLine& line);

}  // namespace capstan::manager
