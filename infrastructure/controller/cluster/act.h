// Does what the plan says: finalizer first, then the control plane, its endpoint and the Secret with its
// certificate authority, from which the Cluster controller makes the kubeconfig. Every step may be repeated.
// Blocks as the client does.
#pragma once

#include "infrastructure/controller/cluster/decide.h"
#include "infrastructure/controller/cluster/effects.h"
#include "infrastructure/sim/control_plane.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::cluster {

// All of it lives longer.
struct ActDeps {
  kube::Client& client;
  sim::ControlPlanes& control_planes;
  const Caches& caches;
  runtime::Consistency& consistency;
};

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::cluster
