// The story `safety` of `capstan-dev demo`: three things go wrong that have cost others their fleets, and
// after each the brake that held is named with what it says of itself. What it shows is read from the
// objects, and checked.
#pragma once

#include "cmd/dev/demo_stage.h"

namespace capstan::dev {

// Quick: a Node is given up after two seconds of silence.
infrastructure::sim::Script cloud_of_safety();

Result<void> play_safety(DemoStage& stage);

}  // namespace capstan::dev
