// capstan-provider from its first request to its last (wiring.h).
// Called once by main's thread.
#pragma once

#include "cmd/provider/options.h"

namespace capstan::provider {

// Returns when `stop` asks for it, or with what went wrong.
Result<void> serve(const Options& options, const program::Seams& seams, const Log& log,
                   const std::stop_token& stop);

}  // namespace capstan::provider
