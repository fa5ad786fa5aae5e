// What -v means, for logs and the page that changes it.
#pragma once

#include <cstdint>

#include "base/log.h"

namespace capstan::program {

// What is logged at -v=VERBOSITY: 0 errors, 1 to 3 what changed, 4 and above why nothing did.
Level level_of(std::int64_t verbosity);

}  // namespace capstan::program
