// The story `preserve` of `capstan-dev demo`: a Machine fails and is kept for a look at it, until a user says
// that it has been seen. What it shows is read from the objects, and checked.
#pragma once

#include "cmd/dev/demo_stage.h"

namespace capstan::dev {

Result<void> play_preserve(DemoStage& stage);

}  // namespace capstan::dev
