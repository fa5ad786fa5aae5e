// What a turn of every controller is given, beside the memory of its own kind (memory.h of its folder):
// observe() reads, act() writes. Both live as long as the turn.
#pragma once

#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers {

struct ObserveContext {
  const Deps& deps;
  const Host& host;
  const runtime::Context& context;
};

struct ActContext {
  const Deps& deps;
  const Host& host;
  Contests& contests;
  const runtime::Context& context;
};

}  // namespace capstan::controllers
