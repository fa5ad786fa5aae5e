// What a turn of every controller of the infrastructure provider is given, beside the memory of its own kind
// (memory.h of its folder): observe() reads, act() writes. Both live as long as the turn.
#pragma once

#include "infrastructure/controller/deps.h"
#include "runtime/consistency.h"
#include "runtime/reconcile.h"

namespace capstan::infrastructure {

struct ObserveContext {
  const Deps& deps;
  const runtime::Context& context;
};

struct ActContext {
  const Deps& deps;
  runtime::Consistency& consistency;
  const runtime::Context& context;
};

}  // namespace capstan::infrastructure
