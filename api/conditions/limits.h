// How long the message of a condition may be. A server refuses the whole status for one that is longer, and
// then nothing of it is told any more. Used by set() of both generations. Pure.
#pragma once

#include <cstddef>

#include "base/text.h"

namespace capstan::api::conditions {

inline constexpr std::size_t kMaxMessage = 32768;
inline constexpr std::size_t kMaxV1Beta1Message = 10240;

// At most that many bytes; what was cut ends with "...". Never in the middle of a character.
void cut(FreeText& message, std::size_t limit);

}  // namespace capstan::api::conditions
