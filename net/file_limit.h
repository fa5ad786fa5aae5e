// How many descriptors this process may open: one per watch, so the usual 1024 is too few. Called once at
// start.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace capstan::net {

// Raises the soft limit to `wanted`, or to the hard limit when that is lower. The limit in force afterwards.
Result<std::uint64_t> raise_file_limit(std::uint64_t wanted);

}  // namespace capstan::net
