// What a server takes in a condition. For one value that it refuses it refuses the whole status, and then
// no condition of it is shown any more; values that come from other objects cost that value only. Used by
// set() of both generations. Pure.
#pragma once

#include <cstddef>

#include "api/meta/condition.h"
#include "base/text.h"

namespace capstan::api::conditions {

inline constexpr std::size_t kMaxMessage = 32768;
inline constexpr std::size_t kMaxV1Beta1Message = 10240;

// At most that many bytes; what was cut ends with "...". Never in the middle of a character.
void cut(FreeText& message, std::size_t limit);

// A status that is none becomes Unknown, a reason that is none NoReasonReported; a line of the message names
// it. The message is cut to its limit.
void make_acceptable(Condition& wanted);
void make_acceptable(V1Beta1Condition& wanted);

}  // namespace capstan::api::conditions
