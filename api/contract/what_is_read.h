// Of a provider's object the cache keeps only what our controllers read: a fleet holds two of them for every
// Machine, and providers report dozens of conditions. keep_what_is_read (contract_object.h) drops the others,
// malformed ones included, and of the annotations the whole object that kubectl apply repeats there. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include "api/contract/contract_object.h"

namespace capstan::api::contract {

// Whether a condition of that type is kept: who reads another one from the cache finds nothing, ever.
bool is_condition_read(std::string_view type);

// Of a list of conditions, in compact JSON, those that are read. What has no type stays, so that reading it
// says what is wrong; what is no list stays as it is.
std::string conditions_that_are_read(std::string_view compact);

}  // namespace capstan::api::contract
