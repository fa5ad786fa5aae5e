// Everything that can be wrong with an object that is about to be stored. Pure but for the core's tables.
#pragma once

#include "apiserver/core.h"
#include "apiserver/document/field_error.h"

namespace capstan::apiserver {

FieldErrors creation_errors(const Core& core, const Target& target, const json::object& object);
FieldErrors update_errors(const Core& core, const Target& target, const json::object& object,
                          const json::object& before);

}  // namespace capstan::apiserver
