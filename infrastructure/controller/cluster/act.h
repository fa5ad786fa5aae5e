// Carries out the plan: finalizer first, then the control plane, its endpoint and the Secret with its
// certificate authority, from which the Cluster controller makes the kubeconfig. Every action may be
// repeated. Blocks as the client does.
#pragma once

#include "infrastructure/controller/cluster/effects.h"
#include "infrastructure/controller/cluster/observation.h"
#include "infrastructure/controller/cluster/plan.h"
#include "infrastructure/controller/turn.h"

namespace capstan::infrastructure::cluster {

Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::cluster
