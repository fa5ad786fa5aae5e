// The list of finalizers in metadata that a controller is about to write together with labels, owners or a
// spec. Where a finalizer is written alone: runtime/finalizers.h. Pure.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::api {

// `present` and behind them `finalizer`; just `present` when it is among them.
Finalizers with_finalizer(const Finalizers& present, std::string_view finalizer);

}  // namespace capstan::api
