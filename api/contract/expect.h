// The one way contract readers word a value of the wrong type. For the sources of this folder.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "api/contract/foreign.h"

namespace capstan::api::contract {

std::string_view kind_name(const boost::json::value& value);
Failure wrong_type(const Foreign& object, std::string_view where, std::string_view expected,
                   const boost::json::value& found);

}  // namespace capstan::api::contract
