// The annotation that keeps cluster-autoscaler from removing the Machine's Node, and the mark beside it which
// says that it is ours: while the Machine is preserved, and while its MachineDeployment rolls where the
// policy says so. Pure functions.
#pragma once

#include <optional>

#include "controllers/machine/observation.h"
#include "controllers/shared/node_change.h"

namespace capstan::controllers::machine {

// Whether the MachineDeployment rolls under a policy that keeps the autoscaler off meanwhile; nothing: that
// can't be seen, and the Node stays as it is.
std::optional<bool> is_kept_for_rollout(const Observation& seen);

struct AutoscalerWish {
  bool preserved = false;
  std::optional<bool> rolling = {};
};
void mark_for_autoscaler(const AutoscalerWish& wish, const api::Node& node, NodeChange& change);

}  // namespace capstan::controllers::machine
