// `capstan-dev fault`: makes something go wrong in the simulated cloud of a process that runs, or ends it, by
// changing the file of its --faults. One call from main.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace capstan::dev {

// The script with these faults, each YAML or JSON, behind its own, or instead of them.
Result<std::string> script_with(const std::string& script, std::span<const std::string> faults, bool instead);

int fault_command(std::span<const char* const> words);

}  // namespace capstan::dev
