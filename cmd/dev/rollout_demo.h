// The story `rollout` of `capstan-dev demo`: three Machines, five Machines, a new version; the promise is
// checked on Machines, Nodes and VMs.
#pragma once

#include "cmd/dev/demo_stage.h"

namespace capstan::dev {

Result<void> play_rollout(DemoStage& stage);

}  // namespace capstan::dev
