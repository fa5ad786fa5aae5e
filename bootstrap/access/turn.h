// What the controller of bindings is made of. Everything lives longer than the controller.
#pragma once

#include "bootstrap/controller/caches.h"
#include "bootstrap/workload_clients.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::access {

struct Deps {
  WorkloadClients& workloads;
  Caches& caches;
};

struct TurnContext {
  const Deps& deps;
  const runtime::Context& context;
};

}  // namespace capstan::bootstrap::access
