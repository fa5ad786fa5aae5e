// Our finalizer in metadata that a turn is about to write, as the controllers call it. What it does:
// api/meta/finalizers.h. Pure.
#pragma once

#include "api/meta/finalizers.h"

namespace capstan::controllers {

using api::with_finalizer;

}  // namespace capstan::controllers
