// Conditions in the status of a document. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "base/instant.h"

namespace capstan::apiserver {

namespace json = boost::json;

// Sets a condition {type, status, lastTransitionTime, reason, message}; the time moves only when the status
// does.
void set_condition(json::object& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, WallTime now);
// "True", "False" ... of a condition; "" when it is not there.
std::string_view condition_status(const json::object& document, std::string_view type);

}  // namespace capstan::apiserver
