// What the MachinePool controller remembers between turns. Losing it costs requests and time, never
// correctness. Safe from any thread.
#pragma once

#include <unordered_map>

#include "base/guarded.h"
#include "controllers/machinepool/infra_memory.h"
#include "controllers/machinepool/pool_drain.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/live_object.h"
#include "controllers/shared/node_writes.h"

namespace capstan::controllers::machinepool {

struct Memory {
  explicit Memory(const Deps& deps) : node_writes(deps.clock), live_looks(deps.clock), drainer(deps) {}

  NodeWrites node_writes;
  InfraMemory infra = {};
  LiveLooks live_looks;
  Contests contests = {};
  Guarded<std::unordered_map<kube::ObjectKey, SteadyTime>> emptied = {};  // since when a list is empty
  PoolDrainer drainer;

  void forget(const kube::ObjectKey& pool) {
    node_writes.forget(pool);
    infra.forget(pool);
    drainer.forget(pool);
    live_looks.forget(pool);
    contests.forget(pool);
    emptied.with([&](auto& since) { since.erase(pool); });
  }
};

}  // namespace capstan::controllers::machinepool
