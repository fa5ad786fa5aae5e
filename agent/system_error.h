// What the kernel refused, as an Error: "write: No space left on device". From errno, before anything else
// sets it.
#pragma once

#include <string_view>

#include "base/result.h"

namespace capstan::agent {

Failure system_failure(std::string_view doing);

}  // namespace capstan::agent
