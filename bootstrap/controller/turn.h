// What the CloudConfig controller is made of, and what each of its turns is given: observe() reads, act()
// writes. Everything of Deps lives longer than the controller, a context as long as the turn.
#pragma once

#include "base/clock.h"
#include "base/randomness.h"
#include "bootstrap/caches.h"
#include "bootstrap/workload_clients.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/events.h"
#include "runtime/reconcile.h"

namespace capstan::bootstrap::controller {

struct Deps {
  const Clock& clock;
  kube::Client& client;  // of the management cluster
  WorkloadClients& workloads;
  Randomness& keys;  // tokens are made of it
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

}  // namespace capstan::bootstrap::controller
