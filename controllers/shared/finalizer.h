// Our finalizer in metadata that a turn is about to write together with labels and owners. Where it is
// written alone: runtime/finalizers.h. Pure.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::controllers {

// `present` and behind them `finalizer`; just `present` when it is among them.
api::Finalizers with_finalizer(const api::Finalizers& present, std::string_view finalizer);

}  // namespace capstan::controllers
