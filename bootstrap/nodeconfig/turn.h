// What the controller of NodeConfigs is made of, and what each of its turns is given. Everything of Deps
// lives longer than the controller, a context as long as the turn.
#pragma once

#include "base/clock.h"
#include "bootstrap/caches.h"
#include "bootstrap/workload_clients.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::nodeconfig {

struct Deps {
  const Clock& clock;
  kube::Client& client;  // of the management cluster
  WorkloadClients& workloads;
  Caches& caches;
  runtime::EventRecorder& events;
};

struct ObserveContext {
  const Deps& deps;
  const runtime::Context& context;
};

struct ActContext {
  const Deps& deps;
  runtime::Consistency& consistency;
  const runtime::Context& context;
};

}  // namespace capstan::bootstrap::nodeconfig
