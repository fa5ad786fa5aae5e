// What the server writes into the status of a CRD: accepted names, conditions, stored versions. Pure but for
// the registry it compares names with and the clock.
#pragma once

#include "apiserver/core.h"

namespace capstan::apiserver {

// The CRD with the status it should have.
json::object with_crd_status(const Core& core, const json::object& crd);
bool crd_established(const json::object& crd);
std::int64_t crd_generation(const json::object& crd);

// Sets a condition {type, status, lastTransitionTime, reason, message}; the time moves only when the status
// does.
void set_condition(json::object& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, WallTime now);
// "True", "False" ... of a condition; "" when it is not there.
std::string_view condition_status(const json::object& document, std::string_view type);

}  // namespace capstan::apiserver
