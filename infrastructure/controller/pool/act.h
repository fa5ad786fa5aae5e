// Does what the plan says: speaks to the driver, or makes and removes DriverMachines and Machines. Every
// function may be repeated after a crash at any point: a VM is made under a key that follows from its place,
// and a DriverMachine mints its own. Blocks as client and driver do; several calls to a driver run at once.
#pragma once

#include "base/names.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "infrastructure/controller/pool/decide.h"
#include "infrastructure/controller/pool/effects.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::pool {

// All of it lives longer.
struct ActDeps {
  Threads& threads;
  kube::Client& client;
  Driver& driver;
  Randomness& randomness;
  const Caches& caches;
  runtime::Consistency& consistency;
};

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::pool
