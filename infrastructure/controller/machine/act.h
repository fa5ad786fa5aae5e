// Does what the plan says: speaks to the driver and writes identity and finalizer. Every function may be
// repeated after a crash at any point: the instance key is in the spec before the cloud hears of it, and a VM
// that may be there is looked for before one is made. Blocks as client and driver do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/randomness.h"
#include "infrastructure/controller/machine/decide.h"
#include "infrastructure/controller/machine/effects.h"
#include "infrastructure/driver.h"
#include "kube/client.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure::machine {

// All of it lives longer.
struct ActDeps {
  kube::Client& client;
  Driver& driver;
  Randomness& randomness;
  const Caches& caches;
  runtime::Consistency& consistency;
};

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan);

}  // namespace capstan::infrastructure::machine
