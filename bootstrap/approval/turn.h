// What the controller of agents' certificates is made of. Everything lives longer than the controller.
#pragma once

#include "bootstrap/caches.h"
#include "bootstrap/workload_clients.h"
#include "kube/client.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::approval {

struct Deps {
  kube::Client& client;  // of the management cluster
  WorkloadClients& workloads;
  Caches& caches;
};

struct TurnContext {
  const Deps& deps;
  const runtime::Context& context;
};

}  // namespace capstan::bootstrap::approval
