// Types of JSON values in the words of JSON schema. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

std::string_view actual_type(const json::value& value);  // "integer", "null" ...
std::string wanted_type(const Schema& schema);  // "integer,string" for int-or-string; "" for anything
bool fits(const json::value& value, const Schema& schema);

}  // namespace capstan::apiserver
