// What is refused of windows (api/policy/safety.h), in whichever policy they stand. Pure.
#pragma once

#include "api/policy/safety.h"
#include "api/v1beta2/rules.h"

namespace capstan::api {

// Whether the time zone exists is known where its files are: the condition WindowsUnderstood tells.
void check_windows(const List<PolicyWindow>& windows, Causes& causes);

}  // namespace capstan::api
