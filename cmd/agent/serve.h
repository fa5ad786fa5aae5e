// capstan-agent from its first round to its last. Called once by main's thread.
#pragma once

#include <stop_token>

#include "base/log.h"
#include "cmd/agent/options.h"

namespace capstan::agent_program {

// Returns when `stop` asks for it, after one round with --once, or with what went wrong. Conflict: another
// agent runs on this machine.
Result<void> serve(const Options& options, const program::Seams& seams, const Log& log,
                   const std::stop_token& stop);

}  // namespace capstan::agent_program
